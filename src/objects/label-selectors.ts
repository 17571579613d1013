import type { LabelSelector, LabelSelectorRequirement } from "../meta/label-selector.js";
import type { DeepReadonly } from "../meta/object.js";

/**
 * Returns true if labels meet every requirement of a selector, such as the `spec.selector` of a Deployment. An empty
 * selector matches everything, an absent one nothing. Throws a `TypeError` for an unknown operator.
 *
 * @example
 * ```ts
 * import { Deployment } from "kubestream/kinds/apps/v1";
 * import { Pod } from "kubestream/kinds/core/v1";
 * import { connect } from "kubestream/node";
 * import { matchesLabelSelector } from "kubestream/objects";
 *
 * const client = await connect();
 * const web = await client.resource(Deployment).namespace("shop").get("web");
 * const { items } = await client.resource(Pod).namespace("shop").list();
 * console.log(items.filter((pod) => matchesLabelSelector(web.spec?.selector, pod.metadata?.labels)).length);
 * ```
 */
export function matchesLabelSelector(
  selector: DeepReadonly<LabelSelector> | undefined,
  labels: Readonly<Record<string, string>> | undefined,
): boolean {
  if (selector === undefined) return false;
  const valueOf = (key: string): string | undefined =>
    labels !== undefined && Object.hasOwn(labels, key) ? labels[key] : undefined;
  return (
    Object.entries(selector.matchLabels ?? {}).every(([key, value]) => valueOf(key) === value) &&
    (selector.matchExpressions ?? []).every((requirement) => meets(requirement, valueOf(requirement.key)))
  );
}

function meets({ operator, values = [] }: DeepReadonly<LabelSelectorRequirement>, value: string | undefined): boolean {
  switch (operator) {
    case "In":
      return value !== undefined && values.includes(value);
    case "NotIn":
      return value === undefined || !values.includes(value);
    case "Exists":
      return value !== undefined;
    case "DoesNotExist":
      return value === undefined;
    default:
      throw new TypeError(`matchExpressions: unknown operator ${JSON.stringify(operator)}`);
  }
}

/**
 * Returns a selector as the text that `labelSelector` options accept: `app=web,tier in (a,b),!legacy`. An empty
 * selector returns `""`, which selects everything. Throws a `TypeError` for an unknown operator.
 *
 * @example
 * ```ts
 * import { formatLabelSelector } from "kubestream/objects";
 *
 * // app=web,tier in (back,front)
 * console.log(
 *   formatLabelSelector({
 *     matchLabels: { app: "web" },
 *     matchExpressions: [{ key: "tier", operator: "In", values: ["front", "back"] }],
 *   }),
 * );
 * ```
 */
export function formatLabelSelector(selector: DeepReadonly<LabelSelector>): string {
  const labels = Object.entries(selector.matchLabels ?? {}).map(([key, value]) => `${key}=${value}`);
  return [...labels, ...(selector.matchExpressions ?? []).map(formatRequirement)].sort().join(",");
}

function formatRequirement({ key, operator, values = [] }: DeepReadonly<LabelSelectorRequirement>): string {
  const list = `(${[...values].sort().join(",")})`;
  switch (operator) {
    case "In":
      return `${key} in ${list}`;
    case "NotIn":
      return `${key} notin ${list}`;
    case "Exists":
      return key;
    case "DoesNotExist":
      return `!${key}`;
    default:
      throw new TypeError(`matchExpressions: unknown operator ${JSON.stringify(operator)}`);
  }
}
