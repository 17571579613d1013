import { expect, it } from "vitest";
import { createApiServer } from "../../../src/apiserver/server.js";
import { createInformer } from "../../../src/cache/informer/create-informer.js";
import type { InformerOptions } from "../../../src/cache/informer/informer.js";
import { createClient } from "../../../src/client/client.js";
import { enqueueMapped } from "../../../src/controller/reconcile/enqueue.js";
import { quietly } from "../../../src/internal/quietly.js";
import { ConfigMap } from "../../../src/kinds/core/v1.js";
import { handlerTransport } from "../../../src/transport/handler.js";
import { settle } from "../../support/virtual-clock.js";

/** Fills an informer with one object and returns its errors. */
async function errorsOf(options: InformerOptions<ConfigMap>) {
  const server = createApiServer({ controllers: false });
  const client = createClient({ transport: handlerTransport(server.handle) });
  const maps = client.resource(ConfigMap).namespace("default");
  await maps.create({ metadata: { name: "a" } });
  const errors: unknown[] = [];
  const informer = createInformer(maps, { ...options, onError: (error) => errors.push(error) });
  await informer.synced();
  const { metrics, lastError } = informer;
  await informer.close();
  await client.close();
  await server.close();
  return { errors: errors.map(String), metrics, lastError: String(lastError) };
}

it.each<[string, () => unknown, string]>([
  ["undefined", () => undefined, "undefined"],
  ["null", () => null, "null"],
  ["a string", () => "a", "a string"],
  ["a promise that rejects", () => Promise.reject(new Error("no")), "a promise"],
])("a transform that returns %s is reported, and its objects are counted as dropped", async (_name, value, shown) => {
  const { errors, metrics, lastError } = await errorsOf({ transform: () => value() as ConfigMap });
  expect(errors[0]).toContain(`options.transform returned ${shown}: it must return the object`);
  expect(lastError).toBe(errors.at(-1));
  expect(metrics.objectsDropped).toBe(errors.length);
});

it.each<[string, unknown]>([
  ["undefined", undefined],
  ["a string", "a"],
  ["a promise that rejects", () => Promise.reject(new Error("no"))],
])("an index function that returns %s is reported", async (_name, value) => {
  const valuesOf = () => (typeof value === "function" ? (value as () => string[])() : value) as string[];
  const { errors, lastError } = await errorsOf({ indexes: { broken: valuesOf } });
  expect(lastError).toMatch(/index function must return an array/);
  expect(errors).toContainEqual(expect.stringMatching(/index function must return an array/));
});

it("an observer that returns a promise that rejects does not end the process", async () => {
  quietly(async () => Promise.reject(new Error("no")) as Promise<void>)();
  await settle();
});

it("an async function for enqueueMapped throws, and its rejection does not end the process", async () => {
  const handler = enqueueMapped((() => Promise.reject(new Error("no"))) as unknown as () => []);
  expect(() => handler({ type: "added", key: "a", object: {}, cause: "live", initial: false })).toThrow(
    /must return its requests, not a promise/,
  );
  await settle();
});
