/** Tournaments: those in the store, and a form that starts one. */

import { get, post, repeat } from "./api.js";
import { button, byId, counted, element, setText } from "./dom.js";
import { AgentFields, OptionFields } from "./forms.js";
import { noting, openShell, setBanner } from "./shell.js";

const FORMATS = [
  ["round_robin", "everybody meets everybody"],
  ["gauntlet", "the first meets all others"],
  ["swiss", "equals meet (Swiss)"],
];

openShell();
const games = element("select", { id: "game", change: noting(load) });
const rules = element("details", {}, element("summary", {}, "Rules"), element("div"));
const entrants = element("div");
const count = element("input", { id: "count", type: "number", min: 1, max: 1000, value: 10 });
const format = element(
  "select",
  { id: "format" },
  ...FORMATS.map(([value, about]) => element("option", { value }, about)),
);
const problem = element("p", { class: "problem", role: "alert" });
const list = element("div", { class: "wide-table" });
let game = null;
let options = null;
let agents = [];
let offered = null; // names of agents, once the rules were changed

const start = async (event) => {
  event.preventDefault();
  try {
    const { run } = await post("/api/runs", {
      game: game.name,
      options: options.values(),
      agents: agents.map((each) => each.value()),
      games: Number(count.value),
      format: format.value,
    });
    location.assign(`/arena/${run}`);
  } catch (error) {
    setText(problem, error.message);
  }
};
byId("main").append(
  element("h1", {}, "Arena"),
  element(
    "div",
    { class: "two" },
    element(
      "section",
      { class: "panel", "aria-label": "Tournaments" },
      element("h2", {}, "Tournaments and games"),
      list,
    ),
    element(
      "form",
      { class: "panel", submit: start, "aria-label": "New tournament" },
      element("h2", {}, "New tournament"),
      element(
        "div",
        { class: "fields" },
        element("label", { for: "game" }, "Game"),
        games,
        element("label", { for: "format" }, "Who meets whom"),
        format,
        element("label", { for: "count" }, "Games per pair"),
        count,
      ),
      rules,
      element(
        "fieldset",
        {},
        element("legend", {}, "Agents"),
        entrants,
        element(
          "div",
          { class: "row" },
          button("Add an agent", () => add()),
          button("Remove the last", () => remove()),
        ),
      ),
      problem,
      element("button", { class: "main" }, "Start"),
    ),
  ),
);

const catalogue = await noting(get)("/api/catalogue");
if (catalogue) {
  games.append(...catalogue.games.map(({ name, title }) => element("option", { value: name }, title)));
  await noting(load)();
}
repeat(3, showRuns, (error) => setBanner(error?.message ?? ""));

async function load() {
  game = await get(`/api/catalogue/${encodeURIComponent(games.value)}`);
  options = new OptionFields(game.options);
  options.node.addEventListener("change", check);
  offered = null;
  rules.lastChild.replaceChildren(options.node);
  rules.hidden = !game.options.length;
  agents = [];
  entrants.replaceChildren();
  for (const { level } of game.levels.slice(0, 3)) add(level);
}

function add(level = game.default_level) {
  const made = new AgentFields(game, { level });
  if (offered) made.offer(offered);
  agents.push(made);
  entrants.append(
    element(
      "div",
      { class: "seat-form" },
      element("span", { class: "token", "aria-hidden": "true" }, String(agents.length)),
      made.select,
      made.host,
    ),
  );
}

/** Offer only agents that can play by the chosen rules. */
async function check() {
  try {
    const found = await post("/api/positions", { game: game.name, options: options.values() });
    offered = found.agents;
    for (const each of agents) each.offer(offered);
    setText(problem, "");
  } catch (error) {
    setText(problem, error.message);
  }
}

function remove() {
  if (agents.length < 2) return;
  agents.pop();
  entrants.lastChild.remove();
}

let shown = "";

async function showRuns() {
  const { runs } = await get("/api/runs");
  if (JSON.stringify(runs) === shown) return;
  shown = JSON.stringify(runs);
  const rows = runs.map(({ run, game: spec, agents: names, kept, total, verdict, playing }) =>
    element(
      "tr",
      {},
      element("td", {}, element("a", { href: `/arena/${run}` }, `${run}: ${spec}`)),
      element("td", {}, names.slice(0, 4).join(", ") + (names.length > 4 ? " …" : "")),
      element(
        "td",
        { class: "number" },
        playing
          ? `${kept} of ${total}, playing`
          : verdict || kept === total
            ? counted(kept, "game") + (verdict ? `, ${verdict} accepted` : "")
            : `${kept} of ${counted(total, "game")}`,
      ),
    ),
  );
  list.replaceChildren(
    rows.length
      ? element("table", {}, element("tbody", {}, ...rows))
      : element("p", { class: "faint" }, "None yet."),
  );
}
