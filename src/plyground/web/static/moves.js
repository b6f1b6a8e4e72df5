/** The list of the moves that were played; a click shows the position after a move. */

import { button, element, token } from "./dom.js";

export class Moves {
  /**
   * @param {HTMLElement} host an ordered list
   * @param {(ply: number) => void} picked
   */
  constructor(host, picked) {
    this.host = host;
    this.picked = picked;
    this.buttons = [];
    this.branch = -1;
  }

  /** @param {import("./match.js").Match} match */
  show(match) {
    const { moves, seats } = match.state;
    if (match.branch !== this.branch || this.buttons.length > moves.length) {
      this.host.replaceChildren();
      this.buttons = [];
      this.branch = match.branch;
    }
    for (const move of moves.slice(this.buttons.length)) {
      const made = button("", () => this.picked(move.ply), { title: move.note || null });
      made.append(token(seats[move.seat]), move.text ?? "hidden");
      this.buttons.push(made);
      this.host.append(element("li", {}, made));
    }
    this.mark(match.shown);
  }

  /** Mark the move that led to the shown position, and keep it in sight. */
  mark(ply) {
    this.host.querySelector("[aria-current]")?.removeAttribute("aria-current");
    const current = this.buttons[ply - 1];
    if (!current) return void (this.host.scrollTop = 0);
    current.setAttribute("aria-current", "true");
    const item = current.parentElement;
    const [top, bottom] = [
      item.offsetTop - this.host.offsetTop,
      item.offsetTop - this.host.offsetTop + item.offsetHeight,
    ];
    if (top < this.host.scrollTop) this.host.scrollTop = top;
    else if (bottom > this.host.scrollTop + this.host.clientHeight)
      this.host.scrollTop = bottom - this.host.clientHeight;
  }
}
