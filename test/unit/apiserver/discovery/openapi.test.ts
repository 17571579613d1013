// Operations that kube-apiserver 1.36 publishes.
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { createApiServer } from "../../../../src/apiserver/server.js";
import { sendJson } from "../../../support/send-json.js";

const server = createApiServer({ controllers: false });
afterAll(() => server.close());
const ask = (path: string, headers: Record<string, string> = {}): Promise<Response> =>
  server.handle(new Request(`http://server${path}`, { headers }));

interface Operation {
  readonly operationId: string;
  readonly tags: string[];
  readonly parameters?: { name?: string; $ref?: string; in?: string; schema?: { $ref?: string } }[];
  readonly consumes: string[];
  readonly produces: string[];
  readonly requestBody?: { required?: boolean };
  readonly responses: Record<string, unknown>;
}
type Document = {
  paths: Record<string, Record<string, Operation>>;
  definitions: Record<string, object>;
  components: { schemas: Record<string, object> };
};
const json = async (path: string): Promise<Document> => (await (await ask(path)).json()) as Document;

const widgets = {
  apiVersion: "apiextensions.k8s.io/v1",
  kind: "CustomResourceDefinition",
  metadata: { name: "widgets.probe.cf.dev" },
  spec: {
    group: "probe.cf.dev",
    scope: "Namespaced",
    names: { plural: "widgets", kind: "Widget" },
    versions: [
      {
        name: "v1",
        served: true,
        storage: true,
        subresources: { status: {} },
        schema: { openAPIV3Schema: { type: "object", properties: { port: { "x-kubernetes-int-or-string": true } } } },
      },
    ],
  },
};
let v2: Document;

beforeAll(async () => {
  await sendJson(server, {
    method: "POST",
    path: "/apis/apiextensions.k8s.io/v1/customresourcedefinitions",
    body: widgets,
  });
  await server.settled();
  v2 = await json("/openapi/v2");
});

