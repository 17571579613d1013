import type { Informer } from "../cache/informer/informer.js";
import { ClosedError } from "../errors/errors.js";
import { KubestreamError } from "../errors/kubestream-error.js";
import { whenAborted } from "../internal/abort.js";
import type { DeepReadonly, KubernetesObject } from "../meta/object.js";
import type { UntilOptions } from "./cluster.js";
import type { ClusterClock } from "./time/cluster-clock.js";

/** Error of a wait whose condition wasn't met in time. */
export class ClusterTimeoutError extends KubestreamError {
  override readonly name = "ClusterTimeoutError";

  static override get className(): string {
    return "ClusterTimeoutError";
  }
}

interface ObjectWait<T> extends UntilOptions {
  readonly informer: Informer<T>;
  readonly clock: ClusterClock;
  readonly settled: () => Promise<void>;
  readonly name: string;
  /** Describes the object in the error of a wait that failed. */
  readonly explain: () => Promise<string>;
  readonly condition: (object: DeepReadonly<T> | undefined) => boolean;
}

/** Waits until an object in a cache meets a condition. A virtual clock advances while it waits. */
export async function waitForObject<T extends KubernetesObject>(
  wait: ObjectWait<T>,
): Promise<DeepReadonly<T> | undefined> {
  const { informer, clock, settled, name, condition, explain, timeoutMs = 60_000, signal } = wait;
  await informer.synced({ ...(signal && { signal }) });
  let error: unknown;
  let met = false;
  const check = (): boolean => {
    try {
      met ||= condition(informer.store.get(name));
    } catch (thrown) {
      error = thrown;
      met = true;
    }
    return met;
  };
  let finish: (() => void) | undefined;
  const finished = new Promise<void>((resolve) => {
    finish = resolve;
  });
  const registration = informer.addHandler(() => {
    if (check()) finish?.();
  });
  // A closed cluster has no timers, not even the one below.
  const closing = informer.onStatus(({ type }) => {
    if (type !== "closed" || met) return;
    error = new ClosedError(`until ${name}: the cluster was closed`);
    met = true;
    finish?.();
  });
  const timer = clock.setTimer(() => finish?.(), timeoutMs);
  const unfollow = signal && whenAborted(signal, () => finish?.());
  try {
    const ended = (): boolean => check() || signal?.aborted === true;
    if (!check()) await (clock.virtual ? clock.advanceUntil(ended, timeoutMs, settled) : finished);
  } finally {
    closing.remove();
    registration.remove();
    timer.cancel();
    unfollow?.();
  }
  if (error !== undefined) throw error as Error;
  if (met) return informer.store.get(name);
  signal?.throwIfAborted();
  const message = `${informer.description}: ${name} did not meet the condition within ${timeoutMs} ms`;
  const description = await explain().catch((problem: unknown) => String(problem));
  throw new ClusterTimeoutError(`${message}\n${description}`);
}
