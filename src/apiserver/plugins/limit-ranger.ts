import { compareQuantities, formatQuantity, parseQuantity, quantityToNumber } from "../../meta/quantity.js";
import { refusal } from "../admission/refusal.js";
import type { ApiObject } from "../objects/api-object.js";
import type { AdmissionAttributes, AdmissionPlugin } from "../registry/services.js";
import { listStored } from "../registry/stored-objects.js";
import type { Container, PodSpec, ResourceList } from "./pod.js";
import { podAmounts } from "./pod.js";

interface LimitRangeItem {
  readonly type: string;
  readonly min?: ResourceList;
  readonly max?: ResourceList;
  readonly default?: ResourceList;
  readonly defaultRequest?: ResourceList;
  readonly maxLimitRequestRatio?: ResourceList;
}

const limitRangerAnnotation = "kubernetes.io/limit-ranger";

/**
 * Applies the defaults of the namespace's LimitRanges to the containers of new and resized pods, and rejects pods and
 * claims that exceed the limits. Objects that are being deleted are exempt, so that their finalizers can be removed.
 *
 * @see https://kubernetes.io/docs/concepts/policy/limit-range/
 */
export const limitRanger: AdmissionPlugin = {
  name: "LimitRanger",
  admit(attributes, { services }) {
    if (!changesPod(attributes)) return;
    for (const range of listStored(services, "/limitranges", attributes.namespace))
      setDefaults(attributes.object!, itemsOf(range));
  },
  validate(attributes, { services }) {
    const isPod = changesPod(attributes);
    if (!isPod && !changesClaim(attributes)) return;
    const { namespace, object } = attributes;
    for (const range of listStored(services, "/limitranges", namespace)) {
      const items = itemsOf(range);
      const all = isPod ? podProblems(object!["spec"] as PodSpec, items) : claimProblems(object!, items);
      // Containers with the same problem report it once.
      const problems = [...new Set(all)];
      if (problems.length > 0)
        throw refusal(attributes, problems.length === 1 ? problems[0]! : `[${problems.join(", ")}]`);
    }
  },
};

/** True for a new pod, and for a resize of one that isn't being deleted. */
function changesPod({ operation, resource, subresource, object, old }: AdmissionAttributes): boolean {
  if (resource.bucket !== "/pods" || object === undefined || isBeingDeleted(old)) return false;
  return subresource === "" ? operation === "CREATE" : subresource === "resize" && operation === "UPDATE";
}

/** True for a new claim, and for an update of one that isn't being deleted. */
function changesClaim({ resource, subresource, object, old }: AdmissionAttributes): boolean {
  return (
    resource.bucket === "/persistentvolumeclaims" && subresource === "" && object !== undefined && !isBeingDeleted(old)
  );
}

function isBeingDeleted(old: ApiObject | undefined): boolean {
  return old?.metadata?.deletionTimestamp != null;
}

function itemsOf(range: ApiObject): readonly LimitRangeItem[] {
  return (range["spec"] as { limits?: LimitRangeItem[] } | undefined)?.limits ?? [];
}

/** Returns the containers. A new pod that is not validated yet may have none. */
function containersOf({ containers }: Partial<PodSpec>): readonly Container[] {
  return containers ?? [];
}

function setDefaults(pod: ApiObject, items: readonly LimitRangeItem[]): void {
  const forContainers = items.filter((item) => item.type === "Container");
  const limits = Object.assign({}, ...forContainers.map((item) => item.default ?? {})) as ResourceList;
  const requests = Object.assign({}, ...forContainers.map((item) => item.defaultRequest ?? {})) as ResourceList;
  const spec = pod["spec"] as PodSpec;
  const notes = [
    ...containersOf(spec).flatMap((container) => setContainerDefaults(container, "container", limits, requests)),
    ...(spec.initContainers ?? []).flatMap((container) =>
      setContainerDefaults(container, "init container", limits, requests),
    ),
  ];
  if (notes.length === 0) return;
  pod.metadata ??= {};
  pod.metadata.annotations = {
    ...pod.metadata.annotations,
    [limitRangerAnnotation]: `LimitRanger plugin set: ${notes.join("; ")}`,
  };
}

