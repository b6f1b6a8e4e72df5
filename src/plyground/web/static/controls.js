/** The buttons of a game: what one can ask of the server now, and stepping through the moves. */

import { button, element, icon, iconButton, setText } from "./dom.js";

const SPEEDS = [
  [0, "fastest"],
  [0.25, "fast"],
  [0.7, "normal"],
  [2, "slow"],
  [5, "slowest"],
];
const REMEMBER = 4000; // milliseconds in which a resignation has to be confirmed

/** Undo, hint, resign, rematch: each is there when it would be accepted. */
export class Controls {
  constructor(host, match, actions) {
    Object.assign(this, { host, match });
    this.resign = button("Resign", () => this.#resign(actions.resign));
    this.buttons = {
      undo: button("Take back", actions.undo),
      hint: button("Hint", actions.hint),
      resign: this.resign,
      rematch: button("Rematch", actions.rematch, { class: "main" }),
    };
    this.proposal = element("p", { class: "proposal", hidden: true });
    host.append(...Object.values(this.buttons), this.proposal);
  }

  show() {
    const { state } = this.match;
    for (const [name, node] of Object.entries(this.buttons)) node.hidden = !this.match.can(name);
    this.host.hidden = !Object.values(this.buttons).some((node) => !node.hidden);
    const asking = (state.proposal?.undo ?? []).filter((seat) => !state.seats[seat].yours);
    this.proposal.hidden = !asking.length;
    const names = asking.map((seat) => state.seats[seat].name || `player ${seat + 1}`).join(", ");
    setText(
      this.proposal,
      asking.length ? `${names} would like to take back a move: press “Take back” to agree.` : "",
    );
  }

  #resign(resign) {
    if (this.resign.dataset.sure) {
      this.#forget();
      resign();
      return;
    }
    this.resign.dataset.sure = "true";
    this.resign.textContent = "Really resign?";
    setTimeout(() => this.#forget(), REMEMBER);
  }

  #forget() {
    delete this.resign.dataset.sure;
    this.resign.textContent = "Resign";
  }
}

/** Stepping through the moves, playing them, and the speed of agents that are watched. */
export class Steps {
  /**
   * @param {HTMLElement} host
   * @param {import("./match.js").Match} match
   * @param {{go: (ply: number) => void, flip: () => void, pace: (settings: Object) => void}} actions
   */
  constructor(host, match, actions) {
    Object.assign(this, { match, actions, timer: null });
    const step = (name, label, target) => iconButton(name, label, () => this.to(target()));
    this.flip = iconButton("flip", "flip the board (f)", actions.flip);
    this.run = iconButton("play", "play (space)", () => this.toggle());
    this.slider = element("input", {
      type: "range",
      min: 0,
      "aria-label": "ply",
      input: () => this.to(Number(this.slider.value)),
    });
    this.speed = element("select", { "aria-label": "Speed", change: () => this.#setSpeed() });
    this.speed.append(
      ...SPEEDS.map(([seconds, name]) =>
        element("option", { value: seconds, selected: seconds === 0.7 }, name),
      ),
    );
    host.append(
      step("first", "first position (up)", () => 0),
      step("back", "back (left)", () => match.shown - 1),
      this.run,
      iconButton("forward", "forward (right)", () => this.forward()),
      step("last", "last position (down)", () => match.last),
      this.slider,
      this.speed,
      this.flip,
    );
  }

  show() {
    const { match } = this;
    this.flip.hidden = !match.state.turnable;
    this.slider.max = match.last;
    this.slider.value = match.shown;
    const runs = this.#isWatched() ? !match.state.pace.paused : this.timer !== null;
    const label = runs ? "pause (space)" : "play (space)";
    if (this.run.title !== label) this.run.replaceChildren(icon(runs ? "pause" : "play"));
    this.run.title = label;
    this.run.setAttribute("aria-label", label);
    this.run.disabled = !this.#isWatched() && match.last === 0;
  }

  /** Show another ply, and stop playing. */
  to(ply) {
    this.#stop();
    this.actions.go(ply);
  }

  /** Show the next ply; while agents are paused at the last one, let them play one move. */
  forward() {
    const watched = this.#isWatched();
    if (watched && this.match.isLive && this.match.state.pace.paused)
      this.actions.pace({ paused: true, step: true });
    else this.to(this.match.shown + 1);
  }

  /** Play or pause: agents that are watched, else the moves that were played. */
  toggle() {
    if (this.#isWatched()) this.actions.pace({ paused: !this.match.state.pace.paused });
    else if (this.timer !== null) this.#stop();
    else {
      if (this.match.isLive) this.actions.go(0);
      this.#start();
    }
    this.show();
  }

  /** The chosen speed in seconds per move. */
  get seconds() {
    return Number(this.speed.value);
  }

  #isWatched() {
    return this.match.can("pace") && this.match.isLive;
  }

  #setSpeed() {
    if (this.match.can("pace")) this.actions.pace({});
    if (this.timer !== null) this.#start();
  }

  #start() {
    clearInterval(this.timer);
    this.timer = setInterval(
      () => {
        this.actions.go(this.match.shown + 1);
        if (this.match.isLive) this.#stop();
      },
      Math.max(60, 1000 * this.seconds),
    );
  }

  #stop() {
    clearInterval(this.timer);
    this.timer = null;
    this.show();
  }
}
