import { expect, it } from "vitest";
import { createApiServer } from "../../../../src/apiserver/server.js";

const path = "http://server/api/v1/namespaces/default/configmaps/a";

it("PUT that another write overtakes stores its body in the next attempt, with one warning for each problem", async () => {
  let overtaken = false;
  const send = (method: string, url: string, body: string): Promise<Response> =>
    server.handle(new Request(url, { method, headers: { "content-type": "application/json" }, body }));
  const server = createApiServer({
    controllers: false,
    admission: [
      {
        name: "Slow",
        async admit({ operation, object }) {
          if (operation !== "UPDATE" || object === undefined) return;
          object.metadata!.labels = { seen: `${object.metadata!.labels?.["seen"]}x` };
          if (overtaken) return;
          overtaken = true;
          await send("PUT", path, '{"metadata":{"name":"a"},"data":{"a":"other"}}');
        },
      },
    ],
  });
  await send("POST", path.replace(/\/a$/, ""), '{"metadata":{"name":"a"}}');
  const response = await send(
    "PUT",
    path,
    '{"metadata":{"name":"a","labels":{"seen":"1"}},"data":{"b":"x","b":"own"}}',
  );
  expect(response.status).toBe(200);
  expect(response.headers.get("warning")).toBe('299 - "duplicate field \\"data.b\\""');
  // The label of the first attempt isn't visible to the second one.
  expect(await response.json()).toMatchObject({ metadata: { labels: { seen: "1x" } }, data: { b: "own" } });
  await server.close();
});
