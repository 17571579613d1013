import { quietly } from "../../internal/quietly.js";
import type { DeepReadonly } from "../../meta/object.js";
import type { HandlerRegistration, Informer } from "../informer/informer.js";
import type { InformerStatus } from "../informer/informer-status.js";
import type { Change } from "../store/change.js";
import { objectKey } from "../store/object-key.js";
import type { IndexFunction } from "../store/store-index.js";

/** How the objects of two informers belong together: those that share a value do. */
export interface JoinOptions<L, R> {
  /** Name of the join, which its indexes carry. Two joins of one informer with other functions need two names. */
  readonly name: string;
  /** Values of an object on the left, as the name of a pod's node. */
  readonly left: IndexFunction<DeepReadonly<L>>;
  /** Values of an object on the right, as a node's name. */
  readonly right: IndexFunction<DeepReadonly<R>>;
  /** Told what the handler throws while the join begins. What it throws later the informers are told. It stops nothing. */
  readonly onError?: (error: unknown) => void;
}

/** What happened to an object on the left or to those that belong to it. */
export interface JoinChange<L, R> {
  /** `added` and `deleted` follow the left object; `updated` also tells that others belong to it now, or that they changed. */
  readonly type: "added" | "updated" | "deleted";
  /** Key of the object on the left. */
  readonly key: string;
  /** The object on the left. */
  readonly left: DeepReadonly<L>;
  /** The objects on the right that belong to it; none for `deleted`. */
  readonly right: readonly DeepReadonly<R>[];
}

/**
 * Joins two informers: tells each object on the left with those on the right that share a value with it, first when
 * both are synced and then with every change of either. Answers with what ends it. Throws a `ClosedError` where one of them
 * was closed, and a `RangeError` where another join of the name has other functions.
 */
export function joinInformers<L, R>(
  left: Informer<L>,
  right: Informer<R>,
  options: JoinOptions<L, R>,
  handler: (change: JoinChange<L, R>) => void,
): {
  /** Ends the join. */
  remove(): void;
} {
  const name = `join ${options.name}`;
  left.store.addIndex(name, options.left);
  try {
    right.store.addIndex(name, options.right);
  } catch (error) {
    left.store.removeIndex(name);
    throw error;
  }
  /** Keys on the left that were told. */
  const known = new Set<string>();
  const report = quietly(options.onError);
  let state: "waiting" | "beginning" | "live" | "ended" = "waiting";

  const rightOf = (object: DeepReadonly<L>): DeepReadonly<R>[] => [
    ...new Set(options.left(object).flatMap((value) => right.store.byIndex(name, value))),
  ];
  const emit = (key: string, object: DeepReadonly<L>): void => {
    const type = known.has(key) ? "updated" : "added";
    known.add(key);
    handler({ type, key, left: object, right: rightOf(object) });
  };

  const onLeft = (change: Change<L>): void => {
    if (state !== "live") return;
    if (change.type !== "deleted") emit(change.key, change.object);
    else if (known.delete(change.key)) handler({ type: "deleted", key: change.key, left: change.object, right: [] });
  };
  const onRight = (change: Change<R>): void => {
    if (state !== "live") return;
    const values = new Set(options.right(change.object));
    if (change.type === "updated") for (const value of options.right(change.old)) values.add(value);
    const affected = new Set<DeepReadonly<L>>();
    for (const value of values) for (const object of left.store.byIndex(name, value)) affected.add(object);
    for (const object of affected) {
      const key = objectKey(object);
      // The store may be ahead of the changes: what was not added yet, or is deleted next, is told by its own change.
      if (known.has(key)) emit(key, object);
    }
  };

  const registrations: HandlerRegistration[] = [];
  const leave = (): void => {
    for (const registration of [...registrations, ...statuses]) registration.remove();
    left.store.removeIndex(name);
    right.store.removeIndex(name);
  };
  const begin = async (): Promise<void> => {
    if (state !== "waiting") return;
    state = "beginning";
    try {
      await Promise.all(registrations.map((registration) => registration.synced()));
    } catch {
      // A refusal shows in the informers' status; the join begins when both are there at last.
      if (!isEnded()) state = "waiting";
      return;
    }
    if (isEnded()) return;
    state = "live";
    for (const key of [...left.store.keys()]) {
      const object = left.store.get(key);
      if (object === undefined || isEnded()) continue;
      try {
        emit(key, object);
      } catch (error) {
        report(error);
      }
    }
  };
  const isEnded = (): boolean => state === "ended";
  const onStatus = ({ type }: InformerStatus): void => {
    if (type === "synced") void begin();
  };
  const statuses = [left.onStatus(onStatus), right.onStatus(onStatus)];
  try {
    registrations.push(left.addHandler(onLeft));
    registrations.push(right.addHandler(onRight));
  } catch (error) {
    leave();
    throw error;
  }
  void begin();
  return {
    remove() {
      if (isEnded()) return;
      state = "ended";
      leave();
    },
  };
}
