/** Objects that a watch sees, by what its request says. */
export interface WatchScope {
  /** `""` for all namespaces. */
  readonly namespace: string;
  /** `""` for all names. */
  readonly name: string;
  /** True if an index finds the watch, so that most writes don't concern it. */
  readonly indexed: boolean;
}

/** Open watches of one resource: callbacks that end them, and the number of those that a write concerns. */
export class WatcherSet {
  readonly #watchers: Map<() => void, WatchScope> = new Map();
  readonly #counts: Map<string, number> = new Map();

  /** Number of open watches. */
  get size(): number {
    return this.#watchers.size;
  }

  /** Adds a watch. */
  add(end: () => void, scope: WatchScope): void {
    if (this.#watchers.has(end)) return;
    this.#watchers.set(end, scope);
    this.#count(scope, 1);
  }

  /** Removes a watch. */
  delete(end: () => void): void {
    const scope = this.#watchers.get(end);
    if (scope === undefined) return;
    this.#watchers.delete(end);
    this.#count(scope, -1);
  }

  /** Returns the callbacks that end the watches. */
  all(): (() => void)[] {
    return [...this.#watchers.keys()];
  }

  /** Ends all watches. */
  endAll(): void {
    for (const end of this.all()) end();
  }

  /** Returns the number of watches that may see a write to an object. */
  interested(namespace: string, name: string): number {
    const of = (ns: string, own: string): number => this.#counts.get(`${ns}/${own}`) ?? 0;
    return of("", "") + (namespace === "" ? 0 : of(namespace, "")) + (name === "" ? 0 : of(namespace, name));
  }

  #count({ namespace, name, indexed }: WatchScope, delta: number): void {
    if (indexed) return;
    const key = `${namespace}/${name}`;
    const count = (this.#counts.get(key) ?? 0) + delta;
    if (count === 0) this.#counts.delete(key);
    else this.#counts.set(key, count);
  }
}
