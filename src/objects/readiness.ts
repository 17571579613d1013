import { systemClock } from "../internal/clock.js";
import { parseApiVersion } from "../meta/kind.js";
import type { DeepReadonly, KubernetesObject } from "../meta/object.js";
import { type Readiness, readinessRules } from "./readiness-rules.js";

/** Options for `readinessOf` and `isReady`. */
export interface ReadinessOptions {
  /** Current time in milliseconds since the epoch. Default: the system's time. */
  readonly nowMs?: number | undefined;
  /** Lets a Job be in progress until it's complete. Default `false`: a Job that runs is current, as in kstatus. */
  readonly completeJobs?: boolean | undefined;
}

/** An object with the parts of a status that many kinds share. */
type Reconciled = KubernetesObject & {
  readonly status?: { readonly observedGeneration?: number; readonly conditions?: readonly StatusCondition[] };
};

interface StatusCondition {
  readonly type: string;
  readonly status: string;
  readonly reason?: string;
  readonly message?: string;
}

/**
 * Computes the readiness of an object of any kind from its own fields, by the rules of kstatus: a deletion, a generation
 * that isn't observed, and the conditions `Reconciling` and `Stalled` decide first; then rules for the built-in kinds; then,
 * for other kinds, the condition `Ready` if there is one. An object without any of these is `current`.
 *
 * A Job that runs is `current`, unless `completeJobs` is set; it has `failed` when the Job has. ConfigMaps, Secrets and the like always are `current`.
 * @see https://github.com/kubernetes-sigs/cli-utils/tree/master/pkg/kstatus
 *
 * @example
 * ```ts
 * import { Deployment } from "kubestream/kinds/apps/v1";
 * import { connect } from "kubestream/node";
 * import { readinessOf } from "kubestream/objects";
 *
 * const client = await connect();
 * const web = await client.resource(Deployment).namespace("default").get("web");
 * const { status, reason, message } = readinessOf(web);
 * console.log(status, reason, message); // inProgress LessAvailable 1 of 3 replicas are available
 * ```
 */
export function readinessOf(object: DeepReadonly<KubernetesObject>, options: ReadinessOptions = {}): Readiness {
  const { metadata, status } = object as DeepReadonly<Reconciled>;
  if (metadata?.deletionTimestamp != null)
    return { status: "terminating", reason: "Terminating", message: "the object is being deleted" };
  const { generation } = metadata ?? {};
  const observed = status?.observedGeneration;
  if (generation !== undefined && observed !== undefined && observed !== generation)
    return inProgress("LatestGenerationNotObserved", `generation ${generation} is not observed yet, only ${observed}`);
  const conditions = status?.conditions ?? [];
  for (const { type, status: value, reason = type, message = "" } of conditions) {
    if (value !== "True") continue;
    if (type === "Reconciling") return inProgress(reason, message);
    if (type === "Stalled") return { status: "failed", reason, message };
  }
  const rule = readinessRules[ruleKey(object)];
  const { nowMs = systemClock.now(), completeJobs = false } = options;
  if (rule !== undefined) return rule(object as never, { nowMs, completeJobs });
  const ready = conditions.find(({ type }) => type === "Ready");
  if (ready === undefined || ready.status === "True") return current("the object is current");
  return inProgress(ready.reason ?? "NotReady", ready.message ?? "");
}

/**
 * Returns true if an object is ready: `readinessOf` computes `current`. An object that doesn't exist isn't ready.
 *
 * @example
 * ```ts
 * import { waitFor } from "kubestream/cache";
 * import { Deployment } from "kubestream/kinds/apps/v1";
 * import { connect } from "kubestream/node";
 * import { isReady } from "kubestream/objects";
 *
 * const client = await connect();
 * const deployments = client.resource(Deployment).namespace("default");
 * await waitFor(deployments, "web", (web) => isReady(web), { timeoutMs: 120_000 });
 * ```
 */
export function isReady(object: DeepReadonly<KubernetesObject> | undefined, options: ReadinessOptions = {}): boolean {
  return object !== undefined && readinessOf(object, options).status === "current";
}

function ruleKey({ apiVersion = "", kind = "" }: DeepReadonly<KubernetesObject>): string {
  const { group } = parseApiVersion(apiVersion);
  return group === "" ? kind : `${group}/${kind}`;
}

function current(message: string): Readiness {
  return { status: "current", reason: "", message };
}

function inProgress(reason: string, message: string): Readiness {
  return { status: "inProgress", reason, message };
}
