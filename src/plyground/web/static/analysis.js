/**
 * What agents think of the shown position. Everything here belongs to one position: it disappears
 * as soon as another one is shown, and answers for another one are dropped.
 */

import { button, element, setText } from "./dom.js";
import { lineMarks, overlayMarks, policyMarks } from "./marks.js";
import { seatName } from "./seats.js";
import { note } from "./shell.js";

const SOURCES = { search: "Search", solver: "Exact solver", network: "Network" };
const PATIENCE = 120; // milliseconds that a position must stay before it is analysed
const SECONDS = 20;

export class Analysis {
  /**
   * @param {HTMLElement} host
   * @param {import("./board.js").Board} board
   * @param {import("./match.js").Match} match
   * @param {(message: Object) => string} send
   */
  constructor(host, board, match, send) {
    Object.assign(this, { board, match, send, on: false, key: "", requests: {} });
    this.#clear();
    this.toggle = button("Analyse", () => this.switch(), { "aria-pressed": "false", class: "wide" });
    this.source = element("select", { "aria-label": "What analyses", change: () => this.#ask() });
    this.verdict = element("p", { class: "verdict" });
    this.line = element("p", { class: "line" });
    this.candidates = element("table", { class: "candidates" });
    this.arrows = checkbox("arrows", true, () => this.draw());
    this.heat = checkbox("heat map", true, () => this.draw());
    this.overlays = element("span");
    this.bar = element("div", { class: "bar", role: "img", hidden: true }, element("i"), element("b"));
    this.results = element("div", { hidden: true }, this.verdict, this.line, this.candidates);
    host.append(
      element("div", { class: "row" }, this.toggle, this.source),
      element("div", { class: "row small" }, this.arrows.label, this.heat.label, this.overlays),
      this.results,
    );
    host.closest("section").hidden = false;
    this.host = host;
  }

  /** Switch the analysis on or off. */
  switch() {
    if (!this.on && !this.match.can("analyse")) return;
    this.on = !this.on;
    this.toggle.setAttribute("aria-pressed", String(this.on));
    if (this.on) this.#ask();
    else {
      this.send({ type: "stop" });
      this.#clear();
    }
    this.draw();
  }

  /** Follow the board: drop what belongs to another position, and analyse the new one. */
  follow() {
    const { state } = this.match;
    if (!this.source.children.length) this.#offer(state.game);
    this.host.closest("section").hidden = !(
      this.match.can("analyse") ||
      this.on ||
      state.game.overlays.length
    );
    this.toggle.disabled = !this.on && !this.match.can("analyse");
    const key = this.#position();
    if (key === this.key) return;
    this.key = key;
    this.#clear();
    this.draw();
    clearTimeout(this.timer);
    this.timer = setTimeout(() => this.#ask(), PATIENCE);
  }

  /** Take in an answer; one that does not belong to the shown position is dropped. */
  receive(message) {
    const asked = this.requests[message.type];
    const belongs =
      message.ply === this.match.shown && asked?.key === this.key && asked.request === message.request;
    if (message.type === "thinking") return this.#watch(message);
    if (!belongs || message.version < this.match.branchVersion) return undefined;
    if (message.type === "analysis" && message.thought) this.thought = message.thought;
    if (message.type === "hint") this.#showHint(message.thought);
    if (message.type === "overlay") this.cells = message.cells;
    return this.draw();
  }

  /** Ask again, after the connection was lost. */
  resume() {
    if (this.key) this.#ask();
  }

  /** Ask for a hint. */
  askHint() {
    this.#request("hint", { type: "hint" });
  }

  /** Draw what is known of the shown position. */
  draw() {
    const { board, match, thought, hint } = this;
    const { seats, players } = { seats: match.state.seats, players: match.state.game.players };
    const marks = [];
    if (this.cells) marks.push(...overlayMarks(board.frame, this.cells, seats));
    if (thought && this.heat.box.checked) marks.push(...policyMarks(board.frame, thought.policy));
    if (thought && this.arrows.box.checked) marks.push(...lineMarks(board.frame, thought.line, seats));
    if (hint) marks.push(...lineMarks(board.frame, hint.line.slice(0, 1), seats));
    board.marks.replaceChildren(...marks);
    this.results.hidden = this.arrows.label.hidden = this.heat.label.hidden = !this.on;
    this.bar.hidden = !this.on;
    setText(this.verdict, thought ? summary(thought, seats) : hint ? `Hint: ${hint.text}` : "…");
    setText(this.line, thought ? thought.line.map(({ text }) => text).join("  ") : "");
    this.candidates.replaceChildren(...(thought ? candidateRows(thought) : []));
    this.#drawBar(thought, seats, players);
  }

  #drawBar(thought, seats, players) {
    const [fill, label] = this.bar.children;
    const against = players === 2 && thought?.seat === 1;
    const value = thought?.value == null ? null : against ? -thought.value : thought.value;
    const seat = seats[players === 2 ? 0 : (thought?.seat ?? 0)];
    const other = players === 2 ? seats[1].colour : "";
    fill.style.height = `${50 + 50 * (value ?? 0)}%`;
    fill.style.background = seat.colour;
    this.bar.style.background = other;
    this.bar.classList.toggle("flipped", this.board.flipped);
    setText(label, value === null ? "" : signed(value));
    this.bar.setAttribute(
      "aria-label",
      value === null ? "no evaluation yet" : `evaluation for ${seat.name || "player 1"}: ${signed(value)}`,
    );
  }

  #offer(game) {
    this.source.append(
      ...game.sources.map((name) => element("option", { value: name }, SOURCES[name] ?? name)),
    );
    this.source.hidden = game.sources.length < 2;
    this.shownOverlays = game.overlays.map((name) => {
      const made = checkbox(name, false, () => {
        for (const other of this.shownOverlays) if (other !== made) other.box.checked = false;
        this.cells = null;
        this.draw();
        this.#askOverlay();
      });
      made.name = name;
      return made;
    });
    this.overlays.replaceChildren(...this.shownOverlays.map(({ label }) => label));
  }

  #ask() {
    this.#askOverlay();
    if (!this.on) return;
    this.thought = null;
    this.draw();
    const { shown } = this.match;
    this.#request("analysis", {
      type: "analyse",
      ply: shown,
      source: this.source.value || "search",
      seconds: SECONDS,
    });
  }

  #askOverlay() {
    const chosen = this.shownOverlays?.find(({ box }) => box.checked);
    if (chosen) this.#request("overlay", { type: "overlay", ply: this.match.shown, name: chosen.name });
  }

  #request(answer, message) {
    this.requests[answer] = { key: this.key, request: this.send(message) };
  }

  #showHint(thought) {
    const { action, text, clicks, line } = thought;
    this.hint = { text, line: line.length ? line : [{ action, text, clicks, seat: thought.seat }] };
    note(`Hint: ${text}${thought.proof ? `, ${thought.proof.text}` : ""}`);
  }

  #watch({ version, seat, thought }) {
    if (!thought || !this.on || !this.match.isLive || version !== this.match.state.version) return;
    if (this.match.state.turn !== seat || this.thought) return;
    this.thought = thought;
    this.draw();
    this.thought = null; // the page's own analysis comes first
  }

  #clear() {
    this.thought = this.hint = this.cells = null;
    this.requests = {};
  }

  #position() {
    return `${this.match.branch} ${this.match.shown}`;
  }
}

