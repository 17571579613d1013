/** Version of an object, as far as watches are found by it. */
interface Keyed {
  readonly key: string;
  readonly exists: boolean;
}

/** A change: the new version, and the one before it. */
interface Change<V> {
  readonly version: V;
  readonly old: V | undefined;
}

/** Objects that a watch sees, by what its request says. */
export interface WatchScope<V> {
  /** `""` for all namespaces. */
  readonly namespace: string;
  /** `""` for all names. */
  readonly name: string;
  /** Field with one value, by which the watch is found, so that most writes don't concern it. */
  readonly indexed?: IndexedValue<V> | undefined;
}

/** Value that all objects of a watch have in a field. */
interface IndexedValue<V> {
  /** Name of the field. */
  readonly field: string;
  readonly value: string;
  /** Returns the value of the field. All watches of a resource that name the field read it alike. */
  read(version: V): string | undefined;
}

/** An open watch. */
export interface OpenWatch<V> {
  readonly scope: WatchScope<V>;
  /** True if the reader gets the stored objects themselves and holds them. */
  readonly sharesObjects?: boolean | undefined;
  /** Gets each change that the scope may contain, in order of revision right after the write. */
  change(entry: Change<V>): void;
  /** Ends the watch. */
  end(): void;
}

interface FieldIndex<V> {
  readonly read: IndexedValue<V>["read"];
  readonly watches: Map<string, Set<OpenWatch<V>>>;
}

/** Open watches of one resource, by the objects that they see: a write costs nothing for a watch of other objects. */
export class WatcherSet<V extends Keyed> {
  readonly #watches: Set<OpenWatch<V>> = new Set();
  /** Watches without an indexed field, by `NAMESPACE/NAME`. */
  readonly #places: Map<string, Set<OpenWatch<V>>> = new Map();
  readonly #fields: Map<string, FieldIndex<V>> = new Map();
  #sharing = 0;

  /** Number of open watches. */
  get size(): number {
    return this.#watches.size;
  }

  /** True while a reader holds the stored objects themselves. */
  get shareObjects(): boolean {
    return this.#sharing > 0;
  }

  /** Adds a watch. */
  add(watch: OpenWatch<V>): void {
    this.#watches.add(watch);
    if (watch.sharesObjects === true) this.#sharing += 1;
    const { namespace, name, indexed } = watch.scope;
    if (indexed === undefined) {
      addTo(this.#places, `${namespace}/${name}`, watch);
      return;
    }
    let index = this.#fields.get(indexed.field);
    if (index === undefined) this.#fields.set(indexed.field, (index = { read: indexed.read, watches: new Map() }));
    addTo(index.watches, indexed.value, watch);
  }

  /** Removes a watch. */
  delete(watch: OpenWatch<V>): void {
    if (this.#watches.delete(watch) && watch.sharesObjects === true) this.#sharing -= 1;
    const { namespace, name, indexed } = watch.scope;
    if (indexed === undefined) {
      deleteFrom(this.#places, `${namespace}/${name}`, watch);
      return;
    }
    const index = this.#fields.get(indexed.field);
    if (index === undefined) return;
    deleteFrom(index.watches, indexed.value, watch);
    if (index.watches.size === 0) this.#fields.delete(indexed.field);
  }

  /** Notifies the watches that may see a change. */
  notify(entry: Change<V>): void {
    if (this.#watches.size === 0) return;
    const { key } = entry.version;
    const slash = key.indexOf("/");
    const namespace = key.slice(0, Math.max(slash, 0));
    const name = key.slice(slash + 1);
    for (const place of new Set(["/", `/${name}`, `${namespace}/`, key]))
      for (const watch of this.#places.get(place) ?? []) watch.change(entry);
    for (const { read, watches } of this.#fields.values()) {
      const values = [entry.version, entry.old].map((version) =>
        version?.exists === true ? read(version) : undefined,
      );
      for (const value of new Set(values))
        if (value !== undefined) for (const watch of watches.get(value) ?? []) watch.change(entry);
    }
  }

  /** Returns the watches that are open now. */
  all(): OpenWatch<V>[] {
    return [...this.#watches];
  }

  /** Ends all watches. */
  endAll(): void {
    for (const watch of this.all()) watch.end();
  }

  /**
   * Returns the number of watches that may see a write to an object, as kube-apiserver counts them: without those that
   * have an indexed field, or a name in all namespaces. `""` stands for a name that isn't known yet.
   */
  interested(namespace: string, name: string): number {
    const places = new Set(["/", `${namespace}/`, `${namespace}/${name}`]);
    return [...places].reduce((sum, place) => sum + (this.#places.get(place)?.size ?? 0), 0);
  }
}

function addTo<V>(sets: Map<string, Set<OpenWatch<V>>>, key: string, watch: OpenWatch<V>): void {
  const set = sets.get(key);
  if (set === undefined) sets.set(key, new Set([watch]));
  else set.add(watch);
}

function deleteFrom<V>(sets: Map<string, Set<OpenWatch<V>>>, key: string, watch: OpenWatch<V>): void {
  const set = sets.get(key);
  if (set?.delete(watch) === true && set.size === 0) sets.delete(key);
}
