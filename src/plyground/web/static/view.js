/** The view of one game: board, players, moves, and what one can do. Replays use it without a server. */

import { Analysis } from "./analysis.js";
import { Board } from "./board.js";
import { Controls, Steps } from "./controls.js";
import { counted, element, remembered, setText, words } from "./dom.js";
import { Graph } from "./graph.js";
import { listenToKeys } from "./keys.js";
import { Legal } from "./legal.js";
import { Match } from "./match.js";
import { Moves } from "./moves.js";
import { Entry } from "./entry.js";
import { listen } from "./pointer.js";
import { Seats, seatName } from "./seats.js";
import { Share } from "./share.js";
import { announce, copy, note } from "./shell.js";

const MOST_PREVIEWS = 32; // in one request

export class GameView {
  /**
   * @param {HTMLElement} main
   * @param {(message: Object) => string} send sends a request and returns its name
   */
  constructor(main, send) {
    this.send = send;
    this.match = new Match((what) => this.#changed(what));
    const [host, bar, steps, seats, buttons, moves] = ["div", "div", "nav", "ol", "div", "ol"].map((tag) =>
      element(tag),
    );
    const [legal, panel, graph, share] = ["div", "div", "section", "div"].map((tag) => element(tag));
    const table = element("div", { class: "table" }, bar, host);
    this.title = element("h1");
    this.status = element("p", { class: "status", role: "status" });
    const named = (node, name, label) => {
      node.className = name;
      if (label) node.setAttribute("aria-label", label);
      return node;
    };
    main.append(
      element(
        "section",
        { class: "stage", "aria-label": "Board" },
        table,
        this.status,
        named(steps, "steps", "Moves"),
      ),
      element(
        "aside",
        { class: "side" },
        this.title,
        named(seats, "seats", "Players"),
        named(buttons, "row"),
        legal,
        named(moves, "moves", "Moves played"),
        named(graph, "graph", "Evaluation of the game"),
        element("section", { "aria-label": "Analysis" }, panel),
        share,
      ),
    );
    this.board = new Board(host);
    this.entry = new Entry(
      () => this.#showEntry(),
      (action) => this.play(action),
    );
    this.hovered = null;
    /** Actions of the present position whose previews were asked for. */
    this.asked = new Set();
    listen(this.board, this.entry, (cell) => {
      this.hovered = cell;
      this.#askPreviews(this.entry.next().get(cell) ?? []);
      this.#warn();
    });
    this.seats = new Seats(seats, { sit: (seat) => this.#sit(seat), share: () => copy(location.href) });
    this.controls = new Controls(buttons, this.match, {
      undo: () => this.send({ type: "undo", ply: this.match.last }),
      hint: () => this.analysis.askHint(),
      resign: () => this.send({ type: "resign" }),
      rematch: () => this.send({ type: "rematch" }),
    });
    this.steps = new Steps(steps, this.match, {
      go: (ply) => this.go(ply),
      flip: () => this.flip(),
      pace: (settings) =>
        this.send({
          type: "pace",
          seconds: this.steps.seconds,
          paused: this.match.state.pace?.paused ?? false,
          ...settings,
        }),
    });
    this.legal = new Legal(
      legal,
      table,
      this.match,
      this.entry,
      (text) => this.#type(text),
      (action) => this.play(action),
    );
    this.moves = new Moves(moves, (ply) => this.steps.to(ply));
    this.graph = new Graph(graph, this.match, send, (ply) => this.steps.to(ply));
    this.analysis = new Analysis(panel, this.board, this.match, send);
    bar.replaceWith(this.analysis.bar);
    this.share = new Share(share, this.match);
    this.afterMove = () => {};
    listenToKeys(this);
  }

  /** Take in a message of the server. */
  receive(message) {
    const mine = message.request === this.match.pending?.request;
    this.match.receive(message);
    if (message.type === "refused")
      note(mine ? `The move was not played: ${message.reason}` : message.reason);
    else if (message.type === "rematch") location.assign(`/game/${encodeURIComponent(message.id)}`);
    else if (message.type === "previews") this.#warn();
    else if (message.type === "evaluation") this.graph.receive(message);
    else if (["analysis", "hint", "overlay", "thinking"].includes(message.type))
      this.analysis.receive(message);
  }

  /** Show the position after so many moves, without asking the server. */
  go(ply) {
    const before = this.match.shown;
    if (!this.match.show(ply)) return;
    const near = Math.abs(this.match.shown - before) === 1;
    this.board.show(this.match.frame, {
      animate: near,
      clicks: this.match.shown > before ? this.match.lastClicks : [],
    });
    this.#showPly();
    const move = this.match.state.moves[this.match.shown - 1];
    announce(move ? `Move ${move.ply}: ${move.text ?? "hidden"}` : "Start of the game");
  }

  /** Play a legal action: it is shown at once, and taken back if the server refuses it. */
  play(action) {
    if (!this.match.canMove) return;
    this.send(this.match.play(action));
    this.board.show(this.match.frame, { clicks: action.clicks });
    this.#showPly();
  }

  /** Turn the board round, unless that makes no sense in this game. */
  flip() {
    if (!this.match.state.turnable) return;
    this.board.flip();
    this.analysis.draw();
  }

  #type(text) {
    const plain = text.trim().toLowerCase();
    const found = this.match.state.legal.find((action) => action.text.toLowerCase() === plain);
    if (!this.match.isLive) this.go(this.match.last);
    if (found) this.play(found);
    else
      note(
        this.match.canMove
          ? `${text}: no such move now. ${this.match.state.game.notation}`
          : "It is not your turn.",
      );
    return Boolean(found);
  }

  #sit(seat) {
    this.send({ type: "sit", seat, name: remembered("name") });
  }

  #changed(what) {
    const { state } = this.match;
    if (what === "moves") {
      this.asked.clear();
      const animate = this.board.nodes.size > 0;
      this.board.show(this.match.frame, { animate, clicks: this.match.lastClicks });
      this.#say();
    }
    const title = state.game.title || words(state.game.name);
    setText(this.title, title);
    const names = state.seats.map(seatName).join(" – ");
    document.title = `${this.match.canMove ? "● " : ""}${title}: ${names}`;
    this.seats.show(this.match);
    this.controls.show();
    this.moves.show(this.match);
    this.share.show();
    this.#showPly();
    this.afterMove();
  }

