import { deepEqual } from "../../../internal/deep-equal.js";
import type { Endpoint, EndpointPort, EndpointSlice } from "../../../kinds/discovery/v1.js";
import type { DeepReadonly } from "../../../meta/object.js";
import { reservedLabels } from "./service-endpoints.js";

/** Maximum number of endpoints in a slice. */
const capacity = 100;

type AddressType = EndpointSlice["addressType"];

/** Endpoints with the same ports and the same kind of address. */
export interface EndpointGroup {
  readonly addressType: AddressType;
  readonly ports: readonly EndpointPort[];
  readonly endpoints: readonly Endpoint[];
}

/** Slice with the ports and endpoints that it should have. */
export interface SliceChange {
  readonly slice: DeepReadonly<EndpointSlice>;
  readonly ports: readonly EndpointPort[];
  readonly endpoints: readonly Endpoint[];
}

/** Changes that make the slices of a Service hold its endpoints. */
export interface SlicePlan {
  readonly create: readonly EndpointGroup[];
  readonly update: readonly SliceChange[];
  readonly delete: readonly DeepReadonly<EndpointSlice>[];
  /** Slices that stay the same. */
  readonly keep: readonly DeepReadonly<EndpointSlice>[];
}

/** Endpoints of a Service, and the labels of its slices. */
export interface WantedSlices {
  readonly groups: readonly EndpointGroup[];
  readonly labels: Readonly<Record<string, string>>;
}

/**
 * Plans the changes of slices. An endpoint stays in its slice. New ones go to slices that change anyway, the fullest
 * first, then to one with room for all of them, so that few slices are written.
 */
export function planSlices(
  slices: readonly DeepReadonly<EndpointSlice>[],
  { groups, labels }: WantedSlices,
): SlicePlan {
  const create: EndpointGroup[] = [];
  const update: SliceChange[] = [];
  const keep: DeepReadonly<EndpointSlice>[] = [];
  const unused = new Set(slices);
  for (const group of groups) {
    const own = slices.filter((slice) => slice.addressType === group.addressType && samePorts(slice, group));
    for (const slice of own) unused.delete(slice);
    const plan = planGroup(own, group, labels);
    create.push(...plan.create);
    update.push(...plan.update);
    keep.push(...plan.keep);
    for (const slice of plan.delete) unused.add(slice);
  }
  // A slice that isn't needed any more takes the place of a new one, so that few slices come and go.
  for (const slice of unused) {
    const at = create.findIndex(({ addressType }) => addressType === slice.addressType);
    if (at < 0) continue;
    unused.delete(slice);
    update.push({ slice, ...create.splice(at, 1)[0]! });
  }
  return { create, update, delete: [...unused], keep };
}

function samePorts({ ports }: DeepReadonly<EndpointSlice>, group: EndpointGroup): boolean {
  return deepEqual(ports ?? [], group.ports);
}

/** Slice with the endpoints that it keeps, and those that are added. */
interface Content extends SliceChange {
  readonly endpoints: Endpoint[];
  changed: boolean;
}

function planGroup(
  own: readonly DeepReadonly<EndpointSlice>[],
  group: EndpointGroup,
  labels: WantedSlices["labels"],
): SlicePlan {
  const missing = new Map(group.endpoints.map((endpoint) => [endpoint.targetRef?.uid, endpoint]));
  const contents: Content[] = [];
  const emptied: DeepReadonly<EndpointSlice>[] = [];
  for (const slice of own) {
    const endpoints = (slice.endpoints ?? []).flatMap(({ targetRef }) => {
      const wanted = missing.get(targetRef?.uid);
      missing.delete(targetRef?.uid);
      return wanted === undefined ? [] : [wanted];
    });
    const isSame = deepEqual(endpoints, slice.endpoints ?? []);
    if (!isSame && endpoints.length === 0) emptied.push(slice);
    else contents.push({ slice, ports: group.ports, endpoints, changed: !isSame || isRelabeled(slice, labels) });
  }
  contents.sort((a, b) => b.endpoints.length - a.endpoints.length);
  const rest = [...missing.values()];
  for (const content of contents) if (content.changed) fill(content.endpoints, rest);
  const create: EndpointGroup[] = [];
  while (rest.length > 0) {
    const next = contents.find(({ changed, endpoints }) => !changed && endpoints.length + rest.length <= capacity);
    if (next !== undefined) next.changed = true;
    const endpoints = next?.endpoints ?? [];
    if (next === undefined) create.push({ ...group, endpoints });
    fill(endpoints, rest);
  }
  // Without endpoints, one empty slice stays.
  if (group.endpoints.length === 0 && contents.length === 0) create.push(group);
  const surplus = group.endpoints.length === 0 ? contents.slice(1) : [];
  const used = contents.filter((content) => !surplus.includes(content));
  return {
    create,
    update: used.filter(({ changed }) => changed),
    delete: [...emptied, ...surplus.map(({ slice }) => slice)],
    keep: used.filter(({ changed }) => !changed).map(({ slice }) => slice),
  };
}

/** Moves endpoints to a slice until it's full. */
function fill(endpoints: Endpoint[], rest: Endpoint[]): void {
  for (const endpoint of rest.splice(0, Math.max(0, capacity - endpoints.length))) endpoints.push(endpoint);
}

/** Returns true if a slice has other labels than its Service. Those that controllers set don't count. */
function isRelabeled({ metadata }: DeepReadonly<EndpointSlice>, labels: WantedSlices["labels"]): boolean {
  return !deepEqual(withoutOwn(metadata?.labels), withoutOwn(labels));
}

function withoutOwn(labels: Readonly<Record<string, string>> = {}): Readonly<Record<string, string>> {
  return Object.fromEntries(Object.entries(labels).filter(([key]) => !reservedLabels.has(key)));
}
