/** The page of one game: a view that is connected to the server. */

import { Channel } from "./channel.js";
import { byId } from "./dom.js";
import { openShell, setBanner } from "./shell.js";
import { GameView } from "./view.js";

const QUIET = 700; // milliseconds without a connection before the page says so

openShell();
const id = location.pathname.split("/")[2];
let timer = null;
const view = new GameView(byId("main"), (message) => {
  if (timer !== null && !channel.isOpen) setBanner(lostWords());
  return channel.send(message);
});

const channel = new Channel(`/ws/game/${encodeURIComponent(id)}`, {
  opened() {
    clearTimeout(timer);
    timer = null;
    setBanner("");
    channel.hello(view.match.state?.version ?? null);
    // The server plays a move once, however often it is sent.
    if (view.match.pending) channel.send(view.match.pending.message);
    view.analysis.resume();
  },
  received: (message) => view.receive(message),
  lost(reason) {
    if (reason) setBanner(reason);
    else timer ??= setTimeout(() => setBanner(lostWords()), QUIET);
  },
});

function lostWords() {
  const move = view.match.pending ? " Your move will be sent when it is back." : "";
  return `The server does not answer. Trying again …${move}`;
}
