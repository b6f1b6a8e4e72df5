/** The window in which a game is set up: who plays, how long, and by which rules. */

import { get, post } from "./api.js";
import { button, element, remember, remembered, setText } from "./dom.js";
import { AgentFields, OptionFields } from "./forms.js";

const CLOCKS = [
  ["", "no clock"],
  ["60 1", "1 minute, 1 second a move"],
  ["300 2", "5 minutes, 2 seconds a move"],
  ["900 10", "15 minutes, 10 seconds a move"],
];
const KINDS = [
  ["person", "a person here"],
  ["agent", "an agent"],
  ["open", "a person by link"],
];

/** Open the window for a game. @param {string} name of the game */
export async function openSetup(name) {
  const game = await get(`/api/catalogue/${encodeURIComponent(name)}`);
  const seats = [];
  const players = element("fieldset", {}, element("legend", {}, "Players"));
  const seat = (count) => {
    while (seats.length > count) seats.pop().node.remove();
    while (seats.length < count) {
      seats.push(new SeatFields(game, seats.length));
      players.append(seats.at(-1).node);
    }
  };
  seat(game.players);
  const options = new OptionFields(game.options);
  const clock = element(
    "select",
    { id: "clock" },
    ...CLOCKS.map(([value, words]) => element("option", { value }, words)),
  );
  const problem = element("p", { class: "problem", role: "alert" });

  // Some options change the number of players: the server knows, and says what is wrong with others.
  const check = async () => {
    try {
      const { returns, agents } = await post("/api/positions", {
        game: game.name,
        options: options.values(),
      });
      seat(returns.length);
      for (const each of seats) each.agent.offer(agents);
      setText(problem, "");
    } catch (error) {
      setText(problem, error.message);
    }
  };
  options.node.addEventListener("change", check);

  const start = async () => {
    const chosen = seats.map((seat) => seat.value());
    const watched = chosen.every(({ kind }) => kind === "agent");
    const body = {
      game: game.name,
      options: options.values(),
      seats: chosen,
      mode: watched ? "watch" : "play",
    };
    if (clock.value) {
      const [bank, increment] = clock.value.split(" ").map(Number);
      body.clock = { bank, increment };
    }
    try {
      const { id } = await post("/api/games", body);
      location.assign(`/game/${encodeURIComponent(id)}`);
    } catch (error) {
      setText(problem, error.message);
    }
  };
  const form = element(
    "form",
    {
      method: "dialog",
      submit: (event) => {
        event.preventDefault();
        start();
      },
    },
    element("h2", { id: "setup-title" }, game.title),
    element("p", { class: "faint" }, game.about),
    players,
    element(
      "div",
      { class: "fields" },
      element("label", { for: "clock" }, "Clock", element("small", {}, "starts after a player's first move")),
      clock,
    ),
    game.options.length ? element("details", {}, element("summary", {}, "Rules"), options.node) : null,
    problem,
    element(
      "div",
      { class: "row" },
      element("button", { class: "main" }, "Start"),
      game.players > 1 ? button("Swap seats", () => swap(seats, players)) : null,
      element(
        "a",
        { class: "button", href: `/analyse?${new URLSearchParams({ game: game.name })}` },
        "Set up a position",
      ),
      button("Cancel", () => window.close()),
    ),
  );
  const window = element("dialog", { "aria-labelledby": "setup-title", close: () => window.remove() }, form);
  document.body.append(window);
  window.showModal();
  form.querySelector("button.main").focus();
}

/** Exchange the first two seats, with all that was chosen for them. */
function swap(seats, players) {
  [seats[0], seats[1]] = [seats[1], seats[0]];
  seats.forEach((seat, number) => seat.place(number));
  players.append(...seats.map(({ node }) => node));
}

class SeatFields {
  constructor(game, number) {
    const option = ([value, words]) => element("option", { value }, words);
    this.kind = element("select", { change: () => this.set(this.kind.value) }, ...KINDS.map(option));
    this.name = element("input", { placeholder: "name", maxlength: 40, size: 12 });
    this.token = element("span", { class: "token", "aria-hidden": "true" });
    this.agent = new AgentFields(game);
    this.node = element(
      "div",
      { class: "seat-form" },
      this.token,
      this.kind,
      this.name,
      this.agent.select,
      this.agent.host,
    );
    this.name.value = number === 0 ? remembered("name") : "";
    this.isOwn = number === 0;
    this.place(number);
    this.set(number === 0 ? "person" : "agent");
  }

  /** Give the seat a number, from 0. */
  place(number) {
    setText(this.token, String(number + 1));
    this.kind.setAttribute("aria-label", `player ${number + 1}`);
    this.name.setAttribute("aria-label", `name of player ${number + 1}`);
  }

  set(kind) {
    this.kind.value = kind;
    this.name.hidden = kind !== "person";
    this.agent.select.hidden = this.agent.host.hidden = kind !== "agent";
  }

  value() {
    const kind = this.kind.value;
    if (kind === "agent") return { kind, ...this.agent.value() };
    if (kind === "open") return { kind };
    const name = this.name.value.trim();
    if (this.isOwn && name) remember("name", name);
    return { kind, name };
  }
}
