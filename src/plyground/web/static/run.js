/** One tournament: standings with intervals, cross table, and every game. */

import { get, post, repeat } from "./api.js";
import { button, byId, counted, element, setText } from "./dom.js";
import { noting, openShell, setBanner } from "./shell.js";

openShell();
const number = encodeURIComponent(location.pathname.split("/")[2]);
const title = element("h1");
const about = element("p", { class: "faint", role: "status" });
const bar = element("progress", { "aria-label": "games played" });
const stop = button(
  "Stop",
  noting(() => post(`/api/runs/${number}/stop`)),
  { hidden: true },
);
const columns = element("tr");
const standings = element("tbody");
const cross = element("div", { class: "wide-table" });
const games = element("tbody");
const more = button(
  "More games",
  noting(() => loadGames()),
  { hidden: true },
);
let kept = -1;
let listed = 0;

/** What the standings show of the results: by the number of sides in a game, 3 for more. */
const RESULTS = {
  1: {},
  2: { "+ = −": (row) => `${row.wins} ${row.draws} ${row.losses}` },
  3: {
    "First places": (row) => String(Number(row.firsts.toFixed(2))),
    "Points a game": (row) => row.mean_points.toFixed(2),
  },
};

/** Columns that are shown if any agent has failed so. */
const FAILURES = { Forfeits: "forfeits", Faults: "faults" };

const heading = (name) => element("th", { scope: "col" }, name);
const heads = (...names) => element("thead", {}, element("tr", {}, ...names.map(heading)));
byId("main").append(
  title,
  about,
  element("div", { class: "row" }, bar, stop),
  element(
    "section",
    { class: "panel", "aria-label": "Standings" },
    element("h2", {}, "Standings"),
    element(
      "div",
      { class: "wide-table" },
      element(
        "table",
        { id: "standings" },
        element("thead", {}, columns),
        standings,
      ),
    ),
  ),
  element(
    "div",
    { class: "two" },
    element(
      "section",
      { class: "panel", "aria-label": "Cross table" },
      element("h2", {}, "Cross table"),
      cross,
    ),
    element(
      "section",
      { class: "panel", "aria-label": "Games" },
      element("h2", {}, "Games"),
      element(
        "div",
        { class: "wide-table games" },
        element("table", { id: "games" }, heads("#", "Players", "Result", "Moves"), games),
      ),
      more,
    ),
  ),
);

repeat(
  1,
  async () => {
    const run = await get(`/api/runs/${number}`);
    show(run);
    if (run.kept !== kept) {
      kept = run.kept;
      if (listed < 200) await loadGames();
    }
    return run.playing || (run.kept < run.total && !run.verdict);
  },
  (error) => setBanner(error?.message ?? ""),
);

function show(run) {
  setText(title, `Tournament ${run.run}: ${run.game}`);
  document.title = `Tournament ${run.run} · Plyground`;
  const ended = run.verdict ? `decided: ${run.verdict} accepted` : run.kept === run.total ? "finished" : "";
  const state = run.playing ? "playing" : ended || "not being played here";
  setText(about, `${run.kept} of ${counted(run.total, "game")}, ${state}${run.problem ? `: ${run.problem}` : ""}`);
  bar.max = run.total;
  bar.value = run.kept;
  stop.hidden = !run.mine;
  const results = { ...RESULTS[Math.min(run.sides, 3)] };
  for (const [name, key] of Object.entries(FAILURES))
    if (run.standings.some((row) => row[key])) results[name] = (row) => String(row[key]);
  columns.replaceChildren(
    ...["#", "Agent", "Games", ...Object.keys(results), "Score", "95 % interval", "0 to 100 %"].map(heading),
  );
  standings.replaceChildren(
    ...run.standings.map((row) =>
      element(
        "tr",
        {},
        element("td", {}, String(row.rank)),
        element("th", { scope: "row" }, row.name),
        element("td", {}, String(row.games)),
        ...Object.values(results).map((text) => element("td", {}, text(row))),
        element("td", {}, percent(row.score)),
        element("td", {}, `${(100 * row.low).toFixed(1)} – ${percent(row.high)}`),
        element("td", {}, interval(row)),
      ),
    ),
  );
  showCross(run.cross);
}

/** Draw a score and its interval on a scale from 0 to 1. */
function interval({ low, high, score }) {
  const [line, dot] = [element("i"), element("b")];
  line.style.left = `${100 * low}%`;
  line.style.width = `${100 * (high - low)}%`;
  dot.style.left = `${100 * score}%`;
  return element("div", { class: "interval", "aria-hidden": "true" }, line, dot);
}

function showCross({ names, cells }) {
  const rows = names.map((name, row) =>
    element(
      "tr",
      {},
      element("td", {}, String(row + 1)),
      element("th", { scope: "row" }, name),
      ...cells[row].map((cell) =>
        element("td", { title: cell ? counted(cell.games, "game") : null }, cell ? percent(cell.score) : "·"),
      ),
    ),
  );
  cross.replaceChildren(
    element(
      "table",
      { id: "cross" },
      heads("#", "Against", ...names.map((_, at) => String(at + 1))),
      element("tbody", {}, ...rows),
    ),
  );
}

const percent = (share) => `${(100 * share).toFixed(1)} %`;

async function loadGames() {
  const found = await get(`/api/runs/${number}/games?after=${listed}`);
  for (const { number: game, agents, outcome, plies } of found.games) {
    if (game <= listed) continue;
    listed = game;
    games.append(
      element(
        "tr",
        {},
        element("td", {}, element("a", { href: `/arena/${number}/${game}` }, String(game))),
        element("td", {}, agents.join(" – ")),
        element("td", {}, outcome),
        element("td", { class: "number" }, String(plies)),
      ),
    );
  }
  more.hidden = found.games.length < 200;
}