function setContainerDefaults(
  container: Container,
  word: string,
  limits: ResourceList,
  requests: ResourceList,
): string[] {
  const fill = (which: "limits" | "requests", defaults: ResourceList): string[] => {
    const missing = Object.keys(defaults)
      .filter((name) => container.resources?.[which]?.[name] === undefined)
      .sort();
    if (missing.length === 0) return [];
    container.resources ??= {};
    const amounts = { ...container.resources[which] };
    for (const name of missing) amounts[name] = defaults[name]!;
    container.resources[which] = amounts;
    return [`${missing.join(", ")} ${which.slice(0, -1)} for ${word} ${container.name}`];
  };
  const setLimits = fill("limits", limits);
  return [...fill("requests", requests), ...setLimits];
}

function podProblems(spec: PodSpec, items: readonly LimitRangeItem[]): string[] {
  return items.flatMap((item) => {
    if (item.type === "Pod") return problemsOf(item, podAmounts(spec, "requests"), podAmounts(spec, "limits"));
    if (item.type !== "Container") return [];
    return [...containersOf(spec), ...(spec.initContainers ?? [])].flatMap(({ resources }) =>
      problemsOf(item, resources?.requests ?? {}, resources?.limits ?? {}),
    );
  });
}

function problemsOf(item: LimitRangeItem, requests: ResourceList, limits: ResourceList): string[] {
  const checks = [
    [item.min, belowMinimum],
    [item.max, aboveMaximum],
    [item.maxLimitRequestRatio, aboveRatio],
  ] as const;
  return checks.flatMap(([bounds, check]) =>
    Object.entries(bounds ?? {}).flatMap(
      ([name, bound]) => check({ type: item.type, name, bound, request: requests[name], limit: limits[name] }) ?? [],
    ),
  );
}

function show(text: string): string {
  return formatQuantity(parseQuantity(text));
}

/** Amounts of one resource and a bound of a LimitRange. */
interface BoundedAmount {
  readonly type: string;
  readonly name: string;
  readonly bound: string;
  readonly request: string | undefined;
  readonly limit: string | undefined;
}

function belowMinimum({ type, name, bound, request, limit }: BoundedAmount): string | undefined {
  const head = `minimum ${name} usage per ${type} is ${show(bound)}`;
  if (request === undefined) return `${head}.  No request is specified`;
  if (compareQuantities(request, bound) < 0) return `${head}, but request is ${show(request)}`;
  if (limit !== undefined && compareQuantities(limit, bound) < 0) return `${head}, but limit is ${show(limit)}`;
  return undefined;
}

function aboveMaximum({ type, name, bound, request, limit }: BoundedAmount): string | undefined {
  const head = `maximum ${name} usage per ${type} is ${show(bound)}`;
  if (limit === undefined) return `${head}.  No limit is specified`;
  if (compareQuantities(limit, bound) > 0) return `${head}, but limit is ${show(limit)}`;
  if (request !== undefined && compareQuantities(request, bound) > 0) return `${head}, but request is ${show(request)}`;
  return undefined;
}

function aboveRatio({ type, name, bound, request, limit }: BoundedAmount): string | undefined {
  const head = `${name} max limit to request ratio per ${type} is ${show(bound)}`;
  if (request === undefined || quantityToNumber(request) === 0)
    return `${head}, but no request is specified or request is 0`;
  if (limit === undefined || quantityToNumber(limit) === 0) return `${head}, but no limit is specified or limit is 0`;
  const ratio = quantityToNumber(limit) / quantityToNumber(request);
  return ratio > quantityToNumber(bound) ? `${head}, but provided ratio is ${ratio.toFixed(6)}` : undefined;
}

function claimProblems(claim: ApiObject, items: readonly LimitRangeItem[]): string[] {
  const requests =
    (claim["spec"] as { resources?: { requests?: ResourceList } } | undefined)?.resources?.requests ?? {};
  return items
    .filter((item) => item.type === "PersistentVolumeClaim")
    .flatMap((item) => [
      ...Object.entries(item.min ?? {}).map(([name, bound]) =>
        belowMinimum({ type: item.type, name, bound, request: requests[name], limit: undefined }),
      ),
      ...Object.entries(item.max ?? {}).map(([name, bound]) => {
        const request = requests[name];
        const head = `maximum ${name} usage per ${item.type} is ${show(bound)}`;
        if (request === undefined) return `${head}.  No request is specified`;
        return compareQuantities(request, bound) > 0 ? `${head}, but request is ${show(request)}` : undefined;
      }),
    ])
    .filter((problem) => problem !== undefined);
}
