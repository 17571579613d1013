import type { AdmissionAttributes } from "../services.js";

/** State of one plugin across the admission rounds of a request. */
export class PluginCalls {
  /** Object after the plugin's last call, as JSON, if something waits for a change of it. */
  #last: string | undefined;
  /** Webhooks or policies to call again if something else changes the object. */
  readonly #waiting = new Set<string>();
  readonly #due = new Set<string>();

  /** True if a webhook or policy must be called in this round. */
  isDue(key: string, again: boolean): boolean {
    return !again || this.#due.has(key);
  }

  /** Starts a round. If the object changed since the last one, everything that waits becomes due. */
  begin(object: object | undefined, again: boolean): void {
    if (again && this.#waiting.size > 0 && this.#last !== JSON.stringify(object)) this.changed();
  }

  /** Ends a round. */
  end(object: object | undefined): void {
    this.#last = this.#waiting.size === 0 ? undefined : JSON.stringify(object);
  }

  /** Registers a webhook or policy that wants to be reinvoked. */
  waits(key: string): void {
    this.#waiting.add(key);
  }

  /** Records a change: everything called earlier that waits becomes due. */
  changed(): void {
    for (const key of this.#waiting) this.#due.add(key);
    this.#waiting.clear();
  }
}

/** Admission rounds of one request. */
export interface Rounds {
  /** True during the second round. */
  again: boolean;
  /** True if a second round is needed. */
  wanted: boolean;
  readonly plugins: Map<string, PluginCalls>;
}

const rounds = new WeakMap<AdmissionAttributes, Rounds>();

/** Returns the admission rounds of a request. */
export function roundsOf(attributes: AdmissionAttributes): Rounds {
  let found = rounds.get(attributes);
  if (found === undefined) rounds.set(attributes, (found = { again: false, wanted: false, plugins: new Map() }));
  return found;
}

/** Starts the second round of a request. Returns false if no plugin wants one, and after it. */
export function startsAgain(attributes: AdmissionAttributes): boolean {
  const found = rounds.get(attributes);
  if (found === undefined || !found.wanted || found.again) return false;
  found.again = true;
  return true;
}

/** Returns the state of a plugin for a request. */
export function callsOf(attributes: AdmissionAttributes, plugin: string): PluginCalls {
  const { plugins } = roundsOf(attributes);
  let found = plugins.get(plugin);
  if (found === undefined) plugins.set(plugin, (found = new PluginCalls()));
  return found;
}
