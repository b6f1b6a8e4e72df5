/**
 * Mouse, pen and touch on the board. A press on a piece selects it, a drag carries it, a click or a
 * tap enters a cell. A swipe that begins elsewhere stays the browser's own: it scrolls.
 */

import { piecesOn } from "./frames.js";

const FAR = 5; // pixels that make a press a drag

/**
 * @param {import("./board.js").Board} board
 * @param {import("./entry.js").Entry} entry
 * @param {(cell: number|null) => void} hovered called with the cell below the pointer
 */
export function listen(board, entry, hovered) {
  let press = null;
  let ignoreClick = false;
  const { table } = board;
  const cellOf = (event) => {
    const found = event.target.closest("[data-cell]");
    return found ? Number(found.dataset.cell) : null;
  };

  table.addEventListener("pointerdown", (event) => {
    ignoreClick = false;
    const cell = cellOf(event);
    const continues = entry.entered.length > 0 && entry.next().has(cell);
    if (event.button !== 0 || continues || !entry.selects(cell)) return;
    entry.enter(cell);
    ignoreClick = true; // the click that ends this press has been entered already
    press = {
      cell,
      x: event.clientX,
      y: event.clientY,
      pieces: piecesOn(board.frame, cell).map(({ id }) => id),
    };
    table.setPointerCapture(event.pointerId);
  });
  table.addEventListener("pointermove", (event) => {
    if (!press) return;
    const [x, y] = [event.clientX - press.x, event.clientY - press.y];
    if (!press.dragging && Math.hypot(x, y) < FAR) return;
    press.dragging = true;
    board.drag(press.pieces, x, y);
    hovered(board.cellAt(event.clientX, event.clientY));
  });
  table.addEventListener("pointerup", (event) => {
    const ended = press;
    press = null;
    if (!ended?.dragging) return;
    const cell = board.cellAt(event.clientX, event.clientY);
    board.drop();
    if (cell === ended.cell) return;
    if (entry.next().has(cell)) entry.enter(cell);
    else entry.cancel();
  });
  table.addEventListener("pointercancel", () => {
    press = null;
    board.drop();
  });
  table.addEventListener("click", (event) => {
    const cell = cellOf(event);
    if (!ignoreClick && cell !== null) entry.enter(cell);
    ignoreClick = false;
  });
  // The pointer leaves the focus where it is: arrow keys go on stepping through the game.
  table.addEventListener("mousedown", (event) => event.preventDefault());
  table.addEventListener("pointerover", (event) => hovered(cellOf(event)));
  table.addEventListener("pointerleave", () => hovered(null));
  table.addEventListener("focusin", (event) => hovered(cellOf(event)));
}

const DIRECTIONS = { ArrowLeft: [-1, 0], ArrowRight: [1, 0], ArrowUp: [0, -1], ArrowDown: [0, 1] };

/** Move the focus among the cells by arrow keys; return whether the key was one. */
export function moveFocus(board, event) {
  const direction = DIRECTIONS[event.key];
  const focused = event.target.closest?.("[data-cell]");
  if (!direction || !focused || !board.table.contains(focused)) return false;
  const from = focused.getBoundingClientRect();
  let best = null;
  let least = Infinity;
  for (const cell of board.cells.values()) {
    const to = cell.getBoundingClientRect();
    const [across, down] = [
      to.x + to.width / 2 - from.x - from.width / 2,
      to.y + to.height / 2 - from.y - from.height / 2,
    ];
    const ahead = across * direction[0] + down * direction[1];
    const aside = Math.abs(across * direction[1]) + Math.abs(down * direction[0]);
    if (ahead > 1 && ahead + 3 * aside < least) [best, least] = [cell, ahead + 3 * aside];
  }
  if (best) {
    focused.tabIndex = -1;
    best.tabIndex = 0;
    best.focus();
  }
  return true;
}
