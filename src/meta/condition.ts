import type { Time } from "./scalars.js";
import { formatTime } from "./time.js";

/**
 * One aspect of an object's state, as controllers report it in `status.conditions`.
 * @see https://kubernetes.io/docs/reference/kubernetes-api/common-definitions/condition/
 */
export interface Condition {
  /** Name of the aspect, such as `Ready`; unique within the object. */
  type: string;
  /** Status of the condition. */
  status: "True" | "False" | "Unknown" | (string & {});
  /** Machine-readable reason in CamelCase. */
  reason: string;
  /** Human-readable explanation. */
  message: string;
  /** Time at which `status` last changed. */
  lastTransitionTime: Time;
  /** The `metadata.generation` that the condition was computed for. */
  observedGeneration?: number | undefined;
}

/** The fields that `setCondition` needs. `Condition` has them, and so do `PodCondition` and its like. */
export interface ConditionFields {
  /** Name of the aspect. */
  readonly type: string;
  /** Status of the condition. */
  readonly status: string;
  /** Time at which `status` last changed. */
  readonly lastTransitionTime?: Time | undefined;
}

/** A condition for `setCondition`. */
export type NewCondition<C extends ConditionFields = Condition> = Omit<C, "lastTransitionTime"> & {
  /** Time at which `status` changed. Default: now. Ignored if `status` is the same as before. */
  readonly lastTransitionTime?: string | undefined;
};

/**
 * Returns the condition of this type, or `undefined` if the list has none.
 *
 * @example
 * ```ts
 * import { Deployment } from "kubestream/kinds/apps/v1";
 * import { connect } from "kubestream/node";
 * import { findCondition } from "kubestream/objects";
 *
 * const client = await connect();
 * const { status } = await client.resource(Deployment).namespace("web").get("shop");
 * console.log(findCondition(status?.conditions, "Progressing")?.reason);
 * ```
 */
export function findCondition<C extends { readonly type: string }>(
  conditions: readonly C[] | null | undefined,
  type: string,
): C | undefined {
  return conditions?.find((condition) => condition.type === type);
}

/**
 * Returns the list with a condition replaced or, if its type is new, appended. `lastTransitionTime` is kept unless
 * `status` changes, as the API conventions require. All other fields come from the new condition.
 *
 * The given list isn't modified, so it may come from an informer. If nothing changes, the condition stays the same
 * object.
 *
 * @example
 * ```ts
 * import { type Condition, defineKind } from "kubestream";
 * import { connect } from "kubestream/node";
 * import { setCondition } from "kubestream/objects";
 *
 * const Widget = defineKind<{ size: number }, { conditions?: Condition[] }>()({
 *   group: "example.com",
 *   version: "v1",
 *   kind: "Widget",
 *   plural: "widgets",
 *   scope: "Namespaced",
 * });
 * const client = await connect();
 * const widgets = client.resource(Widget).namespace("web");
 * const { metadata, status } = await widgets.get("large");
 * const conditions = setCondition(status?.conditions, {
 *   type: "Ready",
 *   status: "True",
 *   reason: "AllPartsReady",
 *   message: "3 of 3 parts are ready",
 *   observedGeneration: metadata?.generation,
 * });
 * await widgets.subresource("status").patch("large", { type: "merge", patch: { status: { conditions } } });
 * ```
 */
export function setCondition(conditions: readonly [] | null | undefined, next: NewCondition): Condition[];
export function setCondition<C extends ConditionFields>(
  conditions: readonly C[] | null | undefined,
  next: NewCondition<C>,
): C[];
export function setCondition(conditions: readonly ConditionFields[] | null | undefined, next: object): object[] {
  const given = next as NewCondition<ConditionFields>;
  const list = [...(conditions ?? [])];
  const index = list.findIndex(({ type }) => type === given.type);
  const before = list[index];
  const since = before?.status === given.status ? before.lastTransitionTime : undefined;
  const after = { ...given, lastTransitionTime: since ?? given.lastTransitionTime ?? formatTime(Date.now()) };
  if (before === undefined) list.push(after);
  else if (!sameFields(before, after)) list[index] = after;
  return list;
}

function sameFields(a: object, b: object): boolean {
  const right = b as Record<string, unknown>;
  const left = a as Record<string, unknown>;
  return Object.keys({ ...left, ...right }).every((key) => left[key] === right[key]);
}
