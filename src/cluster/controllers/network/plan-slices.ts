import { deepEqual } from "../../../internal/deep-equal.js";
import type { Endpoint, EndpointPort, EndpointSlice } from "../../../kinds/discovery/v1.js";
import type { DeepReadonly } from "../../../meta/object.js";

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
 * Plans the changes of slices. An endpoint stays in its slice. New ones go to slices that change anyway, or to one with
 * room for all of them, so that few slices are written.
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

function planGroup(
  own: readonly DeepReadonly<EndpointSlice>[],
  group: EndpointGroup,
  labels: WantedSlices["labels"],
): SlicePlan {
  const missing = new Map(group.endpoints.map((endpoint) => [endpoint.targetRef?.uid, endpoint]));
  const contents = own.map((slice) => {
    const endpoints = (slice.endpoints ?? []).flatMap(({ targetRef }) => {
      const wanted = missing.get(targetRef?.uid);
      missing.delete(targetRef?.uid);
      return wanted === undefined ? [] : [wanted];
    });
    const changed = !deepEqual(endpoints, slice.endpoints ?? []) || !deepEqual(slice.metadata?.labels, labels);
    return { slice, ports: group.ports, endpoints, changed };
  });
  let rest = [...missing.values()];
  for (const content of contents) {
    const fitsAll = content.endpoints.length + rest.length <= capacity && !contents.some(({ changed }) => changed);
    if (rest.length === 0 || !(content.changed || fitsAll)) continue;
    const room = capacity - content.endpoints.length;
    content.endpoints.push(...rest.slice(0, room));
    content.changed = true;
    rest = rest.slice(room);
  }
  const create: EndpointGroup[] = [];
  for (let at = 0; at < rest.length; at += capacity)
    create.push({ ...group, endpoints: rest.slice(at, at + capacity) });
  // Without endpoints, one empty slice stays.
  const isEmpty = group.endpoints.length === 0;
  if (isEmpty && contents.length === 0) create.push(group);
  const emptied = contents.filter(({ endpoints }) => endpoints.length === 0).slice(isEmpty ? 1 : 0);
  const used = contents.filter((content) => !emptied.includes(content));
  return {
    create,
    update: used.filter(({ changed }) => changed),
    delete: emptied.map(({ slice }) => slice),
    keep: used.filter(({ changed }) => !changed).map(({ slice }) => slice),
  };
}
