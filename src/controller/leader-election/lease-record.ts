import type { Lease, LeaseSpec } from "../../kinds/coordination/v1.js";

/** What a Lease says of its holder. */
export interface LeaseRecord {
  /** Identity of the holder; `""` for a Lease that was released. */
  readonly holderIdentity: string;
  /** Seconds after which the lease of a silent holder may be taken over. */
  readonly leaseDurationSeconds: number;
  /** When the holder got it, by the holder's clock, RFC 3339. */
  readonly acquireTime: string;
  /** When the holder renewed it last, by the holder's clock, RFC 3339. */
  readonly renewTime: string;
  /** How often the holder changed. It only grows, so that it can tell an old holder's writes from a new one's. */
  readonly leaseTransitions: number;
}

/** Reads a Lease. */
export function parseLease({ spec = {} }: Lease): LeaseRecord {
  const { holderIdentity = "", leaseDurationSeconds = 0, acquireTime, renewTime, leaseTransitions = 0 } = spec;
  return {
    holderIdentity,
    leaseDurationSeconds,
    acquireTime: acquireTime ?? "",
    renewTime: renewTime ?? "",
    leaseTransitions,
  };
}

/** The spec that says it, with what others put into the Lease: labels of strategies are not ours to drop. */
export function toLeaseSpec(record: LeaseRecord, before: LeaseSpec = {}): LeaseSpec {
  return { ...before, ...record };
}

/** Whether two records say the same. What else a Lease holds, as its labels, is nobody's sign of life. */
export function sameRecord(a: LeaseRecord, b: LeaseRecord): boolean {
  return (
    a.holderIdentity === b.holderIdentity &&
    a.renewTime === b.renewTime &&
    a.acquireTime === b.acquireTime &&
    a.leaseDurationSeconds === b.leaseDurationSeconds &&
    a.leaseTransitions === b.leaseTransitions
  );
}
