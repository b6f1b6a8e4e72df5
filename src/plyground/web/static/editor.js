/**
 * An editor for positions whose text begins with rows joined by "/". A position is painted symbol by
 * symbol; what the symbols mean is the game's own business, and the server checks the result.
 */

import { button, element } from "./dom.js";

/** Return the symbols of a text's rows, with runs of empty cells written out, or null. */
export function rowsOf(text) {
  const [board] = text.trim().split(/\s/, 1);
  if (!board.includes("/")) return null;
  const rows = board.split("/");
  const areEqual = (lines) => lines.every((line) => line.length === lines[0].length);
  // A number is a run of empty cells, unless that makes rows of different lengths: then it is a cell.
  const written = rows.map((row) => [...row.replace(/\d+/g, (run) => ".".repeat(Math.min(99, Number(run))))]);
  if (areEqual(written)) return written;
  const plain = rows.map((row) => [...row]);
  return areEqual(plain) ? plain : null;
}

export class Editor {
  /** @param {(text: string) => void} changed called with the text after every change */
  constructor(changed) {
    this.changed = changed;
    this.palette = element("div", { class: "palette", role: "group", "aria-label": "Symbols" });
    this.lattice = element("div", { class: "lattice", role: "group", "aria-label": "Cells" });
    this.other = element("input", {
      "aria-label": "another symbol",
      maxlength: 1,
      size: 2,
      title: "another symbol",
      input: () => this.#choose(this.other.value),
    });
    this.node = element("details", {}, element("summary", {}, "Paint the board"), this.palette, this.lattice);
    this.offer([]);
  }

  /** Offer the symbols of a game, as they occur in texts of its positions. */
  offer(texts) {
    this.symbols = new Set([".", ...texts.flatMap((text) => rowsOf(text) ?? []).flat()]);
    this.chosen = [...this.symbols][1] ?? ".";
  }

  /** Show a position's text; the editor is hidden for texts that have no rows. */
  show(text) {
    const rows = rowsOf(text);
    this.node.hidden = !rows;
    if (!rows) return;
    this.rows = rows;
    this.rest = text.trim().slice(text.trim().split(/\s/, 1)[0].length);
    for (const row of rows) for (const symbol of row) this.symbols.add(symbol);
    this.#showPalette();
    this.lattice.replaceChildren(
      ...rows.map((row, y) =>
        element(
          "div",
          {},
          ...row.map((symbol, x) =>
            button(symbol === "." ? "" : symbol, () => this.#paint(x, y), {
              "aria-label": `row ${y + 1}, column ${x + 1}: ${symbol}`,
            }),
          ),
        ),
      ),
    );
  }

  #showPalette() {
    this.palette.replaceChildren(
      ...[...this.symbols]
        .sort()
        .map((symbol) =>
          button(symbol, () => this.#choose(symbol), { "aria-pressed": String(symbol === this.chosen) }),
        ),
      this.other,
    );
  }

  #choose(symbol) {
    if (!symbol.trim() || symbol === "/") return;
    this.chosen = symbol;
    if (this.other.value !== symbol) this.other.value = "";
    for (const node of this.palette.querySelectorAll("button"))
      node.setAttribute("aria-pressed", String(node.textContent === symbol));
  }

  #paint(x, y) {
    this.rows[y][x] = this.chosen;
    const text = this.rows.map((row) => row.join("")).join("/") + this.rest;
    this.show(text); // at once, also while the position cannot be played yet
    this.changed(text);
  }
}