  #showPly() {
    this.entry.offer(this.match.canMove ? this.match.state.legal : []);
    this.moves.mark(this.match.shown);
    this.steps.show();
    this.graph.follow();
    this.analysis.follow();
    this.share.show();
    this.status.classList.toggle("ours", this.match.canMove);
  }

  /** Mark the cells that were entered, those that can follow, and those of the last move. */
  #showEntry() {
    const { entered } = this.entry;
    const next = this.entry.next();
    const last = this.match.lastClicks;
    for (const [cell, node] of this.board.cells) {
      node.classList.toggle("chosen", entered.includes(cell));
      node.classList.toggle("target", next.has(cell) && (entered.length > 0 || !this.entry.selects(cell)));
      node.classList.toggle("begins", !entered.length && this.entry.selects(cell));
      node.classList.toggle("drags", this.entry.selects(cell));
      node.classList.toggle("last", last.includes(cell));
      node.setAttribute("aria-pressed", String(entered.includes(cell)));
      node.setAttribute("aria-disabled", String(!next.has(cell) && !this.entry.selects(cell)));
    }
    this.legal.show();
    const [again] = (entered.length && next.get(entered.at(-1))) || [];
    setText(this.status, again ? `Again on the same cell: ${again.text}` : statusWords(this.match));
    this.#warn();
    if (entered.length) this.#askPreviews(this.entry.candidates());
  }

  /** Ask how actions that may be chosen next would look, so that they can be shown at once. */
  #askPreviews(legal) {
    const unknown = legal
      .filter((each) => !this.match.preview(each) && !this.asked.has(each.action))
      .slice(0, MOST_PREVIEWS);
    if (!unknown.length) return;
    for (const { action } of unknown) this.asked.add(action);
    this.send({ type: "preview", ply: this.match.last, actions: unknown.map(({ action }) => action) });
  }

  /** Mark the pieces that the move to the cell below the pointer would remove. */
  #warn() {
    const actions = this.entry.entered.length ? (this.entry.next().get(this.hovered) ?? []) : [];
    const operations = actions.length === 1 ? (this.match.preview(actions[0]) ?? []) : [];
    const doomed = new Set(operations.filter((each) => each.do === "remove").map(({ id }) => id));
    for (const [id, node] of this.board.nodes) node.classList.toggle("doomed", doomed.has(id));
  }

  #say() {
    const { state, last } = this.match;
    const move = state.moves[last - 1];
    const played = move
      ? `${seatName(state.seats[move.seat], move.seat)} played ${move.text ?? "a hidden move"}. `
      : "";
    announce(played + statusWords(this.match));
  }
}

function statusWords({ state, isLive, shown, last, canMove, pending }) {
  if (!isLive) return `After ${shown} of ${counted(last, "move")}`;
  if (state.over) return state.outcome || "The game is over";
  const seat = state.seats[state.turn];
  const name = seatName(seat, state.turn);
  if (state.seats.some(({ kind }) => kind === "open"))
    return "Waiting for a player: send the link of this page";
  if (pending) return "Sending your move …";
  if (canMove) {
    const several = state.seats.filter(({ yours }) => yours).length > 1;
    return several ? `${name} (${seat.mark}) to move` : "Your turn";
  }
  if (state.pace?.paused && state.can.includes("pace")) return `Paused: ${name} to move`;
  return seat.kind === "agent" ? `${name} is thinking …` : `Waiting for ${name}`;
}
