import { describe, expect, it } from "vitest";
import { createLeaderElector } from "../../../../src/controller/leader-election/create-leader-elector.js";
import type { LeaderElectionOptions } from "../../../../src/controller/leader-election/leader-elector.js";
import { LeadershipLostError } from "../../../../src/controller/reconcile/controller-errors.js";
import type { Clock } from "../../../../src/internal/clock.js";
import { failure } from "../../../support/scripted-source.js";
import { createVirtualClock } from "../../../support/virtual-clock.js";
import { type Network } from "../lease-network.js";
import { openWorld } from "../world.js";
import { advance, begin, lease, specNow } from "./candidates.js";

describe("leader elector", () => {
  it("creates the Lease, renews it and releases it", async () => {
    await using world = openWorld();
    const clock = createVirtualClock();
    const a = begin(world, clock, "a", { labels: { app: "x" } });
    await advance(clock, 100);
    expect(a.elector.status).toEqual({ type: "leading", term: 0 });
    const first = await lease(world).get("lock");
    expect([first.metadata?.labels, first.spec]).toEqual([
      { app: "x" },
      {
        holderIdentity: "a",
        leaseDurationSeconds: 15,
        leaseTransitions: 0,
        acquireTime: "2026-01-01T00:00:00.000000Z",
        renewTime: "2026-01-01T00:00:00.000000Z",
      },
    ]);
    await advance(clock, 4_000);
    expect(await specNow(world)).toEqual({ ...first.spec, renewTime: "2026-01-01T00:00:04.000000Z" });
    expect(a.elector.metrics).toMatchObject({ terms: 1, renewals: 2, failures: 0, slowPaths: 0 });
    a.cancel();
    await advance(clock, 100);
    expect(await a.ended).toBeUndefined();
    expect(await specNow(world)).toEqual({
      holderIdentity: "",
      leaseDurationSeconds: 1,
      leaseTransitions: 0,
      acquireTime: "2026-01-01T00:00:04.100000Z",
      renewTime: "2026-01-01T00:00:04.100000Z",
    });
    expect([a.received, a.elector.status.type, a.elector.leader, clock.pending]).toEqual([
      ["leader a", "term 0", "stopped"],
      "idle",
      "",
      0,
    ]);
  });

  it("takes a released lease immediately and a silent holder's lease after its duration", async () => {
    await using world = openWorld();
    const clock = createVirtualClock();
    await lease(world).create({
      metadata: { name: "lock", labels: { keep: "me" } },
      spec: { holderIdentity: "", leaseDurationSeconds: 1, leaseTransitions: 4 },
    });
    const a = begin(world, clock, "a", { releaseOnCancel: false });
    await advance(clock, 100);
    expect(a.terms[0]!.term).toBe(5);
    const b = begin(world, clock, "b");
    a.cancel();
    await advance(clock, 14_900);
    expect([b.elector.status, b.terms.length]).toEqual([{ type: "waiting", holder: "a" }, 0]);
    await advance(clock, 2_200);
    expect([b.elector.status, (await lease(world).get("lock")).metadata?.labels]).toEqual([
      { type: "leading", term: 6 },
      { keep: "me" },
    ]);
    expect(b.received).toEqual(["leader a", "leader b", "term 6"]);
    b.cancel();
    await advance(clock, 100);
    await b.ended;
  });

  it("relies only on its own clock, even if the clocks of others are years off", async () => {
    await using world = openWorld();
    const clock = createVirtualClock();
    const skewed = (years: number): Clock => ({ ...clock, now: () => clock.now() + years * 365 * 86_400_000 });
    const a = begin(world, skewed(-10), "a");
    await advance(clock, 100);
    const b = begin(world, skewed(10), "b");
    await advance(clock, 60_000);
    expect([a.elector.isLeader, b.elector.isLeader]).toEqual([true, false]);
    a.network.cut = true;
    await advance(clock, 20_000);
    expect([a.elector.isLeader, b.elector.isLeader]).toEqual([false, true]);
    expect(await a.ended).toBeInstanceOf(LeadershipLostError);
    b.cancel();
    await advance(clock, 100);
    await b.ended;
  });

  it.each<[string, (network: Network) => void]>([
    ["responds with an error", (network) => (network.fail = failure(503, "ServiceUnavailable"))],
    ["is unreachable", (network) => (network.cut = true)],
    ["processes requests but its responses are lost", (network) => (network.loseAnswers = true)],
  ])("stops at the renew deadline when the server %s, before another candidate can lead", async (_name, spoil) => {
    await using world = openWorld();
    const clock = createVirtualClock();
    const a = begin(world, clock, "a");
    await advance(clock, 4_050);
    spoil(a.network);
    // The last successful renewal was sent at 4 s.
    await advance(clock, 9_900);
    expect(a.terms[0]!.signal.aborted).toBe(false);
    await advance(clock, 100);
    expect([a.terms[0]!.signal.aborted, a.terms[0]!.lost.aborted]).toEqual([true, true]);
    expect(a.terms[0]!.signal.reason).toBeInstanceOf(LeadershipLostError);
    await advance(clock, 100);
    expect(String(await a.ended)).toContain(
      'lease "lock" of leases.coordination.k8s.io in "default": not renewed for 10000 ms',
    );
    expect([a.received.at(-1), a.elector.metrics.lost, clock.pending]).toEqual(["stopped", 1, 0]);
    expect(a.elector.check()).toBeUndefined();
  });

  it("stops immediately when another candidate holds the lease", async () => {
    await using world = openWorld();
    const clock = createVirtualClock();
    const a = begin(world, clock, "a");
    await advance(clock, 100);
    await lease(world).patch("lock", {
      type: "merge",
      patch: { spec: { holderIdentity: "thief", renewTime: "2026-01-01T00:00:01.000000Z" } },
    });
    await advance(clock, 2_100);
    expect(String(await a.ended)).toContain('held by "thief"');
    expect((await specNow(world)).holderIdentity).toBe("thief");
  });

  it("reads the Lease again after a conflict with an unrelated change", async () => {
    await using world = openWorld();
    const clock = createVirtualClock();
    const a = begin(world, clock, "a");
    await advance(clock, 100);
    await lease(world).patch("lock", { type: "merge", patch: { metadata: { labels: { other: "tool" } } } });
    await advance(clock, 2_100);
    expect([
      a.elector.isLeader,
      a.elector.metrics.slowPaths,
      (await lease(world).get("lock")).metadata?.labels,
    ]).toEqual([true, 1, { other: "tool" }]);
    await lease(world).delete("lock");
    await advance(clock, 2_100);
    expect([a.elector.isLeader, (await specNow(world)).holderIdentity]).toEqual([true, "a"]);
    a.cancel();
    await advance(clock, 100);
    await a.ended;
  });

  it("renews the lease until the work has ended, then releases it", async () => {
    await using world = openWorld();
    const clock = createVirtualClock();
    let end!: () => void;
    const a = begin(world, clock, "a", { onStartedLeading: () => new Promise<void>((resolve) => (end = resolve)) });
    await advance(clock, 100);
    a.cancel();
    await advance(clock, 20_000);
    expect([a.terms[0]!.signal.reason, a.terms[0]!.lost.aborted, (await specNow(world)).holderIdentity]).toEqual([
      new RangeError("cancelled"),
      false,
      "a",
    ]);
    end();
    await advance(clock, 100);
    await a.ended;
    expect([(await specNow(world)).holderIdentity, a.received.at(-1)]).toEqual(["", "stopped"]);
  });

  it("doesn't release the lease while work that exceeded the drain timeout may still run", async () => {
    await using world = openWorld();
    const clock = createVirtualClock();
    const a = begin(world, clock, "a", {
      onStartedLeading: () => new Promise<void>(() => undefined),
      drainTimeoutMs: 5_000,
    });
    await advance(clock, 100);
    a.cancel();
    await advance(clock, 5_100);
    await a.ended;
    expect([
      (await specNow(world)).holderIdentity,
      a.entries.filter(({ level }) => level === "warn").length,
      clock.pending,
    ]).toEqual(["a", 1, 0]);
  });

  it("rejects with the error of its work and releases the lease", async () => {
    await using world = openWorld();
    const clock = createVirtualClock();
    const a = begin(world, clock, "a", { onStartedLeading: () => Promise.reject(new RangeError("bad work")) });
    await advance(clock, 200);
    expect(await a.ended).toEqual(new RangeError("bad work"));
    expect((await specNow(world)).holderIdentity).toBe("");
  });

  it("releases a lease that it may have won when it was cancelled", async () => {
    await using world = openWorld();
    const clock = createVirtualClock();
    const a = begin(world, clock, "a");
    a.network.answerDelayMs = 3_000;
    await advance(clock, 2_900);
    expect(a.terms).toEqual([]);
    a.cancel();
    await advance(clock, 10_000);
    await a.ended;
    expect([a.terms, (await specNow(world)).holderIdentity, clock.pending]).toEqual([[], "", 0]);
  });

  it("can be cancelled while waiting and run again", async () => {
    await using world = openWorld();
    const clock = createVirtualClock();
    const a = begin(world, clock, "a");
    await advance(clock, 100);
    const b = begin(world, clock, "b");
    await advance(clock, 100);
    await expect(b.elector.run({ signal: new AbortController().signal })).rejects.toThrow("already running");
    b.cancel();
    expect(await b.ended).toBeUndefined();
    expect(b.received).toEqual(["leader a"]);
    a.cancel();
    await advance(clock, 100);
    await a.ended;
    const again = new AbortController();
    const running = b.elector.run({ signal: again.signal });
    await advance(clock, 100);
    expect(b.elector.isLeader).toBe(true);
    again.abort();
    await advance(clock, 100);
    await running;
    expect(clock.pending).toBe(0);
  });

  it("check reports a leader that hasn't renewed for too long", async () => {
    await using world = openWorld();
    const clock = createVirtualClock();
    let held = 0;
    const a = begin(world, { ...clock, monotonic: () => clock.monotonic() + held }, "a");
    await advance(clock, 100);
    expect(a.elector.check()).toBeUndefined();
    held = 35_001;
    expect(a.elector.check()).toContain("not renewed for 35101 ms");
    expect(a.elector.check(60_000)).toBeUndefined();
    held = 0;
    a.cancel();
    await advance(clock, 100);
    await a.ended;
  });

  it.each<[string, Partial<LeaderElectionOptions>]>([
    ["a lease duration that doesn't exceed the renew deadline", { leaseDurationMs: 10_000, renewDeadlineMs: 10_000 }],
    ["a renew deadline that doesn't exceed 1.2 retry periods", { renewDeadlineMs: 2_400, retryPeriodMs: 2_000 }],
    ["a retry period of 0", { retryPeriodMs: 0 }],
    ["a lease duration with fractions of a second", { leaseDurationMs: 15_500 }],
    ["NaN as lease duration", { leaseDurationMs: NaN }],
    ["NaN as renew deadline", { renewDeadlineMs: NaN }],
  ])("rejects %s", async (_name, options) => {
    await using world = openWorld();
    expect(() =>
      createLeaderElector({ leases: lease(world), name: "lock", onStartedLeading: () => undefined, ...options }),
    ).toThrow(RangeError);
    expect(() => createLeaderElector({ leases: lease(world), name: "", onStartedLeading: () => undefined })).toThrow(
      TypeError,
    );
  });
});
