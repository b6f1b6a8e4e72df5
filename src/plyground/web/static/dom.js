/** Small helpers to build pages. Text from outside is only ever set as text, never as markup. */

const SVG = "http://www.w3.org/2000/svg";

/** Return the element with this id. */
export const byId = (id) => document.getElementById(id);

/**
 * Return a new HTML element.
 * @param {string} tag
 * @param {Object} attributes functions are event listeners, `true` is an empty attribute,
 *   `false`, `null` and `undefined` are left out
 * @param {...(Node|string|null)} children
 */
export function element(tag, attributes = {}, ...children) {
  const made = document.createElement(tag);
  for (const [name, value] of Object.entries(attributes)) {
    if (typeof value === "function") made.addEventListener(name, value);
    else if (value === true) made.setAttribute(name, "");
    else if (value !== false && value != null) made.setAttribute(name, value);
  }
  made.append(...children.filter((child) => child != null));
  return made;
}

/** Return a new SVG element. */
export function svgElement(tag, attributes = {}, ...children) {
  const made = document.createElementNS(SVG, tag);
  for (const [name, value] of Object.entries(attributes)) made.setAttribute(name, value);
  made.append(...children);
  return made;
}

/** Return a button that calls a function. */
export function button(words, listener, attributes = {}) {
  return element("button", { type: "button", click: listener, ...attributes }, words);
}

const ICONS = {
  first: "M5 5v14M19 5L8 12l11 7z",
  back: "M17 5L6 12l11 7z",
  play: "M7 5l11 7-11 7z",
  pause: "M8 5v14M16 5v14",
  forward: "M6 5l8 7-8 7zM18 5v14",
  last: "M5 5l11 7-11 7zM19 5v14",
  flip: "M8 20V5M4 9l4-4 4 4M16 4v15M12 15l4 4 4-4",
  theme: "M12 3a9 9 0 1 0 0 18z",
};

/** Return a small drawing for a button, which does not depend on fonts. */
export function icon(name) {
  const path = svgElement("path", { d: ICONS[name] });
  return svgElement("svg", { class: "drawing", viewBox: "0 0 24 24", "aria-hidden": "true" }, path);
}

/** Return a button with a drawing. */
export const iconButton = (name, label, listener, attributes = {}) =>
  button(icon(name), listener, { class: "icon", "aria-label": label, title: label, ...attributes });

/** Set the text of a node, only if it has changed: a live region is then read once. */
export function setText(node, words) {
  if (node.textContent !== words) node.textContent = words;
}

/** Return the disc that stands for a player, with the player's mark on it. */
export function token(seat) {
  const disc = element("span", { class: "token", "aria-hidden": "true" }, seat.mark ?? "");
  disc.style.background = seat.colour;
  disc.style.color = inkOn(seat.colour);
  return disc;
}

/** Return black or white, whichever is easier to read on a colour "#rrggbb". */
export function inkOn(colour) {
  const [red, green, blue] = [1, 3, 5].map((at) => parseInt(colour.slice(at, at + 2), 16));
  return 0.299 * red + 0.587 * green + 0.114 * blue > 140 ? "#000" : "#fff";
}

/** Keep a text in this browser, where that is allowed. */
export function remember(name, text) {
  try {
    localStorage.setItem(`plyground-${name}`, text);
  } catch {
    // It holds for this page only.
  }
}

/** Return a text that was kept in this browser, or "". */
export function remembered(name) {
  try {
    return localStorage.getItem(`plyground-${name}`) ?? "";
  } catch {
    return "";
  }
}

/** Return a name for people: words instead of underscores. */
export const words = (name) => name.replaceAll("_", " ");

/** Return a number with its noun: "1 game", "2 games". */
export const counted = (count, noun) => `${count} ${noun}${count === 1 ? "" : "s"}`;

/** Return the duration of animations in milliseconds: 0 for people who prefer no motion. */
export const motion = () => (matchMedia("(prefers-reduced-motion: reduce)").matches ? 0 : 250);
