/** Forms made from the descriptors of options: games and agents describe what can be set. */

import { element, words } from "./dom.js";

let count = 0;

/** Fields for a list of option descriptors, with the values that a person has changed. */
export class OptionFields {
  /** @param {Object[]} options descriptors as `GET /api/catalogue/NAME` returns them */
  constructor(options) {
    this.options = options.filter((option) => !option.list);
    this.inputs = new Map();
    this.node = element("div", { class: "fields" }, ...this.options.flatMap((option) => this.#row(option)));
  }

  /** Return the values that differ from the defaults, by name. */
  values() {
    const changed = {};
    for (const option of this.options) {
      const value = read(option, this.inputs.get(option.name));
      if (value !== undefined && value !== option.default) changed[option.name] = value;
    }
    return changed;
  }

  /** Set fields from values by name. */
  fill(values) {
    for (const [name, value] of Object.entries(values)) {
      const input = this.inputs.get(name);
      if (input?.type === "checkbox") input.checked = value === true || value === "true";
      else if (input) input.value = value;
    }
  }

  #row(option) {
    const id = `option-${(count += 1)}`;
    const input = field(option, id);
    this.inputs.set(option.name, input);
    const about = [option.help, option.kind === "choice" || option.allowed?.length ? "" : option.range]
      .filter(Boolean)
      .join("; ");
    return [
      element("label", { for: id }, words(option.name), about ? element("small", {}, about) : null),
      input,
    ];
  }
}

function field(option, id) {
  const { kind, default: standard, low, high } = option;
  const names = option.allowed?.length ? option.allowed : option.choices;
  if (kind === "bool") return element("input", { id, type: "checkbox", checked: standard === true });
  if (names?.length) {
    const all = standard == null || names.includes(standard) ? names : [standard, ...names];
    const blank = option.optional && !all.includes("") ? [element("option", { value: "" }, "none")] : [];
    const made = element(
      "select",
      { id },
      ...blank,
      ...all.map((name) => element("option", { value: name }, name === "" ? "standard" : words(name))),
    );
    made.value = standard ?? "";
    return made;
  }
  return element("input", {
    id,
    type: "number",
    value: standard,
    min: low,
    max: high,
    step: kind === "int" ? 1 : "any",
    placeholder: option.optional ? "none" : null,
    required: option.required,
  });
}

function read({ kind, optional, allowed, choices }, input) {
  if (kind === "bool") return input.checked;
  const named = allowed?.length || choices?.length;
  if (input.value === "" && !(named && allowed?.includes(""))) return optional ? null : undefined;
  return named ? input.value : Number(input.value);
}

/** Return a choice among an agent's levels and all agents, with the fields of its options. */
export class AgentFields {
  /** @param {Object} game what `GET /api/catalogue/NAME` returned */
  constructor(game, { level = game.default_level } = {}) {
    this.game = game;
    const option = (value, name) => element("option", { value }, name);
    this.select = element(
      "select",
      { "aria-label": "Strength", change: () => this.#showOptions() },
      element(
        "optgroup",
        { label: "Strength" },
        ...game.levels.map(({ level, about }) => option(`level ${level}`, `level ${level}: ${about}`)),
      ),
      element(
        "optgroup",
        { label: "Agents" },
        ...game.agents.map(({ name }) => option(`agent ${name}`, words(name))),
      ),
    );
    this.select.value = `level ${level}`;
    this.host = element("div", { class: "fields-host" });
    this.fields = null;
  }

  /** Offer only the agents of these names, as the others cannot play by the chosen rules. */
  offer(names) {
    for (const option of this.select.querySelectorAll("option[value^='agent ']"))
      option.disabled = option.hidden = !names.includes(option.value.slice("agent ".length));
    if (!this.select.selectedOptions[0]?.disabled) return;
    this.select.value = `level ${this.game.default_level}`;
    this.#showOptions();
  }

  /** Return the choice as the server wants it. */
  value() {
    const [kind, name] = split(this.select.value);
    return kind === "level" ? { level: Number(name) } : { agent: { name, options: this.fields.values() } };
  }

  #showOptions() {
    const [kind, name] = split(this.select.value);
    const agent = kind === "agent" ? this.game.agents.find((each) => each.name === name) : null;
    this.fields = agent ? new OptionFields(agent.options) : null;
    this.host.replaceChildren(
      ...(agent ? [element("p", { class: "faint small" }, agent.about), this.fields.node] : []),
    );
  }
}

function split(text) {
  const at = text.indexOf(" ");
  return [text.slice(0, at), text.slice(at + 1)];
}
