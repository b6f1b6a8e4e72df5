/**
 * How a person enters a move: click by click, where a click is a cell (a number) or a choice (a
 * text). Mouse, touch and keyboard all enter clicks here, so that they make the same moves.
 */

const TOO_SOON = 300; // milliseconds: two clicks on one cell this close are an accident

export class Entry {
  /**
   * @param {() => void} changed called after every change
   * @param {(legal: Object) => void} completed called with the legal action that was entered
   */
  constructor(changed, completed) {
    this.changed = changed;
    this.completed = completed;
    this.legal = [];
    this.entered = [];
    this.time = -Infinity;
  }

  /** Offer other legal actions; what was entered stays if it still begins one of them. */
  offer(legal) {
    this.legal = legal;
    if (!this.candidates().length) this.entered = [];
    this.changed();
  }

  /** Return the legal actions that begin with what was entered. */
  candidates() {
    return this.legal.filter(({ clicks }) => this.entered.every((click, at) => clicks[at] === click));
  }

  /** Return the clicks that can follow, each with the actions that it leads to. */
  next() {
    return Map.groupBy(this.candidates(), ({ clicks }) => clicks[this.entered.length]);
  }

  /** Return whether a first click only selects a piece: every action that it begins needs more. */
  selects(cell) {
    const begun = this.legal.filter(({ clicks }) => clicks[0] === cell);
    return begun.length > 0 && begun.every(({ clicks }) => clicks.length > 1);
  }

  /**
   * Enter a click. One that leads nowhere begins again, or cancels. A double click on a cell counts
   * once: a move that is entered by the same cell twice, such as an explosion, takes two slow ones.
   */
  enter(click) {
    const now = performance.now();
    if (click === this.entered.at(-1) && now - this.time < TOO_SOON) return;
    this.time = now;
    if (this.next().has(click)) this.entered.push(click);
    else if (this.legal.some(({ clicks }) => clicks[0] === click)) this.entered = [click];
    else {
      this.cancel();
      return;
    }
    const left = this.candidates();
    const [action] = left;
    const rest = action.clicks.slice(this.entered.length);
    if (left.length === 1 && rest.every((each) => typeof each === "string")) {
      this.entered = [];
      this.completed(action);
    }
    this.changed();
  }

  /** Forget what was entered. */
  cancel() {
    if (!this.entered.length) return;
    this.entered = [];
    this.changed();
  }
}
