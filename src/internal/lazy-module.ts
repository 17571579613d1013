/** A module that is imported when it is first needed, for code that can't wait in every place where it uses the module. */
export interface LazyModule<T> {
  /** Imports the module. Returns `undefined` if that is done. A failed import can be tried again. */
  load(): Promise<void> | undefined;
  /** Returns the module. Throws a `TypeError` if `load` hasn't finished. */
  get(): T;
}

/** Creates a lazy module from a function that imports it. */
export function lazyModule<T>(importModule: () => Promise<T>): LazyModule<T> {
  let loaded: T | undefined;
  let loading: Promise<void> | undefined;
  const load = async (): Promise<void> => {
    try {
      loaded = await importModule();
    } finally {
      loading = undefined;
    }
  };
  return {
    load() {
      if (loaded !== undefined) return undefined;
      return (loading ??= load());
    },
    get() {
      if (loaded === undefined) throw new TypeError("a module is used before it is loaded");
      return loaded;
    },
  };
}
