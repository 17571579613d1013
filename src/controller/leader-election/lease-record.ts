import type { Lease, LeaseSpec } from "../../kinds/coordination/v1.js";

/** Holder information in a Lease. */
export interface LeaseRecord {
  /** Identity of the holder; `""` if the Lease was released. */
  readonly holderIdentity: string;
  /** Seconds without a renewal after which the lease may be taken over. */
  readonly leaseDurationSeconds: number;
  /** Time of acquisition by the holder's clock, RFC 3339. */
  readonly acquireTime: string;
  /** Time of the last renewal by the holder's clock, RFC 3339. */
  readonly renewTime: string;
  /** Number of times the holder changed. It only ever increases, so it works as a fencing token. */
  readonly leaseTransitions: number;
}

/** Returns the record of a Lease. */
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

/** Returns the spec for a record. Fields that others added to the Lease, such as a strategy, are kept. */
export function toLeaseSpec(record: LeaseRecord, before: LeaseSpec = {}): LeaseSpec {
  return { ...before, ...record };
}

/** Returns true if two records are equal. Other parts of a Lease, such as labels, don't count as a renewal. */
export function sameRecord(a: LeaseRecord, b: LeaseRecord): boolean {
  return (
    a.holderIdentity === b.holderIdentity &&
    a.renewTime === b.renewTime &&
    a.acquireTime === b.acquireTime &&
    a.leaseDurationSeconds === b.leaseDurationSeconds &&
    a.leaseTransitions === b.leaseTransitions
  );
}
