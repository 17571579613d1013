import { expect, it } from "vitest";
import { builtinResources } from "../../../../src/apiserver/builtin/builtin-resources.js";
import { ResourceTable } from "../../../../src/apiserver/registry/resource-table.js";
import { MvccStore } from "../../../../src/apiserver/storage/mvcc.js";
import { jsonList } from "../../../../src/apiserver/wire/json-list.js";
import { systemClock } from "../../../../src/internal/clock.js";

const configMaps = new ResourceTable(builtinResources({ strategyOf: () => ({}) })).find("", "v1", "configmaps")!;

it.each([
  ["no items", []],
  ["one item", [10]],
  ["items that are encoded together", [10, 20, 30]],
  ["items that are encoded apart", [10, 100_000, 65_000, 1_000, 20, 70_000]],
])("JSON list of %s has the text of all items", (_, lengths) => {
  const store = new MvccStore(systemClock);
  const objects = lengths.map((length, i) => ({
    metadata: { name: String(i) },
    data: { text: "ä🙂".repeat(length / 2) },
  }));
  const versions = objects.map((object, i) =>
    store.commit(store.bucket("/configmaps"), `default/${String(i)}`, () => JSON.stringify(object)),
  );
  const text = new TextDecoder().decode(jsonList(configMaps, versions, { resourceVersion: "7" }));
  const list = { kind: "ConfigMapList", apiVersion: "v1", metadata: { resourceVersion: "7" }, items: objects };
  expect(text).toBe(`${JSON.stringify(list)}\n`);
});
