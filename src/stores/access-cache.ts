import type { Client } from "../client/client.js";
import { isForbidden, isNotFound } from "../errors/predicates.js";
import { type Clock, systemClock, type Timer } from "../internal/clock.js";
import { quietly } from "../internal/quietly.js";
import type { ResourceRule, SubjectRulesReviewStatus } from "../kinds/authorization/v1.js";
import type { Kind } from "../meta/kind.js";
import { checkAccess } from "../operations/check-access.js";
import type { ExternalStore } from "./external-store.js";

/** An action to check. */
export interface AccessQuery {
  /** Verb, such as `get`, `list`, `create`, `patch` or `delete`. */
  readonly verb: string;
  /** Kind. */
  readonly kind: Kind;
  /** Subresource, such as `log` or `scale`. */
  readonly subresource?: string | undefined;
  /** Namespace. Default: all namespaces, or the cluster. */
  readonly namespace?: string | undefined;
  /** Name of the object. Default: all objects. */
  readonly name?: string | undefined;
}

/** Answer to a query at one moment. */
export interface AccessSnapshot {
  /** True if the action is allowed; `undefined` until the server has answered. */
  readonly allowed: boolean | undefined;
  /** Error of the latest review. The last answer stays valid. */
  readonly error: unknown;
}

/** Options for `createAccessCache`. */
export interface AccessCacheOptions {
  /** Time in milliseconds after which an answer is requested again. Default 60,000. */
  readonly lifetimeMs?: number | undefined;
  /** Source of time. Default: the system clock. */
  readonly clock?: Clock | undefined;
}

/** Answers of the server to the question what the client's user may do, for hiding what isn't allowed. */
export interface AccessCache {
  /** Returns true if the action is allowed. Rejects with a `StatusError` if the reviews fail. */
  check(query: AccessQuery): Promise<boolean>;
  /** Returns the answer as an external store; the same instance for equal queries. */
  store(query: AccessQuery): ExternalStore<AccessSnapshot>;
  /** Drops all answers, such as after a login. Stores with subscribers request theirs again. */
  invalidate(): void;
}

/** Answers above this number are dropped with the oldest first. */
const mostAnswers = 2_000;

/** Time after which a failed review is repeated for a subscriber (ms). */
const retryMs = 10_000;

/**
 * Creates a cache of access reviews. Within a namespace, one SelfSubjectRulesReview answers all queries; a
 * SelfSubjectAccessReview answers where the rules are incomplete, and for queries outside a namespace. It only guides a
 * user interface: the server decides about every request. Throws a `RangeError` if `lifetimeMs` isn't greater than 0.
 *
 * @example
 * ```ts
 * import { Pod } from "kubestream/kinds/core/v1";
 * import { connect } from "kubestream/node";
 * import { createAccessCache } from "kubestream/stores";
 *
 * const access = createAccessCache(await connect());
 * const [logs, deletion] = await Promise.all([
 *   access.check({ verb: "get", kind: Pod, subresource: "log", namespace: "web" }),
 *   access.check({ verb: "delete", kind: Pod, namespace: "web" }),
 * ]);
 * console.log({ logs, deletion });
 * ```
 */
export function createAccessCache(client: Client, options: AccessCacheOptions = {}): AccessCache {
  const { clock = systemClock, lifetimeMs = 60_000 } = options;
  if (!(lifetimeMs > 0)) throw new RangeError(`lifetimeMs must be greater than 0, not ${lifetimeMs}`);
  const rules = createExpiring<SubjectRulesReviewStatus | undefined>(lifetimeMs, clock);
  const reviews = createExpiring<boolean>(lifetimeMs, clock);
  const stores = new Map<string, ExternalStore<AccessSnapshot> & { refresh(): void }>();

  const check = async (query: AccessQuery): Promise<boolean> => {
    const { verb, kind, subresource, namespace, name } = query;
    if (namespace !== undefined && kind.scope === "Namespaced") {
      const found = await rules.get(namespace, () => reviewRules(client, namespace));
      if (found !== undefined) return found.resourceRules.some((rule) => permits(rule, query));
    }
    return reviews.get(keyOf(query), async () => {
      const resource = subresource === undefined ? kind : ([kind, subresource] as const);
      return (await checkAccess(client, verb, resource, { namespace, name })).allowed;
    });
  };

  return {
    check,
    store(query) {
      const key = keyOf(query);
      const store = stores.get(key) ?? createAccessStore(() => check(query), lifetimeMs, clock);
      stores.set(key, store);
      if (stores.size > mostAnswers) stores.delete(stores.keys().next().value!);
      return store;
    },
    invalidate() {
      rules.clear();
      reviews.clear();
      for (const store of stores.values()) store.refresh();
    },
  };
}

