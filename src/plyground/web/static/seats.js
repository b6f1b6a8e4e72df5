/** The players of a game with their clocks. */

import { button, element, setText, token } from "./dom.js";

export class Seats {
  /**
   * @param {HTMLElement} host
   * @param {{sit: (seat: number) => void, share: () => void}} actions
   */
  constructor(host, actions) {
    this.host = host;
    this.actions = actions;
    this.clocks = [];
    setInterval(() => this.#tick(), 100);
  }

  /** @param {import("./match.js").Match} match */
  show(match) {
    this.match = match;
    const { seats, turn, over, returns, thinking } = match.state;
    this.clocks = [];
    const items = seats.map((seat, number) => {
      const item = element("li", {
        class: turn === number ? "turn" : "",
        "aria-current": turn === number ? "true" : null,
      });
      const about = element("span", { class: "about" }, describe(seat, thinking === number));
      item.append(token(seat), element("span", { class: "name" }, seatName(seat, number)), about);
      if (seat.kind === "open") item.append(...this.#openSeat(number, match));
      if (over && returns.length > 1) item.append(element("b", {}, score(returns[number])));
      if (match.state.clocks) {
        const clock = element("time", {
          class: "clock",
          role: "timer",
          "aria-label": `clock of ${seatName(seat, number)}`,
        });
        this.clocks[number] = clock;
        item.append(clock);
      }
      return item;
    });
    this.host.replaceChildren(...items);
    this.#tick();
  }

  #openSeat(number, match) {
    const made = [button("Copy the link", this.actions.share)];
    if (match.can("sit")) made.unshift(button("Sit here", () => this.actions.sit(number), { class: "main" }));
    return made;
  }

  #tick() {
    const clocks = this.match?.state.clocks;
    if (!clocks) return;
    const since = (performance.now() - this.match.received) / 1000;
    this.clocks.forEach((node, number) => {
      const runs = clocks.running === number;
      const left = Math.max(0, clocks.left[number] - (runs ? since : 0));
      setText(node, clockWords(left));
      node.classList.toggle("runs", runs);
      node.classList.toggle("low", left < 10);
    });
  }
}

/** Return the name of a seat's player. */
export function seatName(seat, number) {
  if (seat.kind === "open") return `player ${number + 1}`;
  return seat.name || (seat.yours ? "you" : `player ${number + 1}`);
}

function describe(seat, thinks) {
  if (seat.kind === "open") return "waiting for a player";
  if (thinks) return "thinking …";
  if (seat.kind === "agent") {
    const level = `level ${seat.level}`;
    return seat.level && level !== seat.name ? `agent, ${level}` : "agent";
  }
  if (seat.yours) return seat.name ? "you" : "";
  return seat.online ? "" : "away";
}

const score = (value) => (value > 0 ? `+${+value.toFixed(2)}` : `${+value.toFixed(2)}`);

/** Return seconds as a clock shows them; the last ten with tenths. */
export function clockWords(seconds) {
  const whole = Math.floor(seconds);
  const [hours, minutes, rest] = [Math.floor(whole / 3600), Math.floor((whole % 3600) / 60), whole % 60];
  const two = (number) => String(number).padStart(2, "0");
  if (hours) return `${hours}:${two(minutes)}:${two(rest)}`;
  return `${minutes}:${two(rest)}${seconds < 10 ? `.${Math.floor((seconds % 1) * 10)}` : ""}`;
}
