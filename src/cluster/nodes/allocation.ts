import { deepEqual } from "../../internal/deep-equal.js";
import type { Container, Pod, PodStatus, ResourceRequirements } from "../../kinds/core/v1.js";
import type { DeepReadonly } from "../../meta/object.js";
import { formatQuantity } from "../../meta/quantity.js";
import { podTotals, type Totals } from "../controllers/shared/pod-totals.js";
import { amountOf } from "../scheduler/snapshot/pod-resources.js";

/** Requests and limits. */
export type Requirements = DeepReadonly<ResourceRequirements>;

/** Resources by container. Those of the pod as a whole have an empty name. */
export type Allocation = ReadonlyMap<string, Requirements>;

/** Name under which an allocation has the resources of the pod as a whole. */
export const wholePod = "";

/** Returns the requests and limits in a version of a pod. */
export function allocationOf({ spec }: DeepReadonly<Pod>): Allocation {
  const all = [...(spec?.initContainers ?? []), ...(spec?.containers ?? [])];
  return new Map([
    [wholePod, spec?.resources ?? {}],
    ...all.map(({ name, resources = {} }) => [name, resources] as const),
  ]);
}

/** Returns true if two allocations are the same. */
export function equalAllocations(a: Allocation, b: Allocation): boolean {
  return a.size === b.size && [...a].every(([name, resources]) => deepEqual(resources, b.get(name)));
}

/** Returns a pod with the allocated resources in its spec. */
export function withAllocation(pod: DeepReadonly<Pod>, allocation: Allocation | undefined): DeepReadonly<Pod> {
  if (allocation === undefined) return pod;
  const apply = (containers: readonly DeepReadonly<Container>[] | undefined): DeepReadonly<Container>[] =>
    (containers ?? []).map((each) => ({ ...each, resources: allocation.get(each.name) ?? each.resources ?? {} }));
  const { spec } = pod;
  const resources = allocation.get(wholePod);
  const [containers, initContainers] = [apply(spec?.containers), apply(spec?.initContainers)];
  return { ...pod, spec: { ...spec!, containers, initContainers, ...(resources && { resources }) } };
}

/** A change of a container's resources. */
export interface ContainerResize {
  readonly before: Requirements;
  readonly after: Requirements;
}

/** Returns the change of a container's resources. A container without a limit has that of the pod as a whole. */
export function resizeOf(container: string, before: Allocation, after: Allocation): ContainerResize {
  const effective = (allocation: Allocation): Requirements => {
    const own = allocation.get(container);
    return { ...own, limits: { ...allocation.get(wholePod)?.limits, ...own?.limits } };
  };
  return { before: effective(before), after: effective(after) };
}

/** Returns true if a resource changes whose resize policy is a restart. */
export function needsRestart(
  { resizePolicy = [] }: DeepReadonly<Container>,
  { before, after }: ContainerResize,
): boolean {
  return resizePolicy.some(
    ({ resourceName, restartPolicy }) =>
      restartPolicy === "RestartContainer" &&
      (before.requests?.[resourceName] !== after.requests?.[resourceName] ||
        before.limits?.[resourceName] !== after.limits?.[resourceName]),
  );
}

/** Returns the new memory limit in bytes if it's lower than before. */
export function loweredMemoryLimit({ before, after }: ContainerResize): number | undefined {
  const limitOf = ({ limits }: Requirements): number | undefined =>
    limits?.["memory"] === undefined ? undefined : amountOf("memory", limits["memory"]);
  const limit = limitOf(after);
  return limit !== undefined && limit < (limitOf(before) ?? Number.POSITIVE_INFINITY) ? limit : undefined;
}

/** Returns the resources of a whole pod for its status: those allocated to it, and those in effect. */
export function podLevelStatus(
  allocated: DeepReadonly<Pod>,
  actual: DeepReadonly<Pod>,
): Pick<PodStatus, "allocatedResources" | "resources"> {
  const allocatedResources = formatTotals(podTotals(allocated.spec!, "requests"));
  const requests = formatTotals(podTotals(actual.spec!, "requests"), ["cpu", "memory"]);
  const limits = formatTotals(podTotals(actual.spec!, "limits"), limitedResources(actual));
  const own = actual.spec?.resources;
  const resources = { requests: { ...own?.requests, ...requests }, limits: { ...own?.limits, ...limits } };
  return { ...(isFilled(allocatedResources) && { allocatedResources }), resources: withoutEmpty(resources) };
}

/** Returns the resources for which all containers have a limit, and so the pod. */
function limitedResources({ spec }: DeepReadonly<Pod>): string[] {
  const all = [...(spec?.initContainers ?? []), ...(spec?.containers ?? [])];
  return ["cpu", "memory"].filter((name) => all.every(({ resources }) => resources?.limits?.[name] !== undefined));
}

function formatTotals(totals: Totals, names: readonly string[] = [...totals.keys()]): Record<string, string> {
  const known = names.filter((name) => totals.has(name));
  return Object.fromEntries(known.map((name) => [name, formatQuantity(totals.get(name)!)]));
}

function isFilled(amounts: object | undefined): boolean {
  return amounts !== undefined && Object.keys(amounts).length > 0;
}

function withoutEmpty({ requests, limits }: ResourceRequirements): ResourceRequirements {
  return { ...(isFilled(requests) && { requests }), ...(isFilled(limits) && { limits }) };
}
