import { describe, expect, it } from "vitest";
import type { Answer } from "./scenario-server.js";
import { item, items, maps, merge, openScenarios } from "./scenario-server.js";

const { server, send } = openScenarios();

describe("responses", () => {
  it("metadata of custom resources is sorted by name", async () => {
    const uid = "aaaaaaaa-aaaa-aaaa-aaaa-aaaaaaaaaaaa";
    const object = {
      ...item({ n: 1 }),
      metadata: { name: "owned", ownerReferences: [{ apiVersion: "v1", kind: "ConfigMap", name: "o", uid }] },
    };
    const { metadata = {} } = (await send("POST", items, object)).body;
    expect(Object.keys(metadata)).toEqual([
      "creationTimestamp",
      "generation",
      "managedFields",
      "name",
      "namespace",
      "ownerReferences",
      "resourceVersion",
      "uid",
    ]);
    expect(Object.keys((await send("GET", `${items}/owned`)).body.metadata ?? {})).toEqual(Object.keys(metadata));
  });

  it("a review can be requested as PartialObjectMetadata", async () => {
    const review = { apiVersion: "authentication.k8s.io/v1", kind: "SelfSubjectReview" };
    const ask = (kind: string): Promise<Answer> =>
      send("POST", "/apis/authentication.k8s.io/v1/selfsubjectreviews", review, {
        accept: `application/json;as=${kind};v=v1;g=meta.k8s.io`,
      });
    expect(await ask("PartialObjectMetadata")).toMatchObject({ status: 201, body: { kind: "PartialObjectMetadata" } });
    expect((await ask("PartialObjectMetadataList")).status).toBe(406);
  });

  it("warnings are encoded as UTF-8", async () => {
    const response = await server.handle(
      new Request(`http://server${maps}?dryRun=All`, {
        method: "POST",
        headers: { authorization: "Bearer admin", "content-type": "application/json" },
        body: JSON.stringify({ metadata: { name: "w" }, "ü€": 1 }),
      }),
    );
    expect(Buffer.from(response.headers.get("warning") ?? "", "latin1").toString()).toContain("ü€");
  });

  it("missing replicas count as 0", async () => {
    const { message } = (
      await send(
        "PATCH",
        "/apis/apps/v1/namespaces/default/deployments/counted/status",
        { status: { replicas: -1 } },
        { "content-type": merge },
      )
    ).body;
    expect(message).toContain("status.readyReplicas: Invalid value: 0: cannot be greater than status.replicas");
  });
});

describe("conditional requests for OpenAPI documents", () => {
  const path = "/openapi/v3/apis/coordination.k8s.io/v1";
  const ask = async (method: string, headers: Readonly<Record<string, string>>): Promise<Response> =>
    server.handle(
      new Request(`http://server${path}`, {
        method,
        headers: { authorization: "Bearer admin", accept: "application/json", ...headers },
      }),
    );
  it.each([
    ["GET", "if-none-match", "TAG", 304],
    ["HEAD", "if-none-match", 'W/TAG, "x"', 304],
    ["GET", "if-none-match", '"x"', 200],
    ["GET", "if-modified-since", "Wed, 21 Oct 2099 07:28:00 GMT", 304],
    ["POST", "if-modified-since", "Wed, 21 Oct 2099 07:28:00 GMT", 200],
  ])("%s with %s: %s is answered with %i", async (method, name, value, status) => {
    const etag = (await ask("GET", {})).headers.get("etag") ?? "";
    expect((await ask(method, { [name]: value.replace("TAG", etag) })).status).toBe(status);
  });

  it.each([
    ["if-none-match", "*"],
    ["if-modified-since", "Wed, 21 Oct 2099 07:28:00 GMT"],
  ])("the index, which has no ETag, answers 304 for %s: %s", async (name, value) => {
    const response = await server.handle(
      new Request("http://server/openapi/v3", { headers: { authorization: "Bearer admin", [name]: value } }),
    );
    expect([response.status, response.headers.has("last-modified")]).toEqual([304, true]);
  });
});
