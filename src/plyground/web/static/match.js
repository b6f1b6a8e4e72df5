/**
 * One game as this page knows it: what the server has sent, the frame after every move, and the own
 * move that is on its way. It draws nothing; the page listens to it.
 */

import { newRequest } from "./channel.js";
import { applied, guessed } from "./frames.js";

export class Match {
  /** @param {(what: string) => void} changed called with "moves" or "situation" after a change */
  constructor(changed) {
    this.changed = changed;
    this.state = null;
    /** @type {import("./frames.js").Frame[]} frames[n] is the picture after n moves */
    this.frames = [];
    this.shown = 0;
    this.pending = null;
    /** Counts the changes of what lies behind a ply: what was computed before one is outdated. */
    this.branch = 0;
    this.branchVersion = 0;
    this.previews = new Map();
  }

  get last() {
    return this.state.moves.length;
  }

  get isLive() {
    return this.shown === this.last;
  }

  /** Whether this visitor can enter a move on the board as it is shown. */
  get canMove() {
    return this.isLive && !this.pending && this.state.legal.length > 0;
  }

  /** The frame on the board: that of the shown ply, or of the own move that is on its way. */
  get frame() {
    return this.pending && this.isLive ? this.pending.frame : this.frames[this.shown];
  }

  /** The text of the shown position. */
  get position() {
    const { start, moves } = this.state;
    return this.shown ? moves[this.shown - 1].position : start.text;
  }

  /** The clicks of the move that led to the shown position. */
  get lastClicks() {
    if (this.pending && this.isLive) return this.pending.clicks;
    return this.shown ? (this.state.moves[this.shown - 1].clicks ?? []) : [];
  }

  can(request) {
    return this.state.can.includes(request);
  }

  /** Take in a message of the server; messages that are not about the game are left alone. */
  receive(message) {
    const { type } = message;
    if (type === "state") this.#load(message);
    else if (type === "move") this.#append(message);
    else if (type === "undo") this.#takeBack(message);
    else if (type === "situation" || type === "current") this.#update(message, "situation");
    else if (type === "refused" && message.request === this.pending?.request) this.#refuse();
    else if (type === "previews" && message.ply === this.last) {
      for (const [action, operations] of Object.entries(message.previews)) {
        this.previews.set(Number(action), operations);
      }
    }
  }

  /** Show the position after so many moves; return whether it has changed. */
  show(ply) {
    const wanted = Math.max(0, Math.min(this.last, ply));
    if (wanted === this.shown) return false;
    this.shown = wanted;
    return true;
  }

  /** Return the operations of an action's preview, or null if they are not known. */
  preview({ action, preview }) {
    return preview ?? this.previews.get(action) ?? null;
  }

  /** Show an own move before the server has answered, and return the request that plays it. */
  play(legal) {
    const before = this.frames[this.last];
    const operations = this.preview(legal);
    const frame = operations ? applied(before, operations) : guessed(before, legal.clicks);
    const request = { type: "move", request: newRequest(), ply: this.last, action: legal.action };
    this.pending = { request: request.request, message: request, frame, clicks: legal.clicks };
    return request;
  }

  #load(state) {
    const wasLive = !this.state || this.isLive;
    const { box, areas, start, moves } = state;
    if (this.state && !sameMoves(this.state.moves, moves)) this.#newBranch(state.version);
    this.state = state;
    this.#dress();
    this.received = performance.now();
    this.frames = [{ box, areas, shapes: start.shapes }];
    for (const { operations } of moves) this.frames.push(applied(this.frames.at(-1), operations));
    if (this.pending && this.pending.message.ply < moves.length) this.pending = null;
    this.shown = wasLive ? moves.length : Math.min(this.shown, moves.length);
    this.previews.clear();
    this.changed("moves");
  }

  #append({ move, ...situation }) {
    if (move.ply !== this.last + 1) return; // it is known already
    const wasLive = this.isLive;
    this.frames.push(applied(this.frames.at(-1), move.operations));
    this.state.moves.push(move);
    this.pending = null;
    if (wasLive) this.shown = this.last;
    this.previews.clear();
    this.#update(situation, "moves");
  }

  #takeBack(situation) {
    const wasLive = this.isLive;
    this.state.moves.length = situation.ply;
    this.frames.length = situation.ply + 1;
    this.shown = wasLive ? this.last : Math.min(this.shown, this.last);
    this.pending = null;
    this.#newBranch(situation.version);
    this.previews.clear();
    this.#update(situation, "moves");
  }

  #newBranch(version) {
    this.branch += 1;
    this.branchVersion = version;
  }

  #refuse() {
    this.pending = null;
    this.changed("moves");
  }

  /** Note with each seat how the pictures show its player. */
  #dress() {
    const { seats, colours, marks } = this.state;
    seats.forEach((seat, number) => {
      seat.colour = colours[number];
      seat.mark = marks?.[number] ?? String(number + 1);
    });
  }

  #update({ type, ...situation }, what) {
    Object.assign(this.state, situation);
    this.#dress();
    this.received = performance.now();
    this.changed(what);
  }
}

function sameMoves(one, other) {
  return one.every((move, at) => at >= other.length || move.position === other[at].position);
}
