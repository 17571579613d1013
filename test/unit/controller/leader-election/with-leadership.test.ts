import { describe, expect, it } from "vitest";
import { withLeadership } from "../../../../src/controller/leader-election/with-leadership.js";
import { LeadershipLostError } from "../../../../src/controller/reconcile/controller-errors.js";
import type { Clock } from "../../../../src/internal/clock.js";
import { createVirtualClock } from "../../../support/virtual-clock.js";
import { createNetwork } from "../lease-network.js";
import { openWorld } from "../world.js";
import { advance, lease } from "./candidates.js";

describe("withLeadership", () => {
  const options = (world: ReturnType<typeof openWorld>, clock: Clock, identity: string) => ({
    leases: lease(world),
    name: "lock",
    identity,
    clock,
    log: () => undefined,
  });

  it("runs one candidate's work after the other, each as soon as the lease is released", async () => {
    await using world = openWorld();
    const clock = createVirtualClock();
    const order: string[] = [];
    const run = (name: string): Promise<string> =>
      withLeadership(options(world, clock, name), async (_signal, { term }) => {
        order.push(`${name} begins ${String(term)}`);
        await new Promise<void>((resolve) => clock.setTimer(resolve, 3_000));
        order.push(`${name} ends`);
        return name;
      });
    const both = Promise.all([run("a"), run("b")]);
    await advance(clock, 15_000);
    expect(await both).toEqual(["a", "b"]);
    const [first, second] = order[0]!.startsWith("a") ? ["a", "b"] : ["b", "a"];
    expect(order).toEqual([`${first!} begins 0`, `${first!} ends`, `${second!} begins 1`, `${second!} ends`]);
  });

  it("rejects when the lease is lost, when the work fails and when it is cancelled before", async () => {
    await using world = openWorld();
    const clock = createVirtualClock();
    const network = createNetwork(lease(world), clock);
    const lost = withLeadership(
      { ...options(world, clock, "a"), leases: network.leases },
      (signal) =>
        new Promise((_resolve, reject) => signal.addEventListener("abort", () => reject(signal.reason as Error))),
    ).catch((error: unknown) => error);
    await advance(clock, 100);
    const abort = new AbortController();
    const waiting = withLeadership({ ...options(world, clock, "b"), signal: abort.signal }, () =>
      Promise.resolve(1),
    ).catch((error: unknown) => error);
    await advance(clock, 100);
    abort.abort(new RangeError("enough"));
    expect(await waiting).toEqual(new RangeError("enough"));
    network.cut = true;
    await advance(clock, 12_000);
    expect(await lost).toBeInstanceOf(LeadershipLostError);
    const failed = withLeadership(options(world, clock, "c"), () => Promise.reject(new RangeError("bad"))).catch(
      (error: unknown) => error,
    );
    await advance(clock, 20_000);
    expect(await failed).toEqual(new RangeError("bad"));
  });
});
