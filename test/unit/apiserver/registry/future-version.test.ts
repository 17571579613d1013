// A read at a version that the server doesn't have yet waits for it, for three seconds at most.
import { afterEach, beforeEach, expect, it } from "vitest";
import { type ApiServer, createApiServer } from "../../../../src/apiserver/server.js";
import { sendJson } from "../../../support/send-json.js";
import { createVirtualClock } from "../../../support/virtual-clock.js";

const maps = "/api/v1/namespaces/default/configmaps";
let clock: ReturnType<typeof createVirtualClock>;
let server: ApiServer;

beforeEach(() => {
  clock = createVirtualClock();
  server = createApiServer({ clock, controllers: false });
});
afterEach(() => server.close());

/** Returns the path of a list that is `ahead` versions in the future. */
async function listAhead(ahead: number): Promise<string> {
  const { body } = await sendJson(server, { method: "GET", path: maps });
  return `${maps}?resourceVersion=${String(Number((body["metadata"] as { resourceVersion: string }).resourceVersion) + ahead)}`;
}

it("a list at the next version is answered when a write makes it", async () => {
  const list = sendJson(server, { method: "GET", path: await listAhead(1) });
  await sendJson(server, { method: "POST", path: maps, body: { metadata: { name: "a" } } });
  expect(await list).toMatchObject({ status: 200, body: { items: [{ metadata: { name: "a" } }] } });
});

it("a list at a version that never exists fails with 504 after three seconds", async () => {
  const list = sendJson(server, { method: "GET", path: await listAhead(9) });
  await clock.advance(3_000);
  expect(await list).toMatchObject({ status: 504, body: { reason: "Timeout" } });
});

it.each(["before", "during"])("a list at a future version ends when its request is aborted %s it", async (moment) => {
  const controller = new AbortController();
  if (moment === "before") controller.abort();
  const list = server.handle(new Request(`http://server${await listAhead(9)}`, { signal: controller.signal }));
  const ended = list.then(
    () => "ended",
    () => "ended",
  );
  controller.abort();
  expect(await ended).toBe("ended");
});
