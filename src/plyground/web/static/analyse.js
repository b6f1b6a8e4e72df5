/** The page on which a position is set up, by its text or in the editor, and analysed. */

import { get, post } from "./api.js";
import { Board } from "./board.js";
import { button, byId, element, setText } from "./dom.js";
import { Editor } from "./editor.js";
import { OptionFields } from "./forms.js";
import { copy, noting, openShell, setBanner } from "./shell.js";

const PATIENCE = 200; // milliseconds without typing before the position is drawn

openShell();
const query = new URLSearchParams(location.search);
const spec = query.get("game") ?? "";
const games = element("select", { id: "game", change: () => load("") });
const text = element("textarea", { id: "position", rows: 4, spellcheck: "false", input: () => changed() });
const problem = element("p", { class: "problem", role: "alert" });
const facts = element("p", { class: "faint" });
const options = element("details", { hidden: true }, element("summary", {}, "Rules"), element("div"));
const host = element("div");
const editor = new Editor((painted) => {
  text.value = painted;
  changed();
});
const go = button(
  "Analyse",
  noting(() => open("analysis")),
  { class: "main" },
);
const play = button(
  "Play from here",
  noting(() => open("play")),
);
let fields = null;
let timer = null;
let asked = 0;

byId("main").append(
  element("h1", {}, "Set up a position"),
  element(
    "div",
    { class: "two" },
    element(
      "section",
      { class: "panel" },
      element(
        "div",
        { class: "fields" },
        element("label", { for: "game" }, "Game"),
        games,
        element("label", { for: "position" }, "Position as text"),
        text,
      ),
      options,
      problem,
      facts,
      element(
        "div",
        { class: "row" },
        go,
        play,
        button("Copy the link", () => copy(link())),
      ),
      editor.node,
    ),
    host,
  ),
);
const board = new Board(host);

try {
  const catalogue = await get("/api/catalogue");
  games.append(...catalogue.games.map(({ name, title }) => element("option", { value: name }, title)));
  const [, name, settings] = /^([\w.-]+)(?:\((.*)\))?$/.exec(spec) ?? [];
  if (name) games.value = name;
  await load(query.get("position") ?? "", settings ?? "");
} catch (error) {
  setBanner(error.message);
}

/** Load a game's options, and show a position or the game's example. */
async function load(position, settings = "") {
  const game = await get(`/api/catalogue/${encodeURIComponent(games.value)}`);
  fields = new OptionFields(game.options);
  fields.fill(
    Object.fromEntries(
      settings.split(",").map((part) => part.split("=").map((word) => word.trim().replace(/^'|'$/g, ""))),
    ),
  );
  fields.node.addEventListener("change", () => {
    text.value = "";
    draw();
  });
  options.lastChild.replaceChildren(fields.node);
  options.hidden = !game.options.length;
  text.value = position || (settings ? "" : game.examples[0]);
  editor.offer(game.examples);
  await draw();
}

function changed() {
  clearTimeout(timer);
  timer = setTimeout(draw, PATIENCE);
}

/** Ask the server for the position, and draw it; answers that come late are dropped. */
async function draw() {
  const number = (asked += 1);
  try {
    const found = await post("/api/positions", body());
    if (number !== asked) return;
    if (!text.value.trim()) text.value = found.text;
    board.show(found, { animate: false });
    setText(problem, "");
    setText(
      facts,
      found.over
        ? "The game is over here."
        : `Player ${found.turn + 1} to move, ${found.legal.length} legal moves.`,
    );
    editor.show(text.value);
    go.disabled = play.disabled = false;
    play.disabled = found.over;
    history.replaceState(null, "", link());
  } catch (error) {
    if (number !== asked) return;
    setText(problem, error.message);
    setText(facts, "");
    go.disabled = play.disabled = true;
  }
}

function body() {
  const position = text.value.trim();
  return { game: games.value, options: fields.values(), ...(position ? { position } : {}) };
}

function link() {
  const changes = Object.entries(fields.values()).map(([name, value]) => `${name}=${value}`);
  const game = changes.length ? `${games.value}(${changes.join(", ")})` : games.value;
  return `${location.origin}/analyse?${new URLSearchParams({ game, position: text.value.trim() })}`;
}

async function open(mode) {
  const { id } = await post("/api/games", { ...body(), mode });
  location.assign(`/game/${encodeURIComponent(id)}`);
}
