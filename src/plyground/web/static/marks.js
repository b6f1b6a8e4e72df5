/** Marks over the picture: arrows of a line of play, shares of a policy, values of cells. */

import { inkOn, svgElement } from "./dom.js";
import { areaOf } from "./frames.js";

const SHOWN = 4; // moves of a line that are drawn

/** Return arrows for the first moves of a line; a move on one cell is a ring. */
export function lineMarks(frame, line, seats) {
  const used = new Map();
  return line.slice(0, SHOWN).flatMap(({ clicks, seat }, index) => {
    const cells = (clicks ?? []).filter((click) => typeof click === "number");
    const areas = cells.map((cell) => areaOf(frame, cell));
    if (!areas.length || areas.includes(undefined)) return [];
    const again = used.get(cells.at(-1)) ?? 0;
    used.set(cells.at(-1), again + 1);
    const [from, to] = [areas[0].middle, spot(areas.at(-1), again)];
    const group = svgElement("g", { class: "line", opacity: 1 - index * 0.2 });
    const colour = seats[seat]?.colour ?? "#1b6ac9";
    group.style.setProperty("--colour", colour);
    group.style.setProperty("--casing", inkOn(colour)); // to be seen on any board and piece
    if (cells[0] !== cells.at(-1)) group.append(...arrow(from, to));
    else group.append(svgElement("circle", { cx: to[0], cy: to[1], r: 0.4, class: "ring" }));
    group.append(...numbered(to, index + 1));
    return [group];
  });
}

/** Return tinted cells for the shares of a policy: the likelier the move, the darker. */
export function policyMarks(frame, policy) {
  const shares = new Map();
  for (const { clicks, share } of policy) {
    const cell = (clicks ?? []).findLast((click) => typeof click === "number");
    if (cell !== undefined) shares.set(cell, (shares.get(cell) ?? 0) + share);
  }
  return [...shares].flatMap(([cell, share]) => tinted(frame, cell, "heat", "", 0.08 + 0.22 * share));
}

/** Return cells in the players' colours, as an overlay of the game gives them. */
export function overlayMarks(frame, cells, seats) {
  return cells.flatMap(([cell, seat, strength]) =>
    tinted(frame, cell, "overlay", seats[seat]?.colour ?? "#888888", 0.1 + 0.4 * strength),
  );
}

function tinted(frame, cell, name, colour, opacity) {
  const area = areaOf(frame, cell);
  if (!area) return [];
  const { x, y, width, height } = area;
  const made = svgElement("rect", { x, y, width, height, rx: 0.12, class: name, opacity });
  if (colour) made.setAttribute("fill", colour);
  return [made];
}

/** Return where a move is marked: the middle of a cell, or from the top down in a long one. */
function spot(area, again) {
  if (area.height < 2 * area.width) return area.middle;
  return [area.middle[0], area.y + area.width * (0.7 + again)];
}

function arrow([x1, y1], [x2, y2]) {
  const length = Math.hypot(x2 - x1, y2 - y1) || 1;
  const [across, down] = [(x2 - x1) / length, (y2 - y1) / length];
  const neck = [x2 - 0.42 * across, y2 - 0.42 * down];
  const head = [
    [x2, y2],
    [neck[0] - 0.24 * down, neck[1] + 0.24 * across],
    [neck[0] + 0.24 * down, neck[1] - 0.24 * across],
  ];
  return [
    svgElement("line", { x1, y1, x2: neck[0], y2: neck[1], class: "casing" }),
    svgElement("line", { x1, y1, x2: neck[0], y2: neck[1] }),
    svgElement("polygon", { points: head.map((point) => point.join(",")).join(" ") }),
  ];
}

function numbered([x, y], number) {
  const label = svgElement("text", {
    x,
    y,
    "font-size": 0.3,
    "text-anchor": "middle",
    "dominant-baseline": "central",
  });
  label.textContent = number;
  return [svgElement("circle", { cx: x, cy: y, r: 0.21, class: "number" }), label];
}
