import type { ClusterContext } from "../controllers/context.js";

/** Options for `readOnce`. */
export interface ReadOnceOptions {
  /** Name of the objects, for the log. */
  readonly what: string;
  /** Begins to follow the objects. Resolves when they are read. */
  follow(): Promise<unknown>;
  /** Called when they are read. */
  done(): void;
}

/** Returns a function that begins to read at its first call, and returns true once that is done. */
export function readOnce(
  { idle, log }: Pick<ClusterContext, "idle" | "log">,
  { what, follow, done }: ReadOnceOptions,
): () => boolean {
  let state: "unread" | "reading" | "read" = "unread";
  const begin = (): void => {
    state = "reading";
    Promise.all([follow(), idle()]).then(
      () => {
        state = "read";
        done();
      },
      (error: unknown) => {
        state = "unread";
        log({ level: "warn", controller: "scheduler", message: `${what} can't be read`, error });
      },
    );
  };
  return () => {
    if (state === "unread") begin();
    return state === "read";
  };
}
