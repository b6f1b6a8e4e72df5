/** Links to a game and to a position, and files to keep. */

import { post } from "./api.js";
import { button, element } from "./dom.js";
import { copy, noting } from "./shell.js";

export class Share {
  /**
   * @param {HTMLElement} host
   * @param {import("./match.js").Match} match
   */
  constructor(host, match) {
    this.match = match;
    this.text = element("textarea", {
      readonly: true,
      rows: 2,
      "aria-label": "Position as text",
      focus: () => this.text.select(),
    });
    this.picture = file("picture.svg", "Picture (SVG)");
    this.files = [
      this.picture,
      file("animation.svg", "Animation (SVG)"),
      file("record.txt", "Record"),
      file("replay.html", "Replay page"),
    ];
    this.game = button("Link to this game", () => copy(location.href));
    this.fork = button(
      "Continue from here",
      noting(() => this.#continue()),
    );
    host.append(
      element(
        "details",
        { class: "share" },
        element("summary", {}, "Share and keep"),
        element(
          "div",
          { class: "row" },
          this.game,
          button("Link to this position", () => copy(this.#link())),
          this.fork,
        ),
        this.text,
        element("div", { class: "row" }, ...this.files),
      ),
    );
  }

  /** Follow the shown position. */
  show() {
    const { state, shown } = this.match;
    this.text.value = this.match.position;
    const kept = state.mode !== "replay";
    this.fork.hidden = !kept || (state.game.hidden && !state.over);
    for (const link of this.files) {
      link.hidden = !kept;
      const query = link === this.picture ? `?ply=${shown}` : "";
      link.href = `/api/games/${encodeURIComponent(state.id)}/${link.dataset.file}${query}`;
    }
  }

  #link() {
    const { spec } = this.match.state.game;
    const query = new URLSearchParams({ game: spec, position: this.match.position });
    return `${location.origin}/analyse?${query}`;
  }

  async #continue() {
    const { id } = await post("/api/games", {
      from: { id: this.match.state.id, ply: this.match.shown },
      mode: "analysis",
    });
    location.assign(`/game/${encodeURIComponent(id)}`);
  }
}

function file(name, words) {
  return element("a", { class: "button", "data-file": name, download: true }, words);
}
