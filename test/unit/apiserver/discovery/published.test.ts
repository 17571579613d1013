import { createHash } from "node:crypto";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { customForV2 } from "../../../../src/apiserver/discovery/openapi-v2-custom.js";
import { createApiServer } from "../../../../src/apiserver/server.js";
import { sendJson } from "../../../support/send-json.js";

const server = createApiServer({ controllers: false });
afterAll(() => server.close());

const get = (path: string, headers: Record<string, string> = {}): Promise<Response> =>
  server.handle(new Request(`http://server${path}`, { headers }));
const read = async (path: string): Promise<Record<string, unknown>> =>
  (await (await get(path)).json()) as Record<string, unknown>;

beforeAll(async () => {
  const version = (name: string, storage: boolean): object => ({
    name,
    storage,
    served: true,
    schema: { openAPIV3Schema: { type: "object", description: "A thing.", properties: { spec: { type: "object" } } } },
  });
  const definition = {
    metadata: { name: "things.example.com" },
    spec: {
      group: "example.com",
      scope: "Cluster",
      names: { plural: "things", kind: "Thing" },
      versions: [version("v1", false), version("v1beta1", true)],
    },
  };
  const made = await sendJson(server, {
    method: "POST",
    path: "/apis/apiextensions.k8s.io/v1/customresourcedefinitions",
    body: definition,
  });
  expect(made.status).toBe(201);
  await server.settled();
});

describe("storage version hash", () => {
  it.each([
    ["/api/v1", "pods", "/v1/Pod"],
    ["/api/v1", "events", "/v1/Event"],
    ["/apis/events.k8s.io/v1", "events", "/v1/Event"],
    ["/apis/autoscaling/v1", "horizontalpodautoscalers", "autoscaling/v2/HorizontalPodAutoscaler"],
    ["/apis/resource.k8s.io/v1beta1", "resourceclaims", "resource.k8s.io/v1/ResourceClaim"],
    [
      "/apis/apiextensions.k8s.io/v1",
      "customresourcedefinitions",
      "apiextensions.k8s.io/v1beta1/CustomResourceDefinition",
    ],
    ["/apis/example.com/v1beta1", "things", "example.com/v1beta1/Thing"],
    ["/apis/example.com/v1", "things", "example.com/v1beta1/Thing"],
    ["/apis/authorization.k8s.io/v1", "subjectaccessreviews", undefined],
  ])("in %s of %s is that of %s", async (path, name, stored) => {
    const { resources } = (await read(path)) as { resources: { name: string; storageVersionHash?: string }[] };
    const wanted =
      stored === undefined ? undefined : createHash("sha256").update(stored).digest().subarray(0, 8).toString("base64");
    expect(resources.find((one) => one.name === name)?.storageVersionHash).toBe(wanted);
  });
});

describe("/openapi/v2", () => {
  it("answers 304 for a known ETag", async () => {
    const first = await get("/openapi/v2");
    const etag = first.headers.get("etag")!;
    const hash = createHash("sha512").update(new Uint8Array(await first.clone().arrayBuffer()));
    expect(etag).toBe(`"${hash.digest("hex").toUpperCase()}"`);
    expect(Object.keys(((await first.json()) as { definitions: object }).definitions)).toContain(
      "com.example.v1.Thing",
    );
    const again = await get("/openapi/v2", { "if-none-match": etag });
    expect([again.status, await again.text(), again.headers.get("etag")]).toEqual([304, "", etag]);
    expect((await get("/openapi/v2", { "if-none-match": '"other"' })).status).toBe(200);
  });

  it.each([
    [
      "application/com.github.proto-openapi.spec.v2@v1.0+protobuf",
      200,
      "application/com.github.proto-openapi.spec.v2.v1.0+protobuf",
    ],
    ["application/vnd.kubernetes.protobuf,application/json", 200, "application/json"],
    ["application/*", 200, "application/json"],
    ["text/plain", 406, null],
    ["application/yaml", 406, null],
  ])("with Accept %s is answered with %i in %s", async (accept, status, type) => {
    const response = await get("/openapi/v2", { accept });
    expect([response.status, response.headers.get("content-type")]).toEqual([status, type]);
    await response.arrayBuffer();
  });
});

describe("OpenAPI descriptions", () => {
  it.each([
    ["apis/example.com/v1", "com.example.v1.Thing"],
    ["api/v1", "io.k8s.api.core.v1.Pod"],
  ])("in /openapi/v3/%s cover the fields of every object", async (path, name) => {
    const { schemas } = (
      (await read(`/openapi/v3/${path}`)) as {
        components: { schemas: Record<string, { properties: Record<string, { description?: string }> }> };
      }
    ).components;
    const { apiVersion, kind, metadata } = schemas[name]!.properties;
    expect([apiVersion, kind, metadata].map((one) => typeof one!.description)).toEqual(["string", "string", "string"]);
    const fields = schemas["io.k8s.apimachinery.pkg.apis.meta.v1.ObjectMeta"]!.properties;
    expect(Object.keys(fields).filter((field) => fields[field]!.description === undefined)).toEqual([]);
  });
});

describe("custom schemas in OpenAPI version 2", () => {
  const any = { "x-kubernetes-preserve-unknown-fields": true };
  it.each([
    [{ type: "object", ...any, properties: { a: { type: "string" } } }, { type: "object" }],
    [
      { type: "object", properties: { a: { type: "object", ...any, properties: { b: {} } } } },
      { type: "object", properties: { a: any } },
    ],
    [
      { type: "object", properties: { a: { type: "array", ...any, items: { type: "string" } } } },
      { type: "object", properties: { a: any } },
    ],
    [
      {
        type: "object",
        required: ["a", "b"],
        properties: { a: { type: "object", nullable: true, properties: { c: {} } }, b: { type: "string" } },
      },
      { type: "object", required: ["b"], properties: { a: {}, b: { type: "string" } } },
    ],
    [
      { type: "object", required: ["a"], properties: { a: { type: "string", nullable: true } } },
      { type: "object", properties: { a: {} } },
    ],
    [
      {
        type: "object",
        properties: { a: { type: "integer", anyOf: [{}], oneOf: [{}], not: {}, allOf: [{ minimum: 1 }] } },
      },
      { type: "object", properties: { a: { type: "integer" } } },
    ],
    [
      { type: "object", additionalProperties: { type: "string", nullable: true } },
      { type: "object", additionalProperties: {} },
    ],
    [
      { type: "object", properties: { metadata: { description: "d", allOf: [{ $ref: "#/x" }] } } },
      { type: "object", properties: { metadata: { description: "d", allOf: [{ $ref: "#/x" }] } } },
    ],
  ])("%j becomes %j", (schema, wanted) => {
    expect(customForV2(schema)).toEqual(wanted);
  });
});
