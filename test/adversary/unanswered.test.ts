import { expect, it } from "vitest";
import { createApiServer } from "../../src/apiserver/server.js";
import { createInformer } from "../../src/cache/informer/create-informer.js";
import { createClient } from "../../src/client/client.js";
import { ConfigMap } from "../../src/kinds/core/v1.js";
import type { TransportRequest } from "../../src/transport/transport.js";
import { createVirtualClock, settle } from "../support/virtual-clock.js";
import { backingOff, isWatch, minute, path } from "./misbehaviours.js";
import { createOutageNetwork, untilAborted } from "./outage-network.js";

it.each(["auto", "list", "stream"] as const)(
  "informer whose requests were never answered says so, and catches up, with initialList %s",
  async (initialList) => {
    const clock = createVirtualClock();
    await using server = createApiServer({ clock, controllers: false });
    const network = createOutageNetwork(server, clock);
    network.begin((request) => untilAborted(request.signal), "cut");
    const client = createClient({ transport: network, clock, random: () => 0 });
    const options = { initialList, clock, random: () => 0 };
    await using informer = createInformer(client.resource(ConfigMap).namespace("default"), options);
    const waited = informer.synced({ timeoutMs: 5 * minute }).catch(String);
    informer.start();
    await clock.advance(minute);
    expect(informer.status).toMatchObject(
      initialList === "stream" ? backingOff("transport") : { type: "listing", received: 0 },
    );
    await clock.advance(minute);
    for (let part = 0; part < 30; part++) {
      expect(informer.status).toMatchObject(backingOff("transport"));
      await clock.advance(11_000);
    }
    expect(await waited).toMatch(/received no data for 90 s|sent no end bookmark within 10 s/);
    network.end();
    expect(await clock.runUntil(() => informer.status.type === "watching", 3 * minute)).toBe(true);
    await informer.close();
    for (let turn = 0; turn < 5; turn++) await settle();
    expect(network.open).toBe(0);
  },
);

it.each([
  ["all requests", (request: TransportRequest): boolean => request.path !== "", false],
  ["watches", isWatch, true],
])("informer from whose server %s get no answer says so at once, then that they failed", async (_what, lost, lists) => {
  const clock = createVirtualClock();
  await using server = createApiServer({ clock, controllers: false });
  const network = createOutageNetwork(server, clock);
  const client = createClient({ transport: network, clock, random: () => 0 });
  const maps = client.resource(ConfigMap).namespace("default");
  await using informer = createInformer(maps, { clock, random: () => 0 });
  informer.start();
  expect(await clock.runUntil(() => informer.status.type === "watching", minute)).toBe(true);
  network.begin((request, up) => (lost(request) ? untilAborted(request.signal) : up()), "cut");
  const seen = new Set<string>();
  for (let second = 0; second < 89; second++) {
    await clock.advance(1_000);
    seen.add(informer.status.type);
  }
  expect([...seen]).toEqual(["connecting"]);
  expect(await clock.runUntil(() => informer.status.type === "backingOff", 2_000)).toBe(true);
  expect(informer.status).toMatchObject(backingOff("transport"));
  await server.handle(
    new Request(`http://localhost${path}`, {
      method: "POST",
      headers: { "content-type": "application/json" },
      body: JSON.stringify({ metadata: { name: "new" } }),
    }),
  );
  for (let second = 0; second < 600; second++) {
    await clock.advance(1_000);
    expect(informer.status.type).not.toBe("watching");
  }
  // Behind a proxy that holds watches back, lists show the changes.
  expect(informer.store.has("default/new")).toBe(lists);
  network.end();
  expect(await clock.runUntil(() => informer.status.type === "watching", 5 * minute)).toBe(true);
  expect(informer.store.has("default/new")).toBe(true);
  await informer.close();
  for (let turn = 0; turn < 5; turn++) await settle();
  expect(network.open).toBe(0);
});
