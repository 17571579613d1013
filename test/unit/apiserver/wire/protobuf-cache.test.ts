import { beforeAll, expect, it } from "vitest";
import { builtinResources } from "../../../../src/apiserver/builtin/builtin-resources.js";
import { ResourceTable } from "../../../../src/apiserver/registry/resource-table.js";
import { MvccStore } from "../../../../src/apiserver/storage/mvcc.js";
import { loadCodecs } from "../../../../src/apiserver/wire/encodings.js";
import { createProtobufCache } from "../../../../src/apiserver/wire/protobuf-cache.js";
import { protobuf } from "../../../../src/codec/protobuf/protobuf.js";
import { systemClock } from "../../../../src/internal/clock.js";

beforeAll(() => loadCodecs("application/vnd.kubernetes.protobuf"));

const table = new ResourceTable(builtinResources({ strategyOf: () => ({}) }));
const configMaps = table.find("", "v1", "configmaps")!;
const scalers = {
  v1: table.find("autoscaling", "v1", "horizontalpodautoscalers")!,
  v2: table.find("autoscaling", "v2", "horizontalpodautoscalers")!,
};

function setup(limit?: number) {
  const store = new MvccStore(systemClock);
  const put = (name: string, data: string) =>
    store.commit(store.bucket("/configmaps"), `default/${name}`, (revision) =>
      JSON.stringify({ metadata: { name, resourceVersion: String(revision) }, data: { data } }),
    );
  return { cache: createProtobufCache(limit), put };
}

const dataOf = (bytes: Uint8Array): unknown => (protobuf().decode(bytes) as { data?: unknown }).data;

it("Protobuf cache keeps encodings of each version", () => {
  const { cache, put } = setup();
  const [first, second] = [put("a", "1"), put("a", "2")];
  expect(dataOf(cache.of(configMaps, first))).toEqual({ data: "1" });
  expect(dataOf(cache.of(configMaps, second))).toEqual({ data: "2" });
  expect(cache.of(configMaps, second)).toBe(cache.of(configMaps, second));
});

it("Protobuf cache stays below its limit, and reuses the space of dropped versions", () => {
  const { cache, put } = setup(120);
  const [first, second] = [put("a", "x".repeat(40)), put("b", "x".repeat(40))];
  const kept = cache.of(configMaps, first);
  expect(cache.of(configMaps, first)).toBe(kept);
  expect(cache.of(configMaps, second)).not.toBe(cache.of(configMaps, second));
  cache.forget(first);
  expect(cache.of(configMaps, second)).toBe(cache.of(configMaps, second));
  cache.clear();
  expect(cache.of(configMaps, first)).not.toBe(kept);
});

it("Protobuf cache distinguishes API versions of a resource", () => {
  const store = new MvccStore(systemClock);
  const cache = createProtobufCache();
  const version = store.commit(store.bucket("autoscaling/horizontalpodautoscalers"), "default/a", () =>
    JSON.stringify({ metadata: { name: "a" } }),
  );
  const kindOf = (bytes: Uint8Array): unknown => (protobuf().decode(bytes) as { apiVersion?: unknown }).apiVersion;
  expect([scalers.v1, scalers.v2, scalers.v1].map((resource) => kindOf(cache.of(resource, version)))).toEqual([
    "autoscaling/v1",
    "autoscaling/v2",
    "autoscaling/v1",
  ]);
});

it("Protobuf cache wants the objects that writes store once a reader has requested Protobuf", () => {
  const { cache, put } = setup();
  expect(cache.wants(configMaps)).toBe(false);
  const version = put("a", "1");
  cache.warm(configMaps, version);
  expect(cache.wants(configMaps)).toBe(false);
  cache.of(configMaps, version);
  expect([cache.wants(configMaps), cache.wants(scalers.v2)]).toEqual([true, false]);
});

it("Protobuf cache warms encodable objects, and reports failures only to readers", () => {
  const store = new MvccStore(systemClock);
  const cache = createProtobufCache();
  const version = store.commit(store.bucket("/configmaps"), "default/a", () =>
    JSON.stringify({ metadata: { name: "a" }, data: "no map" }),
  );
  expect(() => cache.warm(configMaps, version)).not.toThrow();
  expect(() => cache.of(configMaps, version)).toThrow("data");
});
