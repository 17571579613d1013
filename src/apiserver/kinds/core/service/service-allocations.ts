import type { Service } from "../../../../kinds/core/v1.js";
import type { Version } from "../../../storage/bucket.js";
import type { MvccStore } from "../../../storage/mvcc.js";

/** Allocated addresses and node ports with the key of their Service. */
export interface ServiceAllocations {
  readonly addresses: ReadonlyMap<string, string>;
  readonly nodePorts: ReadonlyMap<number, string>;
}

interface Kept {
  revision: number;
  addresses: Map<string, string>;
  nodePorts: Map<number, string>;
}

const kept = new WeakMap<MvccStore, Kept>();

/** Returns the allocations of all stored Services. Each call only reads the changes since the previous one. */
export function serviceAllocations(store: MvccStore): ServiceAllocations {
  const bucket = store.bucket("/services");
  const known = kept.get(store);
  if (known?.revision === bucket.lastRevision) return known;
  const changes = known === undefined ? undefined : bucket.since(known.revision);
  const next =
    known === undefined || changes === undefined
      ? { revision: 0, addresses: new Map<string, string>(), nodePorts: new Map<number, string>() }
      : known;
  if (changes === undefined) {
    bucket.scan("", undefined, store.revision, (version) => {
      take(next, version);
      return undefined;
    });
  }
  for (const { old, version } of changes ?? []) {
    if (old !== undefined) release(next, old);
    if (version.json !== undefined) take(next, version);
  }
  next.revision = bucket.lastRevision;
  kept.set(store, next);
  return next;
}

function take({ addresses, nodePorts }: Kept, version: Version): void {
  const { addresses: own, ports } = heldBy(version);
  for (const address of own) addresses.set(address, version.key);
  for (const port of ports) nodePorts.set(port, version.key);
}

function release({ addresses, nodePorts }: Kept, version: Version): void {
  const { addresses: own, ports } = heldBy(version);
  for (const address of own) if (addresses.get(address) === version.key) addresses.delete(address);
  for (const port of ports) if (nodePorts.get(port) === version.key) nodePorts.delete(port);
}

function heldBy(version: Version): { addresses: readonly string[]; ports: readonly number[] } {
  const { spec } = JSON.parse(version.json!) as Service;
  const ports = [...(spec?.ports ?? []).map(({ nodePort = 0 }) => nodePort), spec?.healthCheckNodePort ?? 0];
  return { addresses: spec?.clusterIPs ?? [], ports: ports.filter((port) => port !== 0) };
}
