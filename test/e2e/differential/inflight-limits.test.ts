// Limits of requests in flight without API Priority and Fairness, compared with a kube-apiserver that was started with the same flags.
import { setTimeout as delay } from "node:timers/promises";
import { describe, expect, it } from "vitest";
import { createServerFolder } from "../control-plane.js";
import { missingReason } from "../real-apiserver.js";
import { startPair } from "../server-pair.js";
import { as, create } from "./flow-control-requests.js";
import { startSlowWebhook } from "./slow-webhook.js";

const missing = missingReason();

describe.skipIf(missing !== undefined)("a server without flow control compared with a real one", () => {
  it("limits reads and writes separately", async () => {
    const webhook = await startSlowWebhook();
    const pair = await startPair(createServerFolder(), [
      "--authorization-mode=AlwaysAllow",
      "--enable-priority-and-fairness=false",
      "--max-requests-inflight=4",
      "--max-mutating-requests-inflight=1",
      "--disable-admission-plugins=ServiceAccount",
    ]);
    try {
      await webhook.register(pair);
      await delay(1500);
      webhook.hold();
      webhook.take();
      const running = [pair.real, pair.own].map((server) => server.send(create("ann", "a")));
      let called = 0;
      await expect.poll(() => (called += webhook.take()), { timeout: 20_000 }).toBe(2);
      const refused = await pair.both(create("ann", "b"));
      expect(refused.own.status).toBe(429);
      for (const name of ["status", "value"] as const) expect(refused.own[name]).toEqual(refused.real[name]);
      expect(refused.own.headers["retry-after"]).toBe(refused.real.headers["retry-after"]);
      expect(await pair.compare({ path: "/api/v1/namespaces/slow/configmaps", headers: as("ann") })).toEqual([]);
      expect(await pair.compare({ path: "/debug/api_priority_and_fairness/dump_queues" })).toEqual([]);
      webhook.release();
      expect((await Promise.all(running)).map(({ status }) => status)).toEqual([201, 201]);
    } finally {
      webhook.release();
      await pair.stop();
      await webhook.close();
    }
  });
});

if (missing !== undefined) console.log(`a server without flow control compared with a real one: skipped: ${missing}`);
