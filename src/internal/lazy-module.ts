import { workOutside } from "./outside-work.js";

/** A module that is imported when it is first needed, for code that can't wait in every place where it uses the module. */
export interface LazyModule<T> {
  /** Imports the module. Returns `undefined` if that is done. A failed import can be tried again. */
  load(): Promise<void> | undefined;
  /** Returns the module. Throws a `NotLoadedError` if `load` hasn't finished. */
  get(): T;
}

/** Error for the use of a module before it is loaded. Code that can wait loads it and tries again. */
export class NotLoadedError extends TypeError {
  override readonly name: string = "NotLoadedError";
  /** Imports the module. */
  readonly load: () => Promise<void> | undefined;

  constructor(load: () => Promise<void> | undefined) {
    super("a module is used before it is loaded");
    this.load = load;
  }
}

/** Creates a lazy module from a function that imports it. */
export function lazyModule<T>(importModule: () => Promise<T>): LazyModule<T> {
  let loaded: T | undefined;
  let loading: Promise<void> | undefined;
  const load = async (): Promise<void> => {
    try {
      loaded = await workOutside(importModule());
    } finally {
      loading = undefined;
    }
  };
  const loadOnce = (): Promise<void> | undefined => (loaded === undefined ? (loading ??= load()) : undefined);
  return {
    load: loadOnce,
    get() {
      if (loaded === undefined) throw new NotLoadedError(loadOnce);
      return loaded;
    },
  };
}
