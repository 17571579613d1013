import { afterAll, expect, it } from "vitest";
import { hashField } from "../../../../src/apiserver/objects/shard-selector.js";
import { createApiServer } from "../../../../src/apiserver/server.js";
import { sendJson } from "../../../support/send-json.js";

const server = createApiServer({ controllers: false });
afterAll(() => server.close());
const path = "/api/v1/namespaces/default/configmaps";

it.each([
  ["", "cbf29ce484222325"],
  ["a", "af63dc4c8601ec8c"],
  ["foobar", "85944171f73967e8"],
])("shard selector hashes %j as FNV-1a", (text, hash) => {
  expect(hashField(text)).toBe(hash);
});

it("shard selectors split a collection into disjoint parts that cover it", async () => {
  for (let i = 0; i < 40; i += 1)
    await sendJson(server, { method: "POST", path, body: { metadata: { name: `c-${i}` } } });
  const list = async (
    selector: string,
  ): Promise<{
    items: { metadata: { name: string } }[];
    metadata: { shardInfo?: { selector: string }; remainingItemCount?: number };
  }> =>
    (await (
      await server.handle(new Request(`http://server${path}?shardSelector=${encodeURIComponent(selector)}`))
    ).json()) as never;
  const low = "shardRange(object.metadata.uid, '0x0000000000000000', '0x8000000000000000')";
  const high = "shardRange(object.metadata.uid, '0x8000000000000000', '0x10000000000000000')";
  const halves = [await list(low), await list(high)];
  const names = halves.map((half) => half.items.map((item) => item.metadata.name));
  expect(new Set(names.flat()).size).toBe(40);
  expect(names[0]!.length + names[1]!.length).toBe(40);
  expect(halves[0]!.metadata.shardInfo).toEqual({ selector: low });
  expect((await list(`${low} || ${high}`)).items).toHaveLength(40);
});

it.each([
  "shardRange(object.metadata.name, '0x0000000000000000', '0x8000000000000000')",
  "shardRange(object.metadata.uid, '0x0', '0x8000000000000000')",
  "other(1)",
])("shard selector %s is rejected", async (selector) => {
  const response = await server.handle(
    new Request(`http://server${path}?shardSelector=${encodeURIComponent(selector)}`),
  );
  expect(response.status).toBe(500);
});
