/**
 * The board: a picture whose shapes keep their nodes from frame to frame, so that the browser can
 * animate them, and a table of buttons over it, one for each cell.
 */

import { element, motion, svgElement } from "./dom.js";
import { areaOf, isPiece, piecesByCell, piecesOn } from "./frames.js";

export class Board {
  /** @param {HTMLElement} host an empty element that the board fills */
  constructor(host) {
    this.shapes = svgElement("g");
    this.leaving = svgElement("g");
    this.marks = svgElement("g", { class: "marks" });
    this.picture = svgElement("svg", { "aria-hidden": "true" }, this.shapes, this.leaving, this.marks);
    this.table = element("div", { class: "cells", role: "grid", "aria-label": "Board" });
    this.turned = element("div", { class: "turned" }, this.picture, this.table);
    host.classList.add("board");
    host.append(this.turned);
    /** @type {Map<string, SVGGElement>} nodes of the shapes by id */
    this.nodes = new Map();
    /** @type {Map<number, HTMLButtonElement>} buttons of the cells by number */
    this.cells = new Map();
    /** @type {import("./frames.js").Frame} */
    this.frame = { box: [1, 1], areas: [], shapes: [] };
    this.flipped = false;
  }

  /**
   * Show a frame.
   * @param {import("./frames.js").Frame} frame
   * @param {{animate?: boolean, clicks?: Array}} how `clicks` are those of the move that led here:
   *   new pieces come from where it began
   */
  show(frame, { animate = true, clicks = [] } = {}) {
    const before = this.frame;
    this.frame = frame;
    if (!isLaidOutAs(frame, before)) this.#layOut();
    this.turned.classList.toggle("still", !animate);
    this.#draw(animate && motion() > 0, clicks);
    this.#describe();
  }

  /** Turn the board round, or back. */
  flip() {
    this.flipped = !this.flipped;
    this.turned.classList.toggle("flipped", this.flipped);
  }

  /** Return the cell at a point of the window, or null. */
  cellAt(x, y) {
    const found = document.elementsFromPoint(x, y).find((node) => node.dataset?.cell);
    return found && this.table.contains(found) ? Number(found.dataset.cell) : null;
  }

  /** Show the pieces of a cell moved by some pixels, while they are dragged. */
  drag(ids, pixelsX, pixelsY) {
    const scale = (this.frame.box[0] / this.picture.clientWidth) * (this.flipped ? -1 : 1);
    for (const shape of this.frame.shapes) {
      const node = this.nodes.get(shape.id);
      const dragged = ids.includes(shape.id);
      node.classList.toggle("dragged", dragged);
      if (dragged) place(node, shape.x + pixelsX * scale, shape.y + pixelsY * scale);
    }
  }

  /** Put dragged pieces back. */
  drop() {
    for (const shape of this.frame.shapes) {
      const node = this.nodes.get(shape.id);
      if (!node.classList.contains("dragged")) continue;
      node.classList.remove("dragged");
      place(node, shape.x, shape.y);
    }
  }

