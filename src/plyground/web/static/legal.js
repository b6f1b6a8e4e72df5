/** Moves as text: a field to type one, choices that the board cannot show, a list of all moves. */

import { button, element } from "./dom.js";

export class Legal {
  /**
   * @param {HTMLElement} host
   * @param {HTMLElement} table holds the board; choices are offered over it
   * @param {import("./match.js").Match} match
   * @param {import("./entry.js").Entry} entry
   * @param {(text: string) => boolean} type
   * @param {(action: Object) => void} play
   */
  constructor(host, table, match, entry, type, play) {
    Object.assign(this, { host, match, entry, play, listed: null });
    this.choices = element("div", { class: "choices", role: "group", "aria-label": "Choose", hidden: true });
    table.append(this.choices);
    this.field = element("input", {
      id: "typed",
      autocomplete: "off",
      autocapitalize: "off",
      spellcheck: "false",
      size: 10,
    });
    this.form = element(
      "form",
      {
        class: "row",
        submit: (event) => {
          event.preventDefault();
          if (type(this.field.value)) this.field.value = "";
        },
      },
      element("label", { for: "typed" }, "Type a move"),
      this.field,
      element("button", {}, "Play"),
    );
    this.list = element("ul", { class: "legal", "aria-label": "Legal moves" });
    this.details = element(
      "details",
      { toggle: () => this.#showList() },
      element("summary", {}, "All legal moves"),
      this.list,
    );
    host.append(this.form, this.details);
  }

  /** Follow the moves that can be entered now. */
  show() {
    const { legal } = this.entry;
    this.host.hidden = this.match.state.over || !this.match.state.seats.some(({ yours }) => yours);
    this.field.placeholder = legal[0]?.text ?? "";
    this.field.title = this.match.state.game.notation;
    this.#showChoices();
    const onlyTexts = legal.length > 0 && legal.every(({ clicks }) => typeof clicks[0] === "string");
    if (onlyTexts) this.details.open = true;
    this.#showList();
  }

  #showChoices() {
    const next = this.entry.entered.length ? [...this.entry.next().keys()] : [];
    const texts = next.filter((click) => typeof click === "string");
    const wasOpen = !this.choices.hidden;
    if (!wasOpen) this.opener = document.activeElement;
    this.choices.hidden = !texts.length;
    this.choices.replaceChildren(
      ...(texts.length ? [element("span", {}, "How many?")] : []),
      ...texts.map((text) => button(text, () => this.entry.enter(text), { class: "main" })),
    );
    if (texts.length) this.choices.querySelector("button").focus({ preventScroll: true });
    else if (wasOpen) this.opener?.focus({ preventScroll: true }); // back to the cell, if keys were used
  }

  /** List the legal moves, unless the list is closed or up to date. */
  #showList() {
    const { legal } = this.entry;
    if (!this.details.open || this.listed === legal) return;
    this.listed = legal;
    this.list.replaceChildren(
      ...legal.map((action) =>
        element(
          "li",
          {},
          button(action.text, () => this.play(action)),
        ),
      ),
    );
  }
}
