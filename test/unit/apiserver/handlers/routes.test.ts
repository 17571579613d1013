import { afterAll, beforeAll, expect, it } from "vitest";
import { createApiServer, type ApiServer } from "../../../../src/apiserver/server.js";

let server: ApiServer;
beforeAll(() => {
  server = createApiServer({ loops: false });
});
afterAll(() => server.close());

const deprecated = "299 - \"v1 ComponentStatus is deprecated in v1.19+\"";

it.each([
  ["GET", "/api/v1/componentstatuses", 200, deprecated],
  ["GET", "/api/v1/componentstatuses/none", 404, deprecated],
  ["POST", "/api/v1/componentstatuses", 405, null],
  ["DELETE", "/api/v1/componentstatuses/none", 405, null],
  ["GET", "/api/v1/bindings", 404, null],
  ["POST", "/api/v1/bindings", 404, null],
  ["GET", "/apis/authorization.k8s.io/v1/localsubjectaccessreviews", 404, null],
  ["POST", "/api/v1/pods", 405, null],
  ["GET", "/api/v1/endpoints", 200, "299 - \"v1 Endpoints is deprecated in v1.33+; use discovery.k8s.io/v1 EndpointSlice\""],
])("%s %s is answered %i", async (method, path, status, warning) => {
  const response = await server.handle(new Request(`http://server${path}`, { method, headers: { "content-type": "application/json" }, ...(method === "POST" ? { body: "{}" } : {}) }));
  expect([response.status, response.headers.get("warning")]).toEqual([status, warning]);
});

it.each([["abc"], ["7"]])("a page that is continued takes no version, not even %s", async (version) => {
  for (const name of ["a", "b"]) await server.handle(new Request("http://server/api/v1/namespaces/default/configmaps", { method: "POST", headers: { "content-type": "application/json" }, body: JSON.stringify({ metadata: { name } }) }));
  const get = async (query: string): Promise<{ metadata: { continue: string }; message?: string }> => (await (await server.handle(new Request(`http://server/api/v1/namespaces/default/configmaps?limit=1${query}`))).json()) as { metadata: { continue: string }; message?: string };
  const next = (await get("")).metadata.continue;
  expect((await get(`&continue=${next}&resourceVersion=${version}`)).message).toBe("specifying resource version is not allowed when using continue");
});
