import { afterAll, beforeAll, expect, it } from "vitest";
import { type ApiServer, createApiServer } from "../../../../src/apiserver/server.js";
import { sendJson } from "../../../support/send-json.js";

let server: ApiServer;
beforeAll(() => {
  server = createApiServer({ controllers: false });
});
afterAll(() => server.close());

const deprecated = '299 - "v1 ComponentStatus is deprecated in v1.19+"';

it.each([
  ["GET", "/api/v1/componentstatuses", 200, deprecated],
  ["GET", "/api/v1/componentstatuses/none", 404, deprecated],
  ["POST", "/api/v1/componentstatuses", 405, null],
  ["DELETE", "/api/v1/componentstatuses/none", 405, null],
  ["GET", "/api/v1/bindings", 404, null],
  ["POST", "/api/v1/bindings", 404, null],
  ["GET", "/apis/authorization.k8s.io/v1/localsubjectaccessreviews", 404, null],
  ["POST", "/api/v1/pods", 405, null],
  ["POST", "/api/v1/pods/p/binding", 404, null],
  ["PATCH", "/api/v1/watch/namespaces/default/pods/p/status", 404, null],
  ["POST", "/api/v1/watch/namespaces/default/configmaps", 405, null],
  ["POST", "/apis/authorization.k8s.io/v1/watch/selfsubjectaccessreviews", 404, null],
  ["GET", "/apis/authorization.k8s.io/v1/selfsubjectaccessreviews/x", 404, null],
  ["PUT", "/api/v1/namespaces/default/bindings/x", 404, null],
  ["PUT", "/api/v1/namespaces/default/configmaps", 405, null],
  ["GET", "/api/v1/namespaces/default/configmaps?watch=1&timeout=x&timeoutSeconds=1&resourceVersion=1", 200, null],
  ["PATCH", "/api", 405, null],
  ["GET", "/api/v1/namespaces/default/namespaces", 404, null],
  ["GET", "/api/v1/namespaces/default/status", 200, null],
  [
    "GET",
    "/api/v1/endpoints",
    200,
    '299 - "v1 Endpoints is deprecated in v1.33+; use discovery.k8s.io/v1 EndpointSlice"',
  ],
])("%s %s is answered with %i", async (method, path, status, warning) => {
  const response = await server.handle(
    new Request(`http://server${path}`, {
      method,
      headers: { "content-type": "application/json" },
      ...(method === "POST" ? { body: "{}" } : {}),
    }),
  );
  expect([response.status, response.headers.get("warning")]).toEqual([status, warning]);
});

it.each([["abc"], ["7"]])("list that continues a page rejects resourceVersion=%s", async (version) => {
  for (const name of ["a", "b"])
    await sendJson(server, {
      method: "POST",
      path: "/api/v1/namespaces/default/configmaps",
      body: { metadata: { name } },
    });
  const get = async (query: string): Promise<{ metadata: { continue: string }; message?: string }> =>
    (await (
      await server.handle(new Request(`http://server/api/v1/namespaces/default/configmaps?limit=1${query}`))
    ).json()) as { metadata: { continue: string }; message?: string };
  const next = (await get("")).metadata.continue;
  expect((await get(`&continue=${next}&resourceVersion=${version}`)).message).toBe(
    "specifying resource version is not allowed when using continue",
  );
});

// Paths that are served for a custom resource, by method.
it.each([
  ["POST", "/odds", 404, "404 page not found\n"],
  ["HEAD", "/odds", 200, ""],
  ["GET", "/odds/x/y", 404, "404 page not found\n"],
  ["GET", "/namespaces/default/odds/x/y", 404, { name: "x", group: "routes.test", kind: "odds" }],
  ["PATCH", "/namespaces/default/odds/x/y/z", 404, { name: "x", group: "routes.test", kind: "odds" }],
  ["GET", "/namespaces/default/odds/there/status/z", 200, undefined],
  ["PUT", "/namespaces/default/odds", 400, undefined],
  ["POST", "/namespaces/default/odds/there/scale", 405, { group: "routes.test", kind: "odds" }],
  ["POST", "/watch/namespaces/default/odds?timeoutSeconds=1&resourceVersion=1", 200, ""],
])("%s of a custom resource at %s is answered with %i", async (method, path, status, expected) => {
  const base = "http://server/apis/routes.test/v1";
  const init = (body: unknown): RequestInit => ({
    method: "POST",
    headers: { "content-type": "application/json" },
    body: JSON.stringify(body),
  });
  await server.handle(
    new Request(
      "http://server/apis/apiextensions.k8s.io/v1/customresourcedefinitions",
      init({
        metadata: { name: "odds.routes.test" },
        spec: {
          group: "routes.test",
          scope: "Namespaced",
          names: { plural: "odds", kind: "Odd" },
          versions: [
            {
              name: "v1",
              served: true,
              storage: true,
              subresources: {
                status: {},
                scale: { specReplicasPath: ".spec.replicas", statusReplicasPath: ".status.replicas" },
              },
              schema: { openAPIV3Schema: { type: "object" } },
            },
          ],
        },
      }),
    ),
  );
  await server.settled();
  await server.handle(
    new Request(
      `${base}/namespaces/default/odds`,
      init({ apiVersion: "routes.test/v1", kind: "Odd", metadata: { name: "there" } }),
    ),
  );
  const type = method === "PATCH" ? "application/merge-patch+json" : "application/json";
  const response = await server.handle(
    new Request(`${base}${path}`, {
      method,
      headers: { "content-type": type, accept: "application/json;q=0.1, application/cbor;q=0.9" },
      ...(method === "GET" || method === "HEAD" ? {} : { body: "{}" }),
    }),
  );
  expect(response.status).toBe(status);
  if (typeof expected === "string" && expected !== "") expect(await response.text()).toBe(expected);
  else if (typeof expected === "object") {
    expect(response.headers.get("content-type")).toBe("application/json");
    expect(await response.json()).toMatchObject({ details: expected });
  } else await response.body?.cancel();
});