describe("OpenAPI operations", () => {
  it.each([
    ["api/v1", "/api/v1/", "get", "getCoreV1APIResources", "core_v1", "200,401"],
    ["api/v1", "/api/v1/configmaps", "get", "listCoreV1ConfigMapForAllNamespaces", "core_v1", "200,401"],
    ["api/v1", "/api/v1/namespaces", "post", "createCoreV1Namespace", "core_v1", "200,201,202,401"],
    ["api/v1", "/api/v1/namespaces/{name}/finalize", "put", "replaceCoreV1NamespaceFinalize", "core_v1", "200,201,401"],
    [
      "api/v1",
      "/api/v1/namespaces/{namespace}/configmaps",
      "delete",
      "deleteCoreV1CollectionNamespacedConfigMap",
      "core_v1",
      "200,401",
    ],
    [
      "api/v1",
      "/api/v1/namespaces/{namespace}/configmaps/{name}",
      "get",
      "readCoreV1NamespacedConfigMap",
      "core_v1",
      "200,401",
    ],
    [
      "api/v1",
      "/api/v1/namespaces/{namespace}/configmaps/{name}",
      "delete",
      "deleteCoreV1NamespacedConfigMap",
      "core_v1",
      "200,202,401",
    ],
    [
      "api/v1",
      "/api/v1/namespaces/{namespace}/pods/{name}/log",
      "get",
      "readCoreV1NamespacedPodLog",
      "core_v1",
      "200,401",
    ],
    [
      "api/v1",
      "/api/v1/namespaces/{namespace}/pods/{name}/proxy/{path}",
      "options",
      "connectCoreV1OptionsNamespacedPodProxyWithPath",
      "core_v1",
      "200,401",
    ],
    ["api/v1", "/api/v1/watch/configmaps", "get", "watchCoreV1ConfigMapListForAllNamespaces", "core_v1", "200,401"],
    [
      "api/v1",
      "/api/v1/watch/namespaces/{namespace}/configmaps/{name}",
      "get",
      "watchCoreV1NamespacedConfigMap",
      "core_v1",
      "200,401",
    ],
    [
      "apis/apps/v1",
      "/apis/apps/v1/namespaces/{namespace}/deployments/{name}/scale",
      "patch",
      "patchAppsV1NamespacedDeploymentScale",
      "apps_v1",
      "200,201,401",
    ],
    [
      "apis/storage.k8s.io/v1beta1",
      "/apis/storage.k8s.io/v1beta1/watch/volumeattributesclasses",
      "get",
      "watchStorageV1beta1VolumeAttributesClassList",
      "storage_v1beta1",
      "200,401",
    ],
    [
      "apis/probe.cf.dev/v1",
      "/apis/probe.cf.dev/v1/namespaces/{namespace}/widgets/{name}/status",
      "patch",
      "patchProbeCfDevV1NamespacedWidgetStatus",
      "probeCfDev_v1",
      "200,401",
    ],
    [
      "apis/probe.cf.dev/v1",
      "/apis/probe.cf.dev/v1/widgets",
      "get",
      "listProbeCfDevV1WidgetForAllNamespaces",
      "probeCfDev_v1",
      "200,401",
    ],
  ])("of %s: %s %s is %s", async (document, path, method, operationId, tag, codes) => {
    for (const one of [(await json(`/openapi/v3/${document}`)).paths[path]?.[method], v2.paths[path]?.[method]]) {
      expect(one?.operationId).toBe(operationId);
      expect(one?.tags).toEqual([tag]);
      expect(Object.keys(one?.responses ?? {}).join()).toBe(codes);
    }
  });

  it("have bodies and parameters in version 2", () => {
    const item = v2.paths["/api/v1/namespaces/{namespace}/configmaps/{name}"]!;
    expect(item["put"]!.parameters![0]).toEqual({
      name: "body",
      in: "body",
      required: true,
      schema: { $ref: "#/definitions/io.k8s.api.core.v1.ConfigMap" },
    });
    expect(item["patch"]!.parameters).toContainEqual({ $ref: "#/parameters/fieldManager" });
    expect([...item["patch"]!.consumes].sort()).toEqual([
      "application/apply-patch+cbor",
      "application/apply-patch+yaml",
      "application/json-patch+json",
      "application/merge-patch+json",
      "application/strategic-merge-patch+json",
    ]);
    expect(item["get"]!.consumes).toEqual(["*/*"]);
    expect(v2.paths["/apis/probe.cf.dev/v1/widgets"]!["get"]!.consumes).toEqual([
      "application/json",
      "application/yaml",
    ]);
    const known = v2 as unknown as { parameters: object };
    for (const reference of JSON.stringify(v2.paths).matchAll(/#\/parameters\/([\w-]+)/g))
      expect(known.parameters).toHaveProperty(reference[1]!);
    for (const reference of JSON.stringify(v2).matchAll(/#\/definitions\/([\w.-]+)/g))
      expect(v2.definitions).toHaveProperty([reference[1]!]);
  });

  it("have unique names", () => {
    const names = Object.values(v2.paths)
      .flatMap((item) => Object.values(item))
      .flatMap(({ operationId }) => operationId ?? []);
    expect(names.length).toBeGreaterThan(1000);
    expect(new Set(names).size).toBe(names.length);
  });
});

describe("OpenAPI schemas", () => {
  it("of int-or-string have both types in version 3", async () => {
    const { components } = await json("/openapi/v3/apis/probe.cf.dev/v1");
    expect(components.schemas["dev.cf.probe.v1.Widget"]).toMatchObject({
      properties: { port: { "x-kubernetes-int-or-string": true, anyOf: [{ type: "integer" }, { type: "string" }] } },
    });
  });
});

it("OpenAPI version 2 is encoded completely in Protobuf", async () => {
  const bytes = new Uint8Array(
    await (
      await ask("/openapi/v2", { accept: "application/com.github.proto-openapi.spec.v2@v1.0+protobuf" })
    ).arrayBuffer(),
  );
  // Length-delimited fields of the document: swagger, info, paths, definitions, parameters, security,
  // securityDefinitions.
  const fields = new Map<number, number>();
  for (let at = 0; at < bytes.length; ) {
    const field = bytes[at]! >> 3;
    expect(bytes[at]! & 7).toBe(2);
    let length = 0;
    let shift = 0;
    do length += (bytes[++at]! & 127) * 2 ** (7 * shift++);
    while (bytes[at]! > 127);
    fields.set(field, length);
    at += length + 1;
  }
  expect([...fields.keys()]).toEqual([1, 2, 8, 9, 10, 12, 13]);
  expect(fields.get(8)).toBeGreaterThan(400_000);
});
