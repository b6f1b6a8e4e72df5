/**
 * Pictures as data. A frame is one picture: its box, the areas of its cells, and its shapes in the
 * order in which they are drawn. Frames are never changed; operations lead from one to the next.
 *
 * @typedef {{id: string, x: number, y: number, svg: string}} Shape
 * @typedef {{box: number[], areas: number[][], shapes: Shape[]}} Frame
 */

/** Return the frame that operations make of another. @returns {Frame} */
export function applied(frame, operations) {
  const first = operations[0];
  if (first?.do === "redraw") return { box: first.box, areas: first.areas, shapes: first.shapes };
  const shapes = [...frame.shapes];
  for (const operation of operations) apply(shapes, operation);
  return { ...frame, shapes };
}

function apply(shapes, { do: kind, before, ...shape }) {
  const at = shapes.findIndex(({ id }) => id === shape.id);
  if (kind === "add") insert(shapes, shape, before);
  else if (at < 0)
    return; // a preview of a piece that is no longer there
  else if (kind === "remove") shapes.splice(at, 1);
  else if (kind === "order") insert(shapes, shapes.splice(at, 1)[0], before);
  else shapes[at] = { ...shapes[at], ...shape }; // move or set
}

function insert(shapes, shape, before) {
  const at = before == null ? -1 : shapes.findIndex(({ id }) => id === before);
  shapes.splice(at < 0 ? shapes.length : at, 0, shape);
}

/** Return whether a shape is a piece; other shapes have ids made from their content. */
export const isPiece = (shape) => !shape.id.startsWith("-");

/** Areas by cell, for each list of areas; most frames of a game share one list. */
const indexes = new WeakMap();

function indexOf({ areas }) {
  if (!indexes.has(areas)) {
    const entries = areas.map(([cell, x, y, width, height]) => [
      cell,
      { x, y, width, height, middle: [x + width / 2, y + height / 2] },
    ]);
    indexes.set(areas, new Map(entries));
  }
  return indexes.get(areas);
}

/** Return the area of a cell as an object, or undefined. */
export const areaOf = (frame, cell) => indexOf(frame).get(cell);

/** Return the pieces that stand on each cell, the lowest first; cells without any are left out. */
export function piecesByCell(frame) {
  const found = new Map();
  for (const shape of frame.shapes) {
    if (!isPiece(shape)) continue;
    for (const [cell, area] of indexOf(frame)) {
      if (!isInside(shape, area)) continue;
      found.set(cell, [...(found.get(cell) ?? []), shape]);
      break;
    }
  }
  return found;
}

/** Return the pieces that stand on a cell, the lowest first. */
export function piecesOn(frame, cell) {
  const area = areaOf(frame, cell);
  return area ? frame.shapes.filter((shape) => isPiece(shape) && isInside(shape, area)) : [];
}

function isInside(shape, { x, y, width, height }) {
  return shape.x >= x && shape.x < x + width && shape.y >= y && shape.y < y + height;
}

/** Return a guess of a move's picture, for a move whose preview has not arrived: the piece slides. */
export function guessed(frame, clicks) {
  const [from, to] = clicks.map((click) => areaOf(frame, click));
  const piece = piecesOn(frame, clicks[0]).at(-1);
  if (clicks.length !== 2 || !from || !to || !piece || clicks[0] === clicks[1]) return frame;
  const [x, y] = [0, 1].map((axis) => [piece.x, piece.y][axis] + to.middle[axis] - from.middle[axis]);
  return applied(frame, [{ do: "move", id: piece.id, x, y }]);
}