  #draw(animate, clicks) {
    const wanted = new Set(this.frame.shapes.map(({ id }) => id));
    for (const [id, node] of this.nodes) {
      if (wanted.has(id)) continue;
      this.nodes.delete(id);
      if (animate && !id.startsWith("-")) this.#burst(node);
      else node.remove();
    }
    let next = null;
    for (const shape of this.frame.shapes.toReversed()) {
      const node = this.nodes.get(shape.id) ?? this.#add(shape, animate, clicks);
      if (node.parentNode !== this.shapes || node.nextSibling !== next) this.shapes.insertBefore(node, next);
      next = node;
    }
    if (animate) this.picture.getBoundingClientRect(); // new and reordered nodes: begin from where they are
    for (const shape of this.frame.shapes) {
      const node = this.nodes.get(shape.id);
      if (node.source !== shape.svg) {
        node.innerHTML = shape.svg;
        node.source = shape.svg;
      }
      node.classList.remove("dragged");
      place(node, shape.x, shape.y);
    }
  }

  #add(shape, animate, clicks) {
    const node = svgElement("g", { "data-id": shape.id, class: isPiece(shape) ? "piece" : "" });
    node.innerHTML = shape.svg; // made by the server from the game's drawing; its text is escaped
    node.source = shape.svg;
    const [x, y] = (animate && isPiece(shape) && this.#origin(shape, clicks)) || [shape.x, shape.y];
    place(node, x, y);
    if (animate && isPiece(shape)) node.animate([{ opacity: 0 }, { opacity: 1 }], { duration: motion() / 2 });
    this.nodes.set(shape.id, node);
    return node;
  }

  /** Return where a new piece comes from: the move's first cell, or the upper end of a long cell. */
  #origin(shape, clicks) {
    const cells = clicks.filter((click) => typeof click === "number");
    const [from, to] = [areaOf(this.frame, cells[0]), areaOf(this.frame, cells.at(-1))];
    if (!from || !piecesOn(this.frame, cells.at(-1)).some(({ id }) => id === shape.id)) return null;
    if (from.height > 2 * from.width) return [shape.x, from.y];
    return [0, 1].map((axis) => [shape.x, shape.y][axis] + from.middle[axis] - to.middle[axis]);
  }

  #burst(node) {
    this.leaving.append(node);
    const inner = [...node.children];
    const away = [
      { opacity: 1, transform: "none" },
      { opacity: 0, transform: "scale(1.8)" },
    ];
    const all = inner.map((child) =>
      child.animate(away, { duration: motion(), easing: "ease-out", fill: "forwards" }),
    );
    Promise.allSettled(all.map(({ finished }) => finished)).then(() => node.remove());
  }

  /** Lay the cells' buttons over the picture, in rows as they are read. */
  #layOut() {
    const [width, height] = this.frame.box;
    this.picture.setAttribute("viewBox", `0 0 ${width} ${height}`);
    this.turned.style.aspectRatio = `${width} / ${height}`;
    this.turned.parentElement.style.setProperty("--shape", width / height);
    this.cells.clear();
    const rows = Map.groupBy(this.frame.areas, (area) => area[2]);
    const lines = [...rows]
      .sort(([one], [other]) => one - other)
      .map(([, areas], row) => {
        const cells = areas
          .sort((one, other) => one[1] - other[1])
          .map(([cell, x, y, wide, high], column) => {
            const place = rows.size > 1 ? `row ${row + 1}, column ${column + 1}` : `column ${column + 1}`;
            const made = element("button", { type: "button", "data-cell": cell, tabindex: -1 });
            made.place = place;
            Object.assign(made.style, {
              left: `${(100 * x) / width}%`,
              top: `${(100 * y) / height}%`,
              width: `${(100 * wide) / width}%`,
              height: `${(100 * high) / height}%`,
            });
            made.classList.toggle("long", high > 2 * wide);
            this.cells.set(cell, made);
            return element("span", { role: "gridcell" }, made);
          });
        return element("div", { role: "row" }, ...cells);
      });
    this.table.replaceChildren(...lines);
    this.table.hidden = !lines.length;
    const first = this.cells.values().next().value;
    if (first) first.tabIndex = 0;
  }

  /** Name each cell for screen-readers: its place and what stands on it. */
  #describe() {
    const pieces = piecesByCell(this.frame);
    for (const [cell, made] of this.cells) {
      const names = (pieces.get(cell) ?? []).map(({ id }) => this.nodes.get(id).textContent || id);
      const label = `${made.place}: ${names.join(" ") || "empty"}`;
      if (made.getAttribute("aria-label") !== label) made.setAttribute("aria-label", label);
    }
  }
}

/** Return whether the cells of two frames lie at the same places. */
function isLaidOutAs(one, other) {
  const isSame = (name) => one[name] === other[name] || String(one[name]) === String(other[name]);
  return isSame("box") && isSame("areas");
}

function place(node, x, y) {
  const transform = `translate(${x}px, ${y}px)`;
  if (node.placed !== transform) node.style.transform = node.placed = transform;
}
