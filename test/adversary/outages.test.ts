import { describe, expect, it } from "vitest";
import { createApiServer } from "../../src/apiserver/server.js";
import { createInformer } from "../../src/cache/informer/create-informer.js";
import { createClient } from "../../src/client/client.js";
import { ConfigMap } from "../../src/kinds/core/v1.js";
import { createVirtualClock, settle } from "../support/virtual-clock.js";
import { minute, path } from "./misbehaviours.js";
import { createOutageNetwork } from "./outage-network.js";
import { serverOutages } from "./server-outages.js";
import { watchOutages } from "./watch-outages.js";

describe.each(["list", "stream"] as const)("informer with initialList %s", (initialList) => {
  it.each([...serverOutages, ...watchOutages])(
    "during $outage says so and shows the server's objects after it",
    async (row) => {
      const clock = createVirtualClock();
      await using server = createApiServer({ clock, controllers: false });
      const network = createOutageNetwork(server, clock);
      const call = async (method: string, target: string, body?: object): Promise<{ items: ConfigMap[] }> => {
        const response = await server.handle(
          new Request(`http://localhost${target}`, {
            method,
            ...(body !== undefined && { body: JSON.stringify(body), headers: { "content-type": "application/json" } }),
          }),
        );
        const text = await response.text();
        if (!response.ok) throw new Error(`${method} ${target}: ${text}`);
        return JSON.parse(text) as { items: ConfigMap[] };
      };
      const create = (name: string): Promise<unknown> =>
        call("POST", path, { metadata: { name }, data: { text: name } });
      const update = (name: string, text: string): Promise<unknown> =>
        call("PUT", `${path}/${name}`, { metadata: { name }, data: { text } });
      const remove = (name: string): Promise<unknown> => call("DELETE", `${path}/${name}`);
      const shown = (objects: readonly Readonly<ConfigMap>[]): string[] =>
        objects.map(({ metadata }) => `${metadata!.name!}@${metadata!.resourceVersion!} ${metadata!.uid!}`).sort();
      const truth = async (): Promise<string[]> => shown((await call("GET", path)).items);

      for (const name of ["same", "changed", "deleted", "again"]) await create(name);
      const backup = server.snapshot();
      await create("lost");
      const client = createClient({ transport: network, clock, random: () => 0 });
      await using informer = createInformer(client.resource(ConfigMap).namespace("default"), {
        initialList,
        clock,
        random: () => 0,
      });
      informer.start();
      const upToDate = async (): Promise<boolean> => {
        const wanted = (await truth()).join();
        return clock.runUntil(
          () => informer.status.type === "watching" && shown(informer.store.list() as ConfigMap[]).join() === wanted,
          20 * minute,
        );
      };
      expect(await upToDate()).toBe(true);
      const before = shown(informer.store.list() as ConfigMap[]);

      network.begin(row.answer, row.connections ?? "cut");
      clock.jump(row.jumpMs ?? 0);
      if (row.restored === true) server.restore(backup);
      await update("changed", "2");
      await remove("deleted");
      await remove("again");
      await create("again");
      await create("new");
      if (row.compacted === true) server.compact();
      const requests = network.requests;
      const during = (initialList === "stream" ? row.streaming : undefined) ?? row.during;
      await clock.advance(row.afterMs ?? 2 * minute);
      expect.soft(informer.status).toMatchObject(during);
      expect.soft(informer.store.size).toBeGreaterThanOrEqual(before.length - 1);
      const real = [...before, ...(await truth()), ...(row.wrong ?? [])];
      expect.soft(shown(informer.store.list() as ConfigMap[]).filter((object) => !real.includes(object))).toEqual([]);
      if (row.current === true && initialList === "list")
        expect.soft(shown(informer.store.list() as ConfigMap[])).toEqual(await truth());
      // A failure is shown until the server answers, not only in the pauses between two requests.
      if (during.type === "backingOff" || during.type === "refused")
        for (let part = 0; part < 20; part++) {
          await clock.advance(((row.afterMs ?? 2 * minute) * 1.37) / 20);
          expect.soft(informer.status).toMatchObject(during);
        }
      const perMinute = ((network.requests - requests) * minute) / (row.afterMs ?? 2 * minute);
      expect.soft(perMinute).toBeLessThanOrEqual(60);

      network.end();
      expect(await upToDate()).toBe(true);
      await update("same", "live");
      expect(await upToDate()).toBe(true);
      await informer.close();
      for (let turn = 0; turn < 5; turn++) await settle();
      expect(network.open).toBe(0);
    },
  );
});