function keyOf({ verb, kind, subresource, namespace, name }: AccessQuery): string {
  return JSON.stringify([verb, kind.group, kind.version, kind.plural, subresource, namespace ?? null, name ?? null]);
}

/** Promises that are kept for a time. Rejected ones aren't kept. */
function createExpiring<V>(
  lifetimeMs: number,
  clock: Clock,
): { get(key: string, load: () => Promise<V>): Promise<V>; clear(): void } {
  const entries = new Map<string, { readonly value: Promise<V>; readonly until: number }>();
  return {
    get(key, load) {
      const known = entries.get(key);
      if (known !== undefined && clock.monotonic() < known.until) return known.value;
      const entry = { value: load(), until: clock.monotonic() + lifetimeMs };
      entry.value.catch(() => {
        if (entries.get(key) === entry) entries.delete(key);
      });
      entries.delete(key);
      entries.set(key, entry);
      if (entries.size > mostAnswers) entries.delete(entries.keys().next().value!);
      return entry.value;
    },
    clear: () => entries.clear(),
  };
}

/** Returns the user's rules in a namespace; `undefined` if they don't decide, because they are incomplete or refused. */
async function reviewRules(client: Client, namespace: string): Promise<SubjectRulesReviewStatus | undefined> {
  try {
    const response = await client.request({
      method: "POST",
      path: "/apis/authorization.k8s.io/v1/selfsubjectrulesreviews",
      body: { apiVersion: "authorization.k8s.io/v1", kind: "SelfSubjectRulesReview", spec: { namespace } },
      action: `review the rules in namespace ${namespace}`,
      repeatable: true,
    });
    const { status } = (await response.json()) as { status?: Partial<SubjectRulesReviewStatus> };
    if (status?.incomplete !== false || !Array.isArray(status.resourceRules) || status.evaluationError)
      return undefined;
    return status as SubjectRulesReviewStatus;
  } catch (error) {
    if (isForbidden(error) || isNotFound(error)) return undefined;
    throw error;
  }
}

/** Returns true if an RBAC rule permits the action. */
function permits(rule: ResourceRule, { verb, kind, subresource, name }: AccessQuery): boolean {
  const { verbs, apiGroups = [], resources = [], resourceNames = [] } = rule;
  const resource = subresource === undefined ? kind.plural : `${kind.plural}/${subresource}`;
  return (
    includes(verbs, verb) &&
    includes(apiGroups, kind.group) &&
    (includes(resources, resource) || (subresource !== undefined && resources.includes(`*/${subresource}`))) &&
    (resourceNames.length === 0 || (name !== undefined && resourceNames.includes(name)))
  );
}

function includes(list: readonly string[], value: string): boolean {
  return list.includes("*") || list.includes(value);
}

/** Creates a store that requests its answer while it has subscribers. */
function createAccessStore(
  load: () => Promise<boolean>,
  lifetimeMs: number,
  clock: Clock,
): ExternalStore<AccessSnapshot> & { refresh(): void } {
  const unknown: AccessSnapshot = { allowed: undefined, error: undefined };
  let snapshot = unknown;
  const listeners = new Set<{ readonly notify: () => void }>();
  let timer: Timer | undefined;
  let loads = 0;

  const show = (next: AccessSnapshot): void => {
    if (next.allowed === snapshot.allowed && next.error === snapshot.error) return;
    snapshot = next;
    for (const { notify } of [...listeners]) notify();
  };
  const refresh = (): void => {
    timer?.cancel();
    timer = undefined;
    if (listeners.size === 0) return;
    const turn = ++loads;
    const finish = (next: AccessSnapshot, delayMs: number): void => {
      if (turn !== loads) return;
      if (listeners.size > 0) timer = clock.setTimer(refresh, delayMs);
      show(next);
    };
    load().then(
      (allowed) => finish({ allowed, error: undefined }, lifetimeMs),
      (error: unknown) => finish({ allowed: snapshot.allowed, error }, Math.min(retryMs, lifetimeMs)),
    );
  };
  return {
    getSnapshot: () => snapshot,
    getServerSnapshot: () => unknown,
    refresh,
    subscribe(notify) {
      const entry = { notify: quietly(notify) };
      listeners.add(entry);
      if (listeners.size === 1) refresh();
      return () => {
        listeners.delete(entry);
        if (listeners.size > 0) return;
        timer?.cancel();
        timer = undefined;
      };
    },
  };
}
