/**
 * How a person enters a move: click by click, where a click is a cell (a number) or a choice (a
 * text). Mouse, touch and keyboard all enter clicks here, so that they make the same moves.
 */

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

  /** Enter a click. One that leads nowhere begins again, or cancels. */
  enter(click) {
    if (this.next().has(click)) this.entered.push(click);
    else if (this.legal.some(({ clicks }) => clicks[0] === click)) this.entered = [click];
    else return this.cancel();
    const left = this.candidates();
    const [action] = left;
    const rest = action.clicks.slice(this.entered.length);
    if (left.length === 1 && rest.every((each) => typeof each === "string")) {
      this.entered = [];
      this.completed(action);
    }
    return this.changed();
  }

  /** Forget what was entered. */
  cancel() {
    if (!this.entered.length) return;
    this.entered = [];
    this.changed();
  }
}
