/** The first page: the games that can be played, and one's own games. */

import { get } from "./api.js";
import { byId, counted, element } from "./dom.js";
import { openSetup } from "./setup.js";
import { noting, openShell, setBanner } from "./shell.js";

openShell();
const main = byId("main");

try {
  const [{ games }, own] = await Promise.all([get("/api/catalogue"), get("/api/games")]);
  const open = noting(openSetup);
  const cards = games.map(({ name, title, about, players, picture }) => {
    const count = players === 1 ? "a puzzle for one" : `${players} players`;
    return element(
      "li",
      {},
      element(
        "button",
        { type: "button", class: "card", "data-game": name, click: () => open(name) },
        element("img", { src: picture, alt: "", loading: "lazy" }),
        element("b", {}, title),
        element("span", {}, about),
        element("span", {}, count),
      ),
    );
  });
  main.append(
    element("h1", {}, "What would you like to play?"),
    element("ul", { class: "gallery" }, ...cards),
  );
  if (own.games.length)
    main.append(element("section", { class: "panel" }, element("h2", {}, "Your games"), ownGames(own.games)));
  const asked = new URLSearchParams(location.search).get("game");
  if (asked) open(asked);
} catch (error) {
  setBanner(error.message);
}

function ownGames(games) {
  const rows = games.map(({ id, title, mode, ply, over, outcome, seats, turn, yours }) => {
    const ours = !over && yours.includes(turn) && mode === "play";
    const now = over ? outcome : ours ? "your turn" : mode === "analysis" ? "analysis" : "under way";
    return element(
      "tr",
      {},
      element("td", {}, element("a", { href: `/game/${encodeURIComponent(id)}` }, title)),
      element("td", {}, seats.join(" – ")),
      element("td", { class: "number" }, counted(ply, "move")),
      element("td", {}, ours ? element("b", {}, now) : now),
    );
  });
  return element("div", { class: "wide-table" }, element("table", {}, element("tbody", {}, ...rows)));
}
