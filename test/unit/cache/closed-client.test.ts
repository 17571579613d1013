import { expect, it } from "vitest";
import { createApiServer } from "../../../src/apiserver/server.js";
import { createInformer } from "../../../src/cache/informer/create-informer.js";
import { createInformerFactory } from "../../../src/cache/informer/informer-factory.js";
import type { InformerStatus } from "../../../src/cache/informer/informer-status.js";
import { waitFor, waitForStore } from "../../../src/cache/informer/wait-for.js";
import { watchChanges } from "../../../src/cache/informer/watch-changes.js";
import { createClient } from "../../../src/client/client.js";
import type { ListWatch } from "../../../src/client/resource/collection.js";
import { ClosedError, TransportError } from "../../../src/errors/errors.js";
import { ConfigMap } from "../../../src/kinds/core/v1.js";
import { handlerTransport } from "../../../src/transport/handler.js";
import { createVirtualClock, settle } from "../../support/virtual-clock.js";

function open() {
  const server = createApiServer({ controllers: false });
  const client = createClient({ transport: handlerTransport(server.handle), retry: false });
  return { server, client, maps: client.resource(ConfigMap).namespace("default") };
}
type Maps = ReturnType<typeof open>["maps"];

it("an informer closes with the ClosedError when its client closes", async () => {
  const { server, client, maps } = open();
  const clock = createVirtualClock();
  const informer = createInformer(maps, { clock });
  const seen: InformerStatus[] = [];
  informer.onStatus((status) => seen.push(status));
  informer.addHandler(() => undefined);
  await informer.synced();
  await client.close();
  await settle();
  expect(informer.status).toEqual({ type: "closed", error: expect.any(ClosedError) as unknown });
  expect(seen.at(-1)).toEqual(informer.status);
  await expect(informer.synced()).rejects.toThrow(/is closed: the client was closed/);
  expect(() => informer.start()).toThrow(ClosedError);
  expect(clock.pending).toBe(0);
  await informer.close();
  expect(informer.status.type).toBe("closed");
  await server.close();
});

it("an informer that waits for its next attempt closes with its client at once", async () => {
  const clock = createVirtualClock();
  const client = createClient({
    transport: handlerTransport(() => Promise.reject(new TransportError("down"))),
    retry: false,
  });
  const informer = createInformer(client.resource(ConfigMap), { clock });
  const synced = expect(informer.synced()).rejects.toThrow(ClosedError);
  await settle();
  expect(informer.status.type).toBe("backingOff");
  await client.close();
  await synced;
  expect(informer.status.type).toBe("closed");
  await settle();
  expect(clock.pending).toBe(0);
});

it("an informer closes when a source without a signal fails with a ClosedError", async () => {
  const { server, client, maps } = open();
  const source: ListWatch<ConfigMap> = {
    description: "wrapped",
    list: (options) => maps.list(options),
    pages: (options) => maps.pages(options),
    listChunks: (options) => maps.listChunks(options),
    watch: (options) => maps.watch(options),
  };
  const informer = createInformer(source);
  await informer.synced();
  await client.close();
  await settle();
  expect(informer.status).toMatchObject({ type: "closed", error: expect.any(ClosedError) as unknown });
  await server.close();
});

it("shared informers and their change streams end with the client", async () => {
  const { server, client, maps } = open();
  const factory = createInformerFactory();
  const part = factory.informer(maps);
  const changes = watchChanges(part);
  await part.synced();
  await client.close();
  await expect(changes.next()).resolves.toMatchObject({ done: true });
  expect(part.status.type).toBe("closed");
  await factory.close();
  await server.close();
});

it("an informer that starts after its client closed throws a ClosedError", async () => {
  const { server, client, maps } = open();
  await client.close();
  const informer = createInformer(maps);
  expect(() => informer.addHandler(() => undefined)).toThrow(ClosedError);
  expect(informer.status.type).toBe("closed");
  await server.close();
});

it.each<[string, (maps: Maps) => Promise<unknown>]>([
  ["waitFor", (maps) => waitFor(maps, "absent", (map) => map !== undefined)],
  ["waitForStore", (maps) => waitForStore(createInformer(maps), (store) => store.size > 0)],
])("%s rejects with a ClosedError when the client closes after the first list", async (_name, wait) => {
  const { server, client, maps } = open();
  const failed = wait(maps).catch((error: unknown) => error);
  await settle();
  await client.close();
  expect(await failed).toMatchObject({
    name: "ClosedError",
    message: 'wait for configmaps in "default": the informer was closed',
    cause: expect.any(ClosedError) as unknown,
  });
  await server.close();
});

it("waitForStore rejects with a ClosedError when its informer closes", async () => {
  const { server, client, maps } = open();
  const informer = createInformer(maps);
  const failed = waitForStore(informer, (store) => store.size > 0).catch((error: unknown) => error);
  await settle();
  await informer.close();
  expect(await failed).toBeInstanceOf(ClosedError);
  await client.close();
  await server.close();
});
