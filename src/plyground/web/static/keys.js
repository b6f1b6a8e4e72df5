/** Keys of a game page, and the window that explains them. */

import { button, element } from "./dom.js";
import { moveFocus } from "./pointer.js";

const ARROWS = { ArrowUp: "up", ArrowDown: "down", ArrowLeft: "left", ArrowRight: "right" };
const OPPOSITE = { up: "down", down: "up", left: "right", right: "left" };
const HELP = [
  ["← →", "one move back or forward (, and . do the same)"],
  ["↑ ↓", "first or last position"],
  ["space", "play or pause"],
  ["f", "flip the board (not where pieces fall, as in Connect Four)"],
  ["a", "analyse"],
  ["h", "hint"],
  ["Tab", "go to the board; then arrows and Enter choose cells"],
  ["Escape", "forget the cells that were chosen"],
  ["?", "show this window"],
];

/** @param {import("./view.js").GameView} view */
export function listenToKeys(view) {
  const help = helpWindow();
  document.body.append(help);
  let queued = null;

  const plain = {
    " ": () => view.steps.toggle(),
    f: () => view.flip(),
    a: () => view.analysis?.switch(),
    h: () => view.match.can("hint") && view.analysis?.askHint(),
    "?": () => help.showModal(),
    Escape: () => view.entry.cancel(),
    ArrowLeft: () => view.steps.to(view.match.shown - 1),
    ",": () => view.steps.to(view.match.shown - 1),
    ArrowRight: () => view.steps.forward(),
    ".": () => view.steps.forward(),
    ArrowUp: () => view.steps.to(0),
    Home: () => view.steps.to(0),
    ArrowDown: () => view.steps.to(view.match.last),
    End: () => view.steps.to(view.match.last),
  };

  /** Play the move of an arrow key; a key that comes while others move waits for its turn. */
  const playKey = (arrow) => {
    const { state } = view.match;
    const text = state.game.keys[view.board.flipped ? OPPOSITE[arrow] : arrow];
    const legal = state.legal.find((action) => action.text === text);
    if (!view.match.isLive) view.go(view.match.last);
    const isOurs = view.match.canMove;
    if (isOurs && legal) view.play(legal);
    queued = isOurs ? null : arrow;
  };
  view.afterMove = () => {
    if (queued && view.match.canMove) playKey(queued);
  };

  const takesKeys = () => {
    const { game, over, seats, mode } = view.match.state;
    const plays = mode === "analysis" ? view.match.canMove : seats.some(({ yours }) => yours);
    return Object.keys(game.keys).length > 0 && !over && plays;
  };

  document.addEventListener("keydown", (event) => {
    if (event.ctrlKey || event.metaKey || event.altKey || !view.match.state || help.open) return;
    if (event.target.closest("input:not([type=checkbox]), select, textarea")) return;
    const onButton = event.target.closest("button, a, summary, input");
    if (onButton && [" ", "Enter"].includes(event.key)) return;
    const arrow = ARROWS[event.key];
    if (arrow && takesKeys()) playKey(arrow);
    else if (moveFocus(view.board, event)) {
      /* the focus went on */
    } else if (plain[event.key]) plain[event.key]();
    else return;
    event.preventDefault();
  });
}

function helpWindow() {
  const rows = HELP.map(([key, words]) =>
    element("tr", {}, element("th", { scope: "row" }, element("kbd", {}, key)), element("td", {}, words)),
  );
  const title = element("h2", { id: "keys-title" }, "Keys");
  const close = button("Close", () => made.close(), { class: "main" });
  const more = element("p", {}, "In games that are steered, such as Tron, arrow keys play.");
  const made = element(
    "dialog",
    { id: "keys", "aria-labelledby": "keys-title" },
    title,
    element("table", {}, ...rows),
    more,
    close,
  );
  return made;
}
