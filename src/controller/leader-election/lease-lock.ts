import { isNotFound } from "../../errors/predicates.js";
import type { Clock } from "../../internal/clock.js";
import type { Lease } from "../../kinds/coordination/v1.js";
import { formatMicroTime } from "../../meta/time.js";
import type { LeaderElectionOptions } from "./leader-elector.js";
import { type LeaseRecord, parseLease, sameRecord, toLeaseSpec } from "./lease-record.js";

/** How a try to get or keep a lease ended. */
export type LeaseTry =
  /** The lease is ours; `sentAt` is the monotonic time before which nobody can have seen this renewal. */
  | { readonly type: "held"; readonly sentAt: number; readonly slow: boolean }
  /** Somebody else has it. */
  | { readonly type: "taken" };

/** One candidate's view of a Lease. */
export interface LeaseLock {
  /** The record as it was seen last; absent before the first look. */
  readonly observed: LeaseRecord | undefined;
  /** Whether a write was given up whose outcome is not known. */
  readonly unsure: boolean;
  /** Tries to get the lease, or to keep it. Rejects where the server cannot be reached, refuses, or somebody was faster. */
  acquireOrRenew(signal: AbortSignal): Promise<LeaseTry>;
  /** Gives the lease back, if it is ours. */
  release(signal: AbortSignal): Promise<void>;
}

/**
 * Makes a view of a Lease with client-go's rules: only this candidate's own time counts. Whoever does not hold the lease may take it
 * when it has seen no change of it for its duration, whatever the clocks of server and holder say.
 */
export function createLeaseLock(
  options: Pick<LeaderElectionOptions, "leases" | "name" | "labels">,
  identity: string,
  leaseDurationMs: number,
  clock: Clock,
): LeaseLock {
  const { leases, name, labels } = options;
  let lease: Lease | undefined;
  let observed: LeaseRecord | undefined;
  let observedAt = 0;
  let unsure = false;

  const observe = (next: Lease, at: number): LeaseRecord => {
    lease = next;
    const record = parseLease(next);
    if (observed === undefined || !sameRecord(observed, record)) {
      observed = record;
      observedAt = at;
    }
    return record;
  };
  const isValid = (): boolean =>
    observed !== undefined && clock.monotonic() - observedAt < observed.leaseDurationSeconds * 1000;
  const isOurs = (): boolean => observed?.holderIdentity === identity;

  const recordNow = (before: LeaseRecord | undefined): LeaseRecord => {
    const now = formatMicroTime(clock.now());
    const ours = before?.holderIdentity === identity;
    return {
      holderIdentity: identity,
      leaseDurationSeconds: leaseDurationMs / 1000,
      renewTime: now,
      acquireTime: ours ? before.acquireTime : now,
      leaseTransitions: before === undefined ? 0 : before.leaseTransitions + (ours ? 0 : 1),
    };
  };

  /** Writes over the Lease as it was read: a conflict tells that somebody was faster. */
  const write = async (record: LeaseRecord, signal: AbortSignal): Promise<number> => {
    const sentAt = clock.monotonic();
    const { metadata, spec } = lease!;
    unsure = true;
    observe(
      await leases.update(
        {
          ...lease!,
          metadata: { ...metadata, ...(labels && { labels: { ...metadata?.labels, ...labels } }) },
          spec: toLeaseSpec(record, spec),
        },
        { signal },
      ),
      sentAt,
    );
    unsure = false;
    return sentAt;
  };

  return {
    get observed() {
      return observed;
    },
    get unsure() {
      return unsure;
    },
    async acquireOrRenew(signal) {
      if (isOurs() && isValid()) {
        try {
          return { type: "held", sentAt: await write(recordNow(observed), signal), slow: false };
        } catch (error) {
          if (signal.aborted) throw error;
          // What we know of it may be old: it is read below.
        }
      }
      const slow = isOurs();
      let found: Lease;
      try {
        found = await leases.get(name, { signal });
      } catch (error) {
        if (!isNotFound(error)) throw error;
        const sentAt = clock.monotonic();
        unsure = true;
        observe(
          await leases.create(
            { metadata: { name, ...(labels && { labels: { ...labels } }) }, spec: toLeaseSpec(recordNow(undefined)) },
            { signal },
          ),
          sentAt,
        );
        unsure = false;
        return { type: "held", sentAt, slow };
      }
      unsure = false;
      const record = observe(found, clock.monotonic());
      if (record.holderIdentity !== "" && record.holderIdentity !== identity && isValid()) return { type: "taken" };
      return { type: "held", sentAt: await write(recordNow(record), signal), slow };
    },
    async release(signal) {
      // Read first: a record that we remember may be somebody else's by now.
      const record = observe(await leases.get(name, { signal }), clock.monotonic());
      unsure = false;
      if (record.holderIdentity !== identity) return;
      const now = formatMicroTime(clock.now());
      await write(
        {
          holderIdentity: "",
          leaseDurationSeconds: 1,
          acquireTime: now,
          renewTime: now,
          leaseTransitions: record.leaseTransitions,
        },
        signal,
      );
    },
  };
}
