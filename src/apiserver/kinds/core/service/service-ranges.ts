import type { ServiceCIDR } from "../../../../kinds/networking/v1.js";
import { lenientAddress, parseRange } from "../../../objects/addresses.js";
import type { MvccStore } from "../../../storage/mvcc.js";

/** Range of cluster IPs. Addresses are numbers. */
export interface ServiceRange {
  /** The range as its ServiceCIDR writes it. */
  readonly text: string;
  /** First and last address that Services may have. */
  readonly first: number;
  readonly last: number;
  /** Addresses that are given automatically: the search starts at `start` and uses the lowest `kept` last. */
  readonly automatic: { readonly first: number; readonly count: number; readonly kept: number; readonly start: number };
}

const bucketName = "networking.k8s.io/servicecidrs";
const defaultText = "10.0.0.0/16";
/** The default range is given from 10.0.0.2 on, and keeps fewer addresses than upstream's. */
const defaultAutomatic = { first: 0x0a_00_00_02, count: 65_533, kept: 15, start: 141 };

const known = new WeakMap<MvccStore, { readonly revision: number; readonly ranges: readonly ServiceRange[] }>();

/**
 * Returns the ranges of IPv4 addresses for Services: those of the ServiceCIDRs that are ready, the default one first.
 * It's the only one if the server has no ServiceCIDRs.
 */
export function serviceRanges(store: MvccStore): readonly ServiceRange[] {
  const bucket = store.bucket(bucketName);
  const cached = known.get(store);
  if (cached?.revision === bucket.lastRevision) return cached.ranges;
  const texts = new Set<string>();
  let isEmpty = true;
  bucket.scan("", undefined, store.revision, (version) => {
    isEmpty = false;
    const cidr = JSON.parse(version.json!) as ServiceCIDR;
    if (isReady(cidr)) for (const text of cidr.spec?.cidrs ?? []) texts.add(text);
    return undefined;
  });
  if (isEmpty) texts.add(defaultText);
  const ranges = Array.from(texts, rangeOf)
    .filter((range) => range !== undefined)
    .sort((a, b) => Number(b.text === defaultText) - Number(a.text === defaultText));
  known.set(store, { revision: bucket.lastRevision, ranges });
  return ranges;
}

/** Returns true if a Service may have this IPv4 address. */
export function isInRange(address: string, ranges: readonly ServiceRange[]): boolean {
  const bytes = lenientAddress(address);
  if (bytes?.length !== 4) return false;
  const number = toNumber(bytes);
  return ranges.some(({ first, last }) => first <= number && number <= last);
}

/** Returns the IPv4 address for a number. */
export function addressText(number: number): string {
  return [24, 16, 8, 0].map((bits) => String((number >>> bits) & 255)).join(".");
}

function toNumber(bytes: readonly number[]): number {
  return bytes.reduce((number, byte) => number * 256 + byte, 0);
}

/** A ServiceCIDR without a condition is ready, for servers without the controller that writes it. */
function isReady({ metadata, status }: ServiceCIDR): boolean {
  const condition = status?.conditions?.find(({ type }) => type === "Ready");
  return metadata?.deletionTimestamp === undefined && (condition?.status ?? "True") === "True";
}

function rangeOf(text: string): ServiceRange | undefined {
  const range = parseRange(text);
  if (range?.first.length !== 4) return undefined;
  const size = 2 ** (32 - range.length);
  // Services have neither the network's own address nor the broadcast address.
  const first = toNumber(range.first) + 1;
  const last = first + size - 3;
  const kept = size <= 16 ? 0 : Math.min(Math.max(16, size / 16), 256);
  const automatic =
    text === defaultText ? defaultAutomatic : { first, count: Math.max(0, last - first + 1), kept, start: kept };
  return { text, first, last, automatic };
}
