/** Curves drawn as SVG. */

import { element, svgElement } from "./dom.js";

const EDGE = { left: 44, right: 10, top: 8, bottom: 22 };

/**
 * A chart of one or more curves that follows the width of its host.
 *
 * @typedef {{name: string, colour: string, points: number[][]}} Series
 */
export class Chart {
  /**
   * @param {HTMLElement} host
   * @param {{label: string, height?: number, range?: number[], picked?: (x: number) => void}} settings
   *   `range` fixes the lower and upper end of the y axis
   */
  constructor(host, { label, height = 160, range = null, picked = null }) {
    this.settings = { label, height, range };
    this.picture = svgElement("svg", { class: "chart", role: "img", "aria-label": label });
    this.legend = element("p", { class: "legend" });
    host.append(this.picture, this.legend);
    this.series = [];
    this.cursor = null;
    if (picked) {
      this.picture.classList.add("pickable");
      this.picture.addEventListener("click", ({ offsetX }) => picked(Math.round(this.#value(offsetX))));
    }
    new ResizeObserver(() => this.#draw()).observe(this.picture);
  }

  /** @param {Series[]} series @param {{last?: number, cursor?: number|null}} more */
  show(series, { last = 0, cursor = null } = {}) {
    this.series = series;
    this.last = last;
    this.cursor = cursor;
    const named = series.length > 1 ? series : [];
    this.legend.replaceChildren(
      ...named.map(({ name, colour }) => {
        const sample = element("i", { class: "sample" });
        sample.style.background = colour;
        return element("span", {}, sample, name);
      }),
    );
    this.#draw();
  }

  /** Hide the chart while it has nothing to show. */
  hide(isHidden) {
    this.picture.toggleAttribute("hidden", isHidden);
    this.legend.hidden = isHidden;
  }

  /** Move the vertical line that marks one place. */
  mark(cursor) {
    this.cursor = cursor;
    this.#draw();
  }

  #value(pixel) {
    const [low, high] = this.across;
    return low + ((pixel - EDGE.left) / (this.picture.clientWidth - EDGE.left - EDGE.right)) * (high - low);
  }

  #draw() {
    const { height, range } = this.settings;
    const width = this.picture.clientWidth;
    if (!width) return;
    const all = this.series.flatMap(({ points }) => points);
    this.across = ends(all.map(([x]) => x).concat(this.last ? [0, this.last] : []));
    const down = range ?? ends(all.map(([, y]) => y));
    const x = (value) =>
      EDGE.left +
      ((value - this.across[0]) / (this.across[1] - this.across[0])) * (width - EDGE.left - EDGE.right);
    const y = (value) =>
      height - EDGE.bottom - ((value - down[0]) / (down[1] - down[0])) * (height - EDGE.top - EDGE.bottom);
    const parts = [];
    for (const value of ticks(down, 4)) {
      parts.push(
        svgElement("line", {
          x1: EDGE.left,
          x2: width - EDGE.right,
          y1: y(value),
          y2: y(value),
          class: value === 0 ? "zero" : "grid",
        }),
      );
      parts.push(written(EDGE.left - 6, y(value), value, "end"));
    }
    for (const value of ticks(this.across, width < 500 ? 4 : 8))
      parts.push(written(x(value), height - 8, value, "middle"));
    for (const { colour, points } of this.series) {
      const path = points.map(([a, b]) => `${x(a).toFixed(1)},${y(b).toFixed(1)}`).join(" ");
      parts.push(svgElement("polyline", { points: path, class: "under" }));
      parts.push(svgElement("polyline", { points: path, stroke: colour }));
      if (points.length === 1)
        parts.push(svgElement("circle", { cx: x(points[0][0]), cy: y(points[0][1]), r: 3, fill: colour }));
    }
    if (this.cursor !== null)
      parts.push(
        svgElement("line", {
          x1: x(this.cursor),
          x2: x(this.cursor),
          y1: EDGE.top,
          y2: height - EDGE.bottom,
          class: "cursor",
        }),
      );
    this.picture.setAttribute("viewBox", `0 0 ${width} ${height}`);
    this.picture.style.height = `${height}px`;
    this.picture.replaceChildren(...parts);
  }
}

function written(x, y, value, anchor) {
  const text = svgElement("text", { x, y, "text-anchor": anchor, "dominant-baseline": "central" });
  text.textContent = Math.abs(value) >= 10000 ? value.toExponential(0) : +value.toPrecision(3);
  return text;
}

function ends(values) {
  if (!values.length) return [0, 1];
  const [low, high] = [values.reduce((a, b) => Math.min(a, b)), values.reduce((a, b) => Math.max(a, b))];
  return low === high ? [low - (Math.abs(low) || 1) / 2, high + (Math.abs(high) || 1) / 2] : [low, high];
}

/** Return about `count` round numbers between two ends. */
export function ticks([low, high], count) {
  const rough = (high - low) / count;
  const size = 10 ** Math.floor(Math.log10(rough));
  const step = size * ([1, 2, 5].find((factor) => factor * size >= rough) ?? 10);
  const found = [];
  for (let at = Math.ceil(low / step - 1e-9); at * step <= high + step * 1e-9; at += 1)
    found.push(at * step || 0);
  return found;
}
