/** What all pages share: the header, the theme, short notes, and words for screen-readers. */

import { byId, element, iconButton, remember, setText } from "./dom.js";

const PLACES = [
  ["/", "Play"],
  ["/analyse", "Analyse"],
  ["/arena", "Arena"],
  ["/learn", "Learn"],
  ["/api", "API"],
];

/** Add the header, the banner and the live region to the page. */
export function openShell() {
  const here = location.pathname;
  const links = PLACES.map(([address, name]) => {
    const current = address === "/" ? here === "/" || here.startsWith("/game/") : here.startsWith(address);
    return element("a", { href: address, "aria-current": current ? "page" : null }, name);
  });
  const header = element(
    "header",
    { class: "top" },
    element("a", { href: "/", class: "brand", "aria-label": "Plyground, home" }, ...brand()),
    element("nav", { "aria-label": "Site" }, ...links),
    iconButton("theme", "Dark or light", toggleTheme, { id: "theme" }),
  );
  document.body.prepend(
    element("a", { href: "#main", class: "skip" }, "Skip to the content"),
    header,
    element("p", { id: "banner", role: "alert", hidden: true }),
  );
  document.body.append(
    element("div", { id: "live", class: "unseen", "aria-live": "polite" }),
    element("div", { id: "notes", role: "status" }),
  );
}

function brand() {
  return [element("span", { class: "mark", "aria-hidden": "true" }), element("span", {}, "Plyground")];
}

function toggleTheme() {
  const root = document.documentElement;
  const chosen =
    root.dataset.theme ?? (matchMedia("(prefers-color-scheme: dark)").matches ? "dark" : "light");
  root.dataset.theme = chosen === "dark" ? "light" : "dark";
  remember("theme", root.dataset.theme);
}

/** Show a line below the header until it is replaced; "" hides it. */
export function setBanner(words) {
  const banner = byId("banner");
  setText(banner, words);
  banner.hidden = !words;
}

/** Have a screen-reader say something. */
export const announce = (words) => setText(byId("live"), words);

/** Show a short note for a few seconds. */
export function note(words) {
  const line = element("p", {}, words);
  byId("notes").append(line);
  setTimeout(() => line.remove(), 5000);
}

/** Return a function that runs some work and shows its error as a note. */
export const noting =
  (work) =>
  async (...values) => {
    try {
      return await work(...values);
    } catch (error) {
      note(error.message);
      return undefined;
    }
  };

/** Copy a text, or show it where the browser does not allow copying. */
export async function copy(text) {
  try {
    await navigator.clipboard.writeText(text);
    note("The link is copied.");
  } catch {
    window.prompt("Copy this link:", text);
  }
}
