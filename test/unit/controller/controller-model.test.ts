import { expect, it } from "vitest";
import { TerminalError } from "../../../src/controller/reconcile/controller-errors.js";
import { createController } from "../../../src/controller/reconcile/create-controller.js";
import { requestKey } from "../../../src/controller/reconcile/reconcile-request.js";
import { onAbort } from "../../../src/internal/abort.js";
import { ConfigMap } from "../../../src/kinds/core/v1.js";
import { createRandom } from "../../simulation/random.js";
import { failure } from "../../support/scripted-source.js";
import { createVirtualClock, settle } from "../../support/virtual-clock.js";
import { openWorld } from "./world.js";

it.each([1, 5])(
  "controller under random failures reconciles each object's last state, never twice at a time (4 seeds from %d)",
  { timeout: 300_000 },
  async (first) => {
    for (let seed = first; seed < first + 4; seed++)
      expect({ seed, faults: await play(seed) }).toEqual({ seed, faults: [] });
  },
);

/** Changes objects at random while reconciles are slow and fail in every way, and controllers are replaced. */
async function play(seed: number): Promise<string[]> {
  await using world = openWorld();
  const clock = createVirtualClock();
  const random = createRandom(seed, "controller");
  const maps = world.client.resource(ConfigMap).namespace("default");
  const faults: string[] = [];
  const running = new Set<string>();
  /** Version that the last successful call of each request saw; undefined if the object was gone. */
  const done = new Map<string, string | undefined>();
  let faulty = true;
  const begin = () => {
    const controller = createController({
      name: "model",
      for: maps,
      clock,
      log: () => undefined,
      concurrency: 1 + random.int(3),
      drainTimeoutMs: 1_000,
      reconcileTimeoutMs: 5_000,
      async reconcile(request, { object, signal }) {
        const key = requestKey(request);
        if (running.has(key)) faults.push(`${key} is with two at a time`);
        running.add(key);
        const seen = object?.metadata?.resourceVersion;
        try {
          const takes = faulty ? random.pick([0, 0, 30, 2_000, 20_000]) : 0;
          if (takes > 0)
            await new Promise<void>((resolve, reject) => {
              const unfollow = onAbort(signal, () => {
                timer.cancel();
                reject(signal.reason as Error);
              });
              const timer = clock.setTimer(() => {
                unfollow();
                resolve();
              }, takes);
            });
          if (faulty && random.chance(0.3))
            throw random.pick([
              new RangeError("bad"),
              failure(409, "Conflict"),
              failure(429, "TooManyRequests", { retryAfterSeconds: 3 }),
            ]);
          done.set(key, seen);
          // A terminal error has seen the state too: the request comes again at the next change.
          if (faulty && random.chance(0.1)) throw new TerminalError("for good");
          return random.chance(0.2) ? { requeueAfterMs: 1 + random.int(3_000) } : undefined;
        } finally {
          running.delete(key);
        }
      },
    });
    controller.start();
    return controller;
  };
  let controller = begin();
  for (let step = 0; step < 60; step++) {
    const name = `m${String(random.int(5))}`;
    const present = await maps.get(name).catch(() => undefined);
    if (present === undefined) await maps.create({ metadata: { name }, data: { step: String(step) } });
    else if (random.chance(0.3)) await maps.delete(name);
    else await maps.patch(name, { type: "merge", patch: { data: { step: String(step) } } });
    for (let turn = random.int(3); turn > 0; turn--) await settle();
    if (random.chance(0.5)) await clock.advance(random.int(3_000));
    if (!random.chance(0.06)) continue;
    const stopping = controller.stop();
    await clock.runUntil(() => controller.status.type === "stopped" || controller.status.type === "failed", 20_000);
    await stopping;
    await controller.done;
    controller = begin();
  }
  faulty = false;
  const isRight = async (): Promise<boolean> => {
    const { items } = await maps.list();
    const live = new Map(items.map(({ metadata }) => [`default/${metadata!.name!}`, metadata!.resourceVersion]));
    return [...live].every(([key, version]) => done.get(key) === version);
  };
  for (let tries = 0; tries < 200 && !(await isRight()); tries++) {
    await settle();
    if (tries % 4 === 3) await clock.advance(30_000);
  }
  if (!(await isRight())) faults.push("the last states were not reconciled");
  const stopping = controller.stop();
  await clock.runUntil(() => controller.status.type === "stopped", 20_000);
  await stopping;
  if (running.size > 0) faults.push("calls are left");
  if (clock.pending > 0) faults.push(`${String(clock.pending)} timers are left`);
  return faults;
}
