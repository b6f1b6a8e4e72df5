/** The evaluation of every position of a game as a curve; a click shows that position. */

import { button, element, setText } from "./dom.js";
import { Chart } from "./chart.js";
import { seatName } from "./seats.js";

export class Graph {
  /**
   * @param {HTMLElement} host
   * @param {import("./match.js").Match} match
   * @param {(message: Object) => string} send
   * @param {(ply: number) => void} picked
   */
  constructor(host, match, send, picked) {
    Object.assign(this, { host, match, send, request: null, branch: -1, values: new Map() });
    this.title = element("h2");
    this.ask = button("Evaluate all moves", () => {
      this.values.clear();
      this.request = this.send({ type: "graph" });
    });
    host.append(element("div", { class: "row" }, this.title, this.ask));
    this.chart = new Chart(host, { label: "Evaluation by ply", height: 120, range: [-1, 1], picked });
  }

  /** Follow the game and the shown ply. */
  follow() {
    const { match } = this;
    if (match.branch !== this.branch) {
      this.branch = match.branch;
      this.request = null;
      this.values.clear();
    }
    this.ask.hidden = !match.can("analyse") || match.last === 0;
    const series = this.#series();
    const isEmpty = series.every(({ points }) => !points.length);
    this.host.hidden = this.ask.hidden && isEmpty;
    this.chart.hide(isEmpty);
    const first = seatName(match.state.seats[0], 0);
    setText(this.title, match.state.game.players === 2 ? `Evaluation for ${first}` : "Evaluation");
    this.chart.show(series, { last: match.last, cursor: match.shown });
  }

  /** Take in one evaluation of the graph that was asked for. */
  receive({ request, version, ply, seat, value }) {
    if (request !== this.request || version < this.match.branchVersion || value == null) return;
    this.values.set(ply, { seat, value });
    this.follow();
  }

  #series() {
    const { seats, moves, game } = this.match.state;
    const view = (seat, value) => (game.players === 2 && seat === 1 ? -value : value);
    if (this.values.size) {
      const points = [...this.values].sort(([one], [other]) => one - other);
      return [
        {
          name: "analysis",
          colour: "#1b6ac9",
          points: points.map(([ply, { seat, value }]) => [ply, view(seat, value)]),
        },
      ];
    }
    return seats.map((seat, number) => ({
      name: seatName(seat, number),
      colour: seat.colour,
      points: moves
        .filter((move) => move.seat === number && move.value != null)
        .map((move) => [move.ply, view(number, move.value)]),
    }));
  }
}
