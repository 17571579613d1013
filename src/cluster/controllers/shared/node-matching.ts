import type {
  Node,
  NodeSelector,
  NodeSelectorRequirement,
  NodeSelectorTerm,
  Pod,
  Taint,
  Toleration,
} from "../../../kinds/core/v1.js";
import type { DeepReadonly } from "../../../meta/object.js";

/** Returns true if a toleration covers a taint. */
export function tolerates(
  { key, operator = "Equal", value = "", effect }: DeepReadonly<Toleration>,
  taint: DeepReadonly<Taint>,
): boolean {
  if ((effect ?? taint.effect) !== taint.effect) return false;
  if (key !== undefined && key !== "" && key !== taint.key) return false;
  const given = taint.value ?? "";
  switch (operator) {
    case "Exists":
      return true;
    case "Lt":
      return isInteger(given) && isInteger(value) && BigInt(given) < BigInt(value);
    case "Gt":
      return isInteger(given) && isInteger(value) && BigInt(given) > BigInt(value);
    default:
      return value === given;
  }
}

function isInteger(text: string): boolean {
  return /^[+-]?\d{1,19}$/.test(text);
}

/** Returns the first taint with one of the effects that a pod doesn't tolerate. */
export function untoleratedTaint(
  { spec }: DeepReadonly<Pod>,
  taints: readonly DeepReadonly<Taint>[] | undefined,
  effects: readonly string[],
): DeepReadonly<Taint> | undefined {
  if (taints === undefined) return undefined;
  return taints.find(
    (taint) => effects.includes(taint.effect) && !(spec?.tolerations ?? []).some((each) => tolerates(each, taint)),
  );
}

/** Returns true if a node has the labels, and meets the required affinity, of a pod. */
export function matchesNodeAffinity({ spec }: DeepReadonly<Pod>, node: DeepReadonly<Node>): boolean {
  const labels = node.metadata?.labels ?? {};
  for (const [key, value] of Object.entries(spec?.nodeSelector ?? {})) if (labels[key] !== value) return false;
  const required = spec?.affinity?.nodeAffinity?.requiredDuringSchedulingIgnoredDuringExecution;
  return required === undefined || matchesNodeSelector(required, node);
}

/** Returns true if a node meets one of the terms of a selector. */
export function matchesNodeSelector(
  { nodeSelectorTerms }: DeepReadonly<NodeSelector>,
  node: DeepReadonly<Node>,
): boolean {
  return nodeSelectorTerms.some((term) => matchesNodeTerm(term, node));
}

/** Returns true if a node meets all requirements of a term. An empty term matches no node. */
export function matchesNodeTerm(
  { matchExpressions = [], matchFields = [] }: DeepReadonly<NodeSelectorTerm>,
  node: DeepReadonly<Node>,
): boolean {
  if (matchExpressions.length === 0 && matchFields.length === 0) return false;
  const labels = node.metadata?.labels ?? {};
  return (
    matchExpressions.every((each) => meets(each, Object.hasOwn(labels, each.key) ? labels[each.key] : undefined)) &&
    matchFields.every((each) => meets(each, each.key === "metadata.name" ? node.metadata?.name : undefined))
  );
}

function meets({ operator, values = [] }: DeepReadonly<NodeSelectorRequirement>, value: string | undefined): boolean {
  switch (operator) {
    case "In":
      return value !== undefined && values.includes(value);
    case "NotIn":
      return value === undefined || !values.includes(value);
    case "Exists":
      return value !== undefined;
    case "DoesNotExist":
      return value === undefined;
    default: {
      const [limit = ""] = values;
      if (value === undefined || !isInteger(value) || !isInteger(limit)) return false;
      return operator === "Gt" ? BigInt(value) > BigInt(limit) : BigInt(value) < BigInt(limit);
    }
  }
}
