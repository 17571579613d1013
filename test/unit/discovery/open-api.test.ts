import { expect, it } from "vitest";
import { createOpenApi } from "../../../src/discovery/open-api.js";
import { server } from "./setup.js";

it("openApi.document fetches only URLs below /openapi/", async () => {
  const { client } = server({
    "/openapi/v3": {
      body: {
        paths: {
          "apis/apps/v1": { serverRelativeURL: "/openapi/v3/apis/apps/v1?hash=A" },
          "apis/evil/v1": { serverRelativeURL: "/api/v1/secrets" },
          "apis/odd/v1": {},
        },
      },
    },
    "/openapi/v3/apis/apps/v1": (r) => ({ body: { asked: r.path } }),
  });
  const openApi = createOpenApi(client);
  expect(await openApi.paths()).toEqual(["apis/apps/v1", "apis/evil/v1"]);
  expect(await openApi.document("apps/v1")).toEqual({ asked: "/openapi/v3/apis/apps/v1?hash=A" });
  await expect(openApi.document("evil/v1")).rejects.toThrow("unexpected URL");
});

it("openApi.document caches one document per path", async () => {
  let hash = "A";
  const { client, transport } = server({
    "/openapi/v3": () => ({
      body: { paths: { "apis/apps/v1": { serverRelativeURL: `/openapi/v3/apis/apps/v1?hash=${hash}` } } },
    }),
    "/openapi/v3/apis/apps/v1": (r) => ({ body: { asked: r.path } }),
  });
  const openApi = createOpenApi(client);
  const fetched = (): number => transport.requests.filter(({ path }) => path.includes("hash=")).length;
  for (const [next, count] of [
    ["A", 1],
    ["A", 1],
    ["B", 2],
    ["A", 3],
  ] as const) {
    hash = next;
    expect(await openApi.document("apps/v1")).toEqual({ asked: `/openapi/v3/apis/apps/v1?hash=${next}` });
    expect(fetched()).toBe(count);
  }
});

it.each([null, 1, "", { paths: null }, { paths: { "api/v1": null } }])(
  "openApi.paths handles the malformed index %j",
  async (body) => {
    const { client } = server({ "/openapi/v3": { body: JSON.stringify(body) } });
    const found = await createOpenApi(client)
      .paths()
      .catch((error: unknown) => (error as Error).name);
    expect(found).toEqual(body !== null && typeof body === "object" && body.paths !== null ? [] : "ProtocolError");
  },
);
