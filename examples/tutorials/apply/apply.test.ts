import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { type Client, createClient, handlerTransport } from "kubestream";
import { type ApiServer, createApiServer } from "kubestream/apiserver";
import { ConfigMap } from "kubestream/kinds/core/v1";
import { afterEach, beforeEach, expect, it } from "vitest";
import { applyFolder, describeOutcome } from "./apply.js";

let server: ApiServer;
let client: Client;
let folder: string;

const manifest = (name: string, color: string): string =>
  `apiVersion: v1\nkind: ConfigMap\nmetadata: { name: ${name} }\ndata: { color: ${color} }\n`;
const run = async (options: { force?: boolean; dryRun?: boolean } = {}) => {
  const outcomes = await applyFolder({ client, folder, set: "my-app", namespace: "default", ...options });
  return outcomes.map((outcome) => describeOutcome(outcome));
};

beforeEach(async () => {
  server = createApiServer();
  client = createClient({ transport: handlerTransport(server.handle) });
  folder = await mkdtemp(join(tmpdir(), "apply-"));
  await writeFile(join(folder, "first.yaml"), manifest("first", "blue"));
  await writeFile(join(folder, "second.yaml"), manifest("second", "green"));
});

afterEach(async () => {
  await client.close();
  await server.close();
  await rm(folder, { recursive: true });
});

it("writes nothing in a dry run", async () => {
  expect(await run({ dryRun: true })).toEqual(["ConfigMap/first created", "ConfigMap/second created"]);
  expect(await client.resource(ConfigMap).namespace("default").getOptional("first")).toBeUndefined();
});

it("deletes an object whose manifest is gone", async () => {
  expect(await run()).toEqual(["ConfigMap/first created", "ConfigMap/second created"]);
  await rm(join(folder, "second.yaml"));
  expect(await run()).toEqual(["ConfigMap/first unchanged", "ConfigMap/second pruned"]);
  expect(await client.resource(ConfigMap).namespace("default").getOptional("second")).toBeUndefined();
});

it("names the field and its owner in a conflict, and takes it over by force", async () => {
  const maps = client.resource(ConfigMap).namespace("default");
  const painted = { apiVersion: "v1", kind: "ConfigMap", metadata: { name: "first" }, data: { color: "red" } } as const;
  await maps.apply(painted, { fieldManager: "painter" });
  expect(await run()).toContain("ConfigMap/first failed\n  .data.color belongs to painter");
  await run({ force: true });
  expect((await maps.get("first")).data).toEqual({ color: "blue" });
});
