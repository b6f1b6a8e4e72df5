/** Curves of trainings, drawn as their steps come in. */

import { get, repeat } from "./api.js";
import { Chart } from "./chart.js";
import { byId, element, setText, words } from "./dom.js";
import { openShell, setBanner } from "./shell.js";

const COLOUR = "#1b6ac9";

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
    const names = new Set(
      this.rows.flatMap((row) =>
        Object.keys(row).filter((name) => name !== "step" && typeof row[name] === "number"),
      ),
    );
    for (const name of names) this.#draw(name);
  }

  #draw(name) {
    if (!this.charts.has(name)) {
      const figure = element("figure", {}, element("figcaption", {}, words(name)));
      this.host.append(figure);
      this.charts.set(name, new Chart(figure, { label: `${words(name)} by step`, height: 170 }));
    }
    const points = this.rows
      .filter((row) => typeof row[name] === "number")
      .map((row) => [row.step, row[name]]);
    this.charts.get(name).show([{ name, colour: COLOUR, points }]);
  }
}
