import type { Service } from "../../../../kinds/core/v1.js";
import type { IPAddress } from "../../../../kinds/networking/v1.js";
import type { Version } from "../../../storage/bucket.js";
import type { MvccStore } from "../../../storage/mvcc.js";

/** Allocated addresses and node ports with the key of their Service. */
export interface ServiceAllocations {
  readonly addresses: ReadonlyMap<string, string>;
  readonly nodePorts: ReadonlyMap<number, string>;
}

/** Label of the IPAddresses that the server maintains, and its value. */
export const managedBy = { label: "ipaddress.kubernetes.io/managed-by", value: "ipallocator.k8s.io" } as const;

/** True if an address has an IPAddress that isn't the server's, so that no Service may get it. */
export function isWithheld(store: MvccStore, address: string): boolean {
  const stored = store.bucket("networking.k8s.io/ipaddresses").get(address);
  if (stored?.exists !== true) return false;
  const { metadata } = JSON.parse(stored.json!) as IPAddress;
  return metadata?.labels?.[managedBy.label] !== managedBy.value;
}

/** Addresses and node ports of a Service. */
interface Held {
  /** Key of the Service. */
  readonly key: string;
  readonly addresses: readonly string[];
  readonly ports: readonly number[];
}

interface Kept {
  revision: number;
  addresses: Map<string, string>;
  nodePorts: Map<number, string>;
  /** Allocations of writes that aren't over. */
  reserved: Set<Held>;
}

const known = new WeakMap<MvccStore, Kept>();

/**
 * Returns the allocations of all stored Services and those of `reserveAllocations`. Each call only reads the changes
 * since the previous one.
 */
export function serviceAllocations(store: MvccStore): ServiceAllocations {
  return update(store);
}

/**
 * Reserves the allocations of a Service until it is stored, so that concurrent writes get other ones. Returns a function
 * to call when the write is over, successful or not.
 */
export function reserveAllocations(store: MvccStore, key: string, { spec }: Service): () => void {
  const held = heldBy(key, spec);
  const kept = update(store);
  kept.reserved.add(held);
  take(kept, held);
  return () => {
    const current = update(store);
    current.reserved.delete(held);
    release(current, held);
    const stored = store.bucket("/services").get(key);
    if (stored?.exists === true) take(current, heldByVersion(stored));
    for (const other of current.reserved) take(current, other);
  };
}

function update(store: MvccStore): Kept {
  const bucket = store.bucket("/services");
  const before = known.get(store);
  if (before?.revision === bucket.lastRevision) return before;
  const changes = before === undefined ? undefined : bucket.since(before.revision);
  const next =
    before === undefined || changes === undefined
      ? {
          revision: 0,
          addresses: new Map<string, string>(),
          nodePorts: new Map<number, string>(),
          reserved: before?.reserved ?? new Set<Held>(),
        }
      : before;
  if (changes === undefined) {
    bucket.scan("", undefined, store.revision, (version) => {
      take(next, heldByVersion(version));
      return undefined;
    });
    for (const held of next.reserved) take(next, held);
  }
  for (const { old, version } of changes ?? []) {
    if (old !== undefined) release(next, heldByVersion(old));
    if (version.exists) take(next, heldByVersion(version));
  }
  next.revision = bucket.lastRevision;
  known.set(store, next);
  return next;
}

/** Records what no other Service holds. A Service may name the port of another one, and is then refused by validation. */
function take(kept: Kept, { key, addresses, ports }: Held): void {
  for (const address of addresses) if (!kept.addresses.has(address)) kept.addresses.set(address, key);
  for (const port of ports) if (!kept.nodePorts.has(port)) kept.nodePorts.set(port, key);
}

function release(kept: Kept, { key, addresses, ports }: Held): void {
  for (const address of addresses) if (kept.addresses.get(address) === key) kept.addresses.delete(address);
  for (const port of ports) if (kept.nodePorts.get(port) === key) kept.nodePorts.delete(port);
}

function heldByVersion({ key, json }: Version): Held {
  return heldBy(key, (JSON.parse(json!) as Service).spec);
}

function heldBy(key: string, spec: Service["spec"]): Held {
  const ports = [...(spec?.ports ?? []).map(({ nodePort = 0 }) => nodePort), spec?.healthCheckNodePort ?? 0];
  return { key, addresses: spec?.clusterIPs ?? [], ports: ports.filter((port) => port !== 0) };
}
