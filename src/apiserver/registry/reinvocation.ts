import type { AdmissionAttributes } from "./services.js";

/** What one plugin remembers of what it has asked for a request. */
export class PluginCalls {
  /** Object after the plugin's last call, as JSON. */
  #last: string | undefined;
  /** What wants to see the object again if something changes it. */
  readonly #waiting = new Set<string>();
  readonly #due = new Set<string>();

  /** Whether something is to be asked in this round. */
  isDue(key: string, again: boolean): boolean {
    return !again || this.#due.has(key);
  }

  /** Begins a round; what others have changed since the last one is to be seen by those who wait for it. */
  begin(object: object | undefined, again: boolean): void {
    if (again && this.#last !== JSON.stringify(object)) this.changed();
  }

  /** Ends a round. */
  end(object: object | undefined): void {
    this.#last = JSON.stringify(object);
  }

  /** Notes that something was asked that wants to see the object again. */
  waits(key: string): void {
    this.#waiting.add(key);
  }

  /** Notes a change: all that was asked before and waits for one is due. */
  changed(): void {
    for (const key of this.#waiting) this.#due.add(key);
    this.#waiting.clear();
  }
}

/** The rounds of admission of one request. */
export interface Rounds {
  /** Whether this is the second round. */
  again: boolean;
  /** Whether a second round is wanted. */
  wanted: boolean;
  readonly plugins: Map<string, PluginCalls>;
}

const rounds = new WeakMap<AdmissionAttributes, Rounds>();

/** The rounds of a request's admission. */
export function roundsOf(attributes: AdmissionAttributes): Rounds {
  let found = rounds.get(attributes);
  if (found === undefined) rounds.set(attributes, (found = { again: false, wanted: false, plugins: new Map() }));
  return found;
}

/** What a plugin remembers of a request. */
export function callsOf(attributes: AdmissionAttributes, plugin: string): PluginCalls {
  const { plugins } = roundsOf(attributes);
  let found = plugins.get(plugin);
  if (found === undefined) plugins.set(plugin, (found = new PluginCalls()));
  return found;
}
