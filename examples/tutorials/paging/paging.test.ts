import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { type Client, createClient, handlerTransport } from "kubestream";
import { type ApiServer, createApiServer } from "kubestream/apiserver";
import { ConfigMap } from "kubestream/kinds/core/v1";
import { afterEach, beforeEach, expect, it } from "vitest";
import { handleAll } from "./paging.js";

let server: ApiServer;
let client: Client;
let folder: string;

beforeEach(async () => {
  server = createApiServer({ controllers: false });
  client = createClient({ transport: handlerTransport(server.handle) });
  folder = await mkdtemp(join(tmpdir(), "paging-"));
  for (let index = 0; index < 20; index++)
    await client
      .resource(ConfigMap)
      .namespace("default")
      .create({ metadata: { name: `map-${index}` } });
});

afterEach(async () => {
  await client.close();
  await server.close();
  await rm(folder, { recursive: true });
});

it("handles each object once when the token of a page expires", async () => {
  const names: string[] = [];
  const collection = client.resource(ConfigMap).namespace("default");
  const handled = await handleAll({
    collection,
    checkpoint: join(folder, "done.json"),
    pageSize: 5,
    async handle(map) {
      names.push(map.metadata?.name ?? "");
      if (names.length !== 7) return;
      // Between two pages the collection changes and the server forgets the version that the list reads.
      await collection.create({ metadata: { name: "a-late-one" } });
      server.compact();
    },
  });
  expect(handled).toBe(21);
  expect(new Set(names).size).toBe(21);
});

it("continues after a crash without repeating a page", async () => {
  const names: string[] = [];
  const run = (limit: number) =>
    handleAll({
      collection: client.resource(ConfigMap).namespace("default"),
      checkpoint: join(folder, "done.json"),
      pageSize: 5,
      async handle(map) {
        if (names.length === limit) throw new Error("crash");
        names.push(map.metadata?.name ?? "");
      },
    });
  await expect(run(10)).rejects.toThrow("crash");
  expect(await run(Number.POSITIVE_INFINITY)).toBe(10);
  expect(new Set(names).size).toBe(20);
});
