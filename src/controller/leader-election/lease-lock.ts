import { isNotFound } from "../../errors/predicates.js";
import type { Clock } from "../../internal/clock.js";
import type { Lease } from "../../kinds/coordination/v1.js";
import { formatMicroTime } from "../../meta/time.js";
import type { LeaderElectionOptions } from "./leader-elector.js";
import { type LeaseRecord, parseLease, sameRecord, toLeaseSpec } from "./lease-record.js";

/** Result of an attempt to acquire or renew a lease. */
export type LeaseTry =
  /**
   * This candidate holds the lease. No other candidate can have seen this renewal before the monotonic time `sentAt`.
   */
  | { readonly type: "held"; readonly sentAt: number; readonly slow: boolean }
  /** Another candidate holds it. */
  | { readonly type: "taken"; readonly holder: string };

/** One candidate's view of a Lease. */
export interface LeaseLock {
  /** Record as last seen; `undefined` before the first read. */
  readonly observed: LeaseRecord | undefined;
  /** True if a write was abandoned and its outcome is unknown. */
  readonly unsure: boolean;
  /**
   * Attempts to acquire or renew. Rejects if the server is unreachable, refuses, or accepted another candidate's write
   * first.
   */
  acquireOrRenew(signal: AbortSignal): Promise<LeaseTry>;
  /** Releases the lease if this candidate holds it. */
  release(signal: AbortSignal): Promise<void>;
}

/** Options for `createLeaseLock`. */
export interface LeaseLockOptions extends Pick<LeaderElectionOptions, "leases" | "name" | "labels"> {
  /** Identity of this candidate. */
  readonly identity: string;
  readonly leaseDurationMs: number;
  readonly clock: Clock;
}

/**
 * Creates a view of a Lease. As in client-go, only this candidate's own clock counts: it may take a lease that it has
 * seen unchanged for the lease duration, regardless of the clocks of the server and the holder.
 */
export function createLeaseLock(options: LeaseLockOptions): LeaseLock {
  return new ObservedLease(options);
}

class ObservedLease implements LeaseLock {
  readonly #options: LeaseLockOptions;
  #lease: Lease | undefined;
  #observed: LeaseRecord | undefined;
  #observedAt = 0;
  #unsure = false;

  constructor(options: LeaseLockOptions) {
    this.#options = options;
  }

  get observed(): LeaseRecord | undefined {
    return this.#observed;
  }

  get unsure(): boolean {
    return this.#unsure;
  }

  async acquireOrRenew(signal: AbortSignal): Promise<LeaseTry> {
    const { leases, name, identity, clock } = this.#options;
    if (this.#isOurs() && this.#isValid()) {
      try {
        return { type: "held", sentAt: await this.#write(this.#recordNow(this.#observed), signal), slow: false };
      } catch (error) {
        if (signal.aborted) throw error;
        // The local copy may be outdated; read it below.
      }
    }
    const slow = this.#isOurs();
    let found: Lease;
    try {
      found = await leases.get(name, { signal });
    } catch (error) {
      if (!isNotFound(error)) throw error;
      return { type: "held", sentAt: await this.#create(signal), slow };
    }
    this.#unsure = false;
    const record = this.#observe(found, clock.monotonic());
    const holder = record.holderIdentity;
    if (holder !== "" && holder !== identity && this.#isValid()) return { type: "taken", holder };
    return { type: "held", sentAt: await this.#write(this.#recordNow(record), signal), slow };
  }

  async release(signal: AbortSignal): Promise<void> {
    const { leases, name, identity, clock } = this.#options;
    // Read first, because another candidate may hold it by now.
    const record = this.#observe(await leases.get(name, { signal }), clock.monotonic());
    this.#unsure = false;
    if (record.holderIdentity !== identity) return;
    const now = formatMicroTime(clock.now());
    const { leaseTransitions } = record;
    await this.#write(
      { holderIdentity: "", leaseDurationSeconds: 1, acquireTime: now, renewTime: now, leaseTransitions },
      signal,
    );
  }

  #isValid(): boolean {
    const observed = this.#observed;
    return (
      observed !== undefined &&
      this.#options.clock.monotonic() - this.#observedAt < observed.leaseDurationSeconds * 1000
    );
  }

  #isOurs(): boolean {
    return this.#observed?.holderIdentity === this.#options.identity;
  }

  #observe(next: Lease, at: number): LeaseRecord {
    this.#lease = next;
    const record = parseLease(next);
    if (this.#observed === undefined || !sameRecord(this.#observed, record)) {
      this.#observed = record;
      this.#observedAt = at;
    }
    return record;
  }

  #recordNow(before: LeaseRecord | undefined): LeaseRecord {
    const { identity, leaseDurationMs, clock } = this.#options;
    const now = formatMicroTime(clock.now());
    const ours = before?.holderIdentity === identity;
    return {
      holderIdentity: identity,
      leaseDurationSeconds: leaseDurationMs / 1000,
      renewTime: now,
      acquireTime: ours ? before.acquireTime : now,
      leaseTransitions: before === undefined ? 0 : before.leaseTransitions + (ours ? 0 : 1),
    };
  }

  async #create(signal: AbortSignal): Promise<number> {
    const { leases, name, labels, clock } = this.#options;
    const sentAt = clock.monotonic();
    this.#unsure = true;
    this.#observe(
      await leases.create(
        {
          metadata: { name, ...(labels && { labels: { ...labels } }) },
          spec: toLeaseSpec(this.#recordNow(undefined)),
        },
        { signal },
      ),
      sentAt,
    );
    this.#unsure = false;
    return sentAt;
  }

  /** Overwrites the Lease that was read last. A conflict means that another candidate wrote first. */
  async #write(record: LeaseRecord, signal: AbortSignal): Promise<number> {
    const { leases, labels, clock } = this.#options;
    const sentAt = clock.monotonic();
    const { metadata, spec } = this.#lease!;
    this.#unsure = true;
    this.#observe(
      await leases.update(
        {
          ...this.#lease!,
          metadata: { ...metadata, ...(labels && { labels: { ...metadata?.labels, ...labels } }) },
          spec: toLeaseSpec(record, spec),
        },
        { signal },
      ),
      sentAt,
    );
    this.#unsure = false;
    return sentAt;
  }
}
