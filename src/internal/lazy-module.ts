/** A module that is imported when it is first needed, for code that can't wait in every place where it uses the module. */
export interface LazyModule<T> {
  /** Imports the module. Returns `undefined` if that is done. A failed import can be tried again. */
  load(): Promise<void> | undefined;
  /** Returns the module. Throws a `TypeError` if `load` hasn't finished. */
  get(): T;
}

/** Number of modules that are being imported. */
let imports = 0;

/** Returns true while a lazy module is being imported. That takes real time, for which a virtual clock has to wait. */
export function isLoadingModules(): boolean {
  return imports > 0;
}

/** Creates a lazy module from a function that imports it. */
export function lazyModule<T>(importModule: () => Promise<T>): LazyModule<T> {
  let loaded: T | undefined;
  let loading: Promise<void> | undefined;
  const load = async (): Promise<void> => {
    imports++;
    try {
      loaded = await importModule();
    } finally {
      imports--;
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
