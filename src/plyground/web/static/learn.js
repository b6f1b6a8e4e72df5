/** Curves of trainings, drawn as their steps come in. */

import { get, repeat } from "./api.js";
import { Chart } from "./chart.js";
import { byId, element, setText, words } from "./dom.js";
import { openShell, setBanner } from "./shell.js";

const COLOUR = "#1b6ac9";
const BOUND = "#8a8a8a";

/** What the numbers of a curve are called, in the order in which they are shown. */
const CHARTS = new Map([
  ["policy", "loss of the policy"],
  ["value", "loss of the value"],
  ["hits", "how often the likeliest action is the best"],
  ["score", "score when compared with the best so far, and 95 % interval"],
  ["samples", "positions learned from"],
  ["games", "games played"],
  ["evaluations", "evaluations in self-play"],
  ["seconds", "seconds"],
]);
const HIDDEN = ["step", "share", "low", "high"];

openShell();
const main = byId("main");
const empty = element(
  "p",
  { class: "faint" },
  "No training is shown: start the server with --training FOLDER, a folder that `plyground train` writes.",
);
main.append(element("h1", {}, "Trainings"), empty);
const shown = new Map();

repeat(
  2,
  async () => {
    const { trainings } = await get("/api/trainings");
    empty.hidden = trainings.length > 0;
    for (const summary of trainings) {
      if (!shown.has(summary.training)) shown.set(summary.training, new Training(summary));
      await shown.get(summary.training).follow(summary);
    }
  },
  (error) => setBanner(error?.message ?? ""),
);

/** One training: a chart for every number that its curve holds. */
class Training {
  constructor({ training, name }) {
    this.number = training;
    this.step = -1;
    this.rows = [];
    this.charts = new Map();
    this.state = element("p", { class: "faint", role: "status" });
    this.host = element("div", { class: "two" });
    main.append(
      element("section", { class: "panel training" }, element("h2", {}, name), this.state, this.host),
    );
  }

  async follow({ step, running }) {
    setText(this.state, `step ${step}, ${running ? "under way" : "at rest"}`);
    const { rows } = await get(`/api/trainings/${this.number}?after=${this.step}`);
    if (!rows.length) return;
    this.rows.push(...rows);
    this.step = rows.at(-1).step;
    const present = new Set(
      this.rows.flatMap((row) => Object.keys(row).filter((name) => typeof row[name] === "number")),
    );
    const known = [...CHARTS.keys()].filter((name) => present.has(name));
    for (const name of new Set([...known, ...present])) if (!HIDDEN.includes(name)) this.#draw(name);
  }

  #draw(name) {
    if (!this.charts.has(name)) {
      const title = CHARTS.get(name) ?? words(name);
      const figure = element("figure", {}, element("figcaption", {}, title));
      this.host.append(figure);
      this.charts.set(name, new Chart(figure, { label: `${title}, by step`, height: 170 }));
    }
    const bounds = name === "score" ? [this.#series("low", BOUND), this.#series("high", BOUND)] : [];
    this.charts.get(name).show([this.#series(name, COLOUR), ...bounds]);
  }

  #series(name, colour) {
    const points = this.rows
      .filter((row) => typeof row[name] === "number")
      .map((row) => [row.step, row[name]]);
    return { name, colour, points };
  }
}
