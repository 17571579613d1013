import { afterEach, beforeEach, expect, it } from "vitest";
import type { FaultEffect } from "../../../../src/apiserver/faults/plan.js";
import type { ApiServer } from "../../../../src/apiserver/server.js";
import { createApiServer } from "../../../../src/apiserver/server.js";

let server: ApiServer;
beforeEach(() => {
  server = createApiServer({ controllers: false, faultSeed: 7 });
});
afterEach(() => server.close());

const path = "/api/v1/namespaces/default/configmaps";
const get = (query = ""): Promise<Response> => server.handle(new Request(`http://server${path}${query}`));
const create = (name: string): Promise<Response> =>
  server.handle(
    new Request(`http://server${path}`, {
      method: "POST",
      body: JSON.stringify({ metadata: { name } }),
      headers: { "content-type": "application/json" },
    }),
  );

it.each<[string, FaultEffect, number, string | null]>([
  ["429 with Retry-After", { type: "status", code: 429 }, 429, "1"],
  ["410 Expired", { type: "status", code: 410 }, 410, null],
  ["an HTML page", { type: "html", code: 502 }, 502, null],
])("a fault answers %s as often as configured, then normally", async (_name, effect, code, retryAfter) => {
  server.faults.add({ match: { verb: "list", resource: "configmaps" }, effect, after: 1, times: 1 });
  const answers = [await get(), await get(), await get()];
  expect(answers.map((answer) => answer.status)).toEqual([200, code, 200]);
  expect(answers[1]!.headers.get("retry-after")).toBe(retryAfter);
  expect(server.faults.hits).toEqual({ [effect.type]: 1 });
});

it("faults break connections before the response and in the middle of it", async () => {
  const remove = server.faults.add({ effect: { type: "reset" } });
  await expect(get()).rejects.toThrow(TypeError);
  remove();
  server.faults.add({ effect: { type: "reset", afterBytes: 10 } });
  const reader = (await get()).body!.getReader();
  expect((await reader.read()).value?.length).toBe(10);
  await expect(reader.read()).rejects.toThrow(TypeError);
});

it("faults truncate bodies and send them in pieces", async () => {
  const remove = server.faults.add({ effect: { type: "truncate", afterBytes: 12 } });
  expect(await (await get()).text()).toHaveLength(12);
  remove();
  server.faults.add({ effect: { type: "slow", pieceBytes: 7, everyMs: 0 } });
  const reader = (await get()).body!.getReader();
  expect((await reader.read()).value?.length).toBe(7);
  await reader.cancel();
});

it("a stale fault answers lists from an older state", async () => {
  // Let the controllers finish first, so that their writes don't interfere.
  await server.settled();
  await create("a");
  await create("b");
  server.faults.add({ match: { verb: "list" }, effect: { type: "stale", revisions: 1 }, times: 1 });
  const names = async (): Promise<string[]> =>
    ((await (await get()).json()) as { items: { metadata: { name: string } }[] }).items.map(
      (item) => item.metadata.name,
    );
  expect([await names(), await names()]).toEqual([["a"], ["a", "b"]]);
});

it("a dropBookmarks fault drops bookmarks", async () => {
  await create("a");
  server.faults.add({ match: { verb: "watch" }, effect: { type: "dropBookmarks" } });
  const response = await get(
    "?watch=1&allowWatchBookmarks=true&sendInitialEvents=true&resourceVersionMatch=NotOlderThan",
  );
  await create("b");
  const reader = response.body!.getReader();
  let text = "";
  while (!text.includes('"b"')) text += new TextDecoder().decode((await reader.read()).value);
  await reader.cancel();
  expect(
    text
      .trim()
      .split("\n")
      .map((line) => (JSON.parse(line) as { type: string }).type),
  ).toEqual(["ADDED", "ADDED"]);
});
