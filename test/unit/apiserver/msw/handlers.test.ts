import { setupServer } from "msw/node";
import { afterAll, beforeAll, expect, it } from "vitest";
import { createMswHandlers } from "../../../../src/apiserver/msw/handlers.js";
import { createApiServer } from "../../../../src/apiserver/server.js";

const url = "https://cluster.test";
const api = createApiServer();
const worker = setupServer(...createMswHandlers(api, { url }));
beforeAll(() => worker.listen({ onUnhandledRequest: "error" }));
afterAll(async () => {
  worker.close();
  await api.close();
});

const collection = `${url}/api/v1/namespaces/default/configmaps`;

it("msw handlers answer reads and writes by fetch", async () => {
  const created = await fetch(collection, {
    method: "POST",
    body: JSON.stringify({ metadata: { name: "a" } }),
    headers: { "content-type": "application/json" },
  });
  expect(created.status).toBe(201);
  const list = (await (await fetch(`${collection}?limit=5&labelSelector=a%21%3Db`)).json()) as {
    items: { metadata: { name: string } }[];
  };
  expect(list.items.map((item) => item.metadata.name)).toContain("a");
  const missing = await fetch(`${collection}/zz`);
  expect([missing.status, ((await missing.json()) as { reason: string }).reason]).toEqual([404, "NotFound"]);
});

it("msw handlers stream a watch and end it when the client disconnects", async () => {
  const controller = new AbortController();
  const response = await fetch(`${collection}?watch=1&resourceVersion=0&fieldSelector=metadata.name%3Dw`, {
    signal: controller.signal,
  });
  await fetch(collection, {
    method: "POST",
    body: JSON.stringify({ metadata: { name: "w" } }),
    headers: { "content-type": "application/json" },
  });
  const reader = response.body!.getReader();
  let event = "";
  while (!event.endsWith("\n")) event += new TextDecoder().decode((await reader.read()).value);
  expect(JSON.parse(event)).toMatchObject({ type: "ADDED", object: { metadata: { name: "w" } } });
  const watches = async (): Promise<boolean> =>
    (await (await fetch(`${url}/metrics`)).text()).includes('resource="configmaps",verb="WATCH"');
  expect(await watches()).toBe(true);
  controller.abort();
  await expect.poll(watches, { timeout: 15_000 }).toBe(false);
});
