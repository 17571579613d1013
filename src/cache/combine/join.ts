import { handleRejection } from "../../internal/handle-rejection.js";
import { quietly } from "../../internal/quietly.js";
import type { DeepReadonly } from "../../meta/object.js";
import type { HandlerRegistration, Informer } from "../informer/informer.js";
import type { InformerStatus } from "../informer/informer-status.js";
import type { Change } from "../store/change.js";
import { keyIn } from "../store/object-key.js";
import type { IndexFunction } from "../store/store-index.js";

/** Options for `joinInformers`. A left and a right object match when their values have at least one in common. */
export interface JoinOptions<L, R> {
  /**
   * Name of the join, used for its indexes. Two joins on the same informer need different names unless their functions
   * are the same.
   */
  readonly name: string;
  /** Values of a left object, for example the name of a pod's node. */
  readonly left: IndexFunction<DeepReadonly<L>>;
  /** Values of a right object, for example the name of a node. */
  readonly right: IndexFunction<DeepReadonly<R>>;
  /**
   * Receives errors that the handler throws while the initial objects are delivered, and the rejections of promises that
   * it returns. Errors that it throws later go to the informers' `onError`. None ends the join.
   */
  readonly onError?: ((error: unknown) => void) | undefined;
}

/** A change to a left object or to the right objects that match it. */
export interface JoinChange<L, R> {
  /**
   * `added` and `deleted` follow the left object. `updated` means that the left object, its set of matches or one of
   * the matches changed.
   */
  readonly type: "added" | "updated" | "deleted";
  /** Key of the left object. */
  readonly key: string;
  /** Left object. */
  readonly left: DeepReadonly<L>;
  /** Matching right objects; empty for `deleted`. */
  readonly right: readonly DeepReadonly<R>[];
}

/**
 * Joins two informers and calls `handler` for each left object with the right objects that match it: once both are
 * synced, and again after every change on either side. Call `remove` on the result to end the join. Throws a
 * `ClosedError` if either informer is closed, and a `RangeError` if a join with the same name uses different functions.
 *
 * @example
 * ```ts
 * import { createInformer, joinInformers } from "kubestream/cache";
 * import { Node, Pod } from "kubestream/kinds/core/v1";
 * import { connect } from "kubestream/node";
 *
 * const client = await connect();
 * const pods = createInformer(client.resource(Pod));
 * const nodes = createInformer(client.resource(Node));
 * const join = joinInformers(
 *   pods,
 *   nodes,
 *   { name: "node", left: (pod) => [pod.spec?.nodeName ?? ""], right: (node) => [node.metadata?.name ?? ""] },
 *   ({ type, key, right }) => console.log(type, key, "on", right[0]?.metadata?.name),
 * );
 * join.remove();
 * ```
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
  /** Keys of the left objects that the handler has seen. */
  const known = new Set<string>();
  const report = quietly(options.onError);
  let state: "waiting" | "beginning" | "live" | "ended" = "waiting";
  const rightOf = (object: DeepReadonly<L>): DeepReadonly<R>[] => [
    ...new Set(options.left(object).flatMap((value) => right.store.byIndex(name, value))),
  ];
  const take: (change: JoinChange<L, R>) => unknown = handler;
  const deliver = (change: JoinChange<L, R>): void => handleRejection(take(change), report);
  const emit = (key: string, object: DeepReadonly<L>): void => {
    const type = known.has(key) ? "updated" : "added";
    known.add(key);
    deliver({ type, key, left: object, right: rightOf(object) });
  };

  const onLeft = (change: Change<L>): void => {
    if (state !== "live") return;
    if (change.type !== "deleted") emit(change.key, change.object);
    else if (known.delete(change.key)) deliver({ type: "deleted", key: change.key, left: change.object, right: [] });
  };
  const onRight = (change: Change<R>): void => {
    if (state !== "live") return;
    const values = new Set(options.right(change.object));
    if (change.type === "updated") for (const value of options.right(change.old)) values.add(value);
    const affected = new Set<DeepReadonly<L>>();
    for (const value of values) for (const object of left.store.byIndex(name, value)) affected.add(object);
    for (const object of affected) {
      const key = keyIn(left.store, object);
      // The store may be ahead of the handlers. An object that is not known yet, or is deleted next, has a change of
      // its own on the way.
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
      // The informer retries and shows the refusal in its status. The next `synced` status begins the join.
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