/** Return a number with its sign and two digits; there is no "−0.00". */
export const signed = (value) => `${value <= -0.005 ? "−" : "+"}${Math.abs(value).toFixed(2)}`;

function summary(thought, seats) {
  const { value, depth, nodes, simulations, proof, note, seat } = thought;
  const parts = [proof?.text ?? (value == null ? "" : `${signed(value)} for ${seatName(seats[seat], seat)}`)];
  if (!proof && note) parts.push(note);
  if (depth) parts.push(`depth ${depth}`);
  if (nodes) parts.push(`${short(nodes)} nodes`);
  if (simulations) parts.push(`${short(simulations)} simulations`);
  return parts.filter(Boolean).join(" · ");
}

const short = (number) =>
  Intl.NumberFormat("en", { notation: "compact", maximumFractionDigits: 1 }).format(number);

function candidateRows({ values, policy }) {
  const exact = values.map(({ text, verdict, value }) => [text, verdict || signed(value), null]);
  const shares = policy.slice(0, 8).map(({ text, share }) => [text, `${Math.round(100 * share)} %`, share]);
  return (exact.length ? exact : shares).map(([text, words, share]) => {
    const cell = element("td", {}, words);
    if (share !== null) cell.style.setProperty("--share", `${100 * share}%`);
    return element("tr", {}, element("th", { scope: "row" }, text), cell);
  });
}

function checkbox(words, checked, changed) {
  const box = element("input", { type: "checkbox", checked, change: changed });
  return { box, label: element("label", {}, box, ` ${words}`) };
}
