/** The page of one game of a tournament: the view of a game without a connection. */

import { get } from "./api.js";
import { byId, element } from "./dom.js";
import { openShell, setBanner } from "./shell.js";
import { GameView } from "./view.js";

openShell();
const [, , run, number] = location.pathname.split("/");
const view = new GameView(byId("main"), () => "");
try {
  const state = await get(`/api/runs/${encodeURIComponent(run)}/games/${encodeURIComponent(number)}`);
  view.receive({ ...state, type: "state" });
  view.go(0);
  const links = [
    [Number(number) - 1, "← previous game"],
    [Number(number) + 1, "next game →"],
  ];
  byId("main")
    .querySelector("h1")
    .after(
      element(
        "p",
        { class: "row small" },
        element("a", { href: `/arena/${encodeURIComponent(run)}` }, `Tournament ${run}`),
        ...links
          .filter(([to]) => to > 0 && to <= state.games)
          .map(([to, words]) => element("a", { href: `/arena/${encodeURIComponent(run)}/${to}` }, words)),
      ),
    );
} catch (error) {
  setBanner(error.message);
}
