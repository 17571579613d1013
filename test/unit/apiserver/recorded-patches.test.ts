// Results of single patches, as recorded from kube-apiserver 1.36.
import { beforeAll, describe, expect, it } from "vitest";
import type { ApiServer } from "../../../src/apiserver/server.js";
import { createApiServer } from "../../../src/apiserver/server.js";

const maps = "/api/v1/namespaces/default/configmaps";
const things = "/apis/p.cf.dev/v1/namespaces/default/things";
const types = {
  merge: "application/merge-patch+json",
  json: "application/json-patch+json",
  strategic: "application/strategic-merge-patch+json",
  apply: "application/apply-patch+yaml",
} as const;

const schema = {
  type: "object",
  properties: {
    spec: {
      type: "object",
      properties: {
        replicas: { type: "integer" },
        size: { type: "string", enum: ["s", "m"] },
        ratio: { type: "number", multipleOf: 0.5 },
      },
      "x-kubernetes-validations": [{ rule: "true" }],
    },
    status: { type: "object", properties: { replicas: { type: "integer" } } },
  },
};
const definition = {
  apiVersion: "apiextensions.k8s.io/v1",
  kind: "CustomResourceDefinition",
  metadata: { name: "things.p.cf.dev" },
  spec: {
    group: "p.cf.dev",
    scope: "Namespaced",
    names: { plural: "things", kind: "Thing" },
    versions: [
      {
        name: "v1",
        served: true,
        storage: true,
        schema: { openAPIV3Schema: schema },
        subresources: { scale: { specReplicasPath: ".spec.replicas", statusReplicasPath: ".status.replicas" } },
      },
    ],
  },
};

type Row = readonly [path: string, type: keyof typeof types, body: unknown, status: number, causes?: readonly string[]];

const unchecked = "FieldValueInvalid <nil>";
const rows: readonly Row[] = [
  [`${maps}/a`, "strategic", { kind: "Secret" }, 200],
  [`${maps}/a`, "strategic", { apiVersion: "v9" }, 200],
  [`${maps}/a`, "merge", { kind: "Secret" }, 422, ["FieldValueInvalid patch"]],
  [`${maps}/a`, "merge", { kind: null }, 200],
  [`${maps}/a`, "strategic", { $patch: "delete" }, 400],
  [`${maps}/a`, "json", [{ op: "replace", path: "", value: { kind: "ConfigMap" } }], 400],
  [
    `${maps}/a`,
    "merge",
    { metadata: { ownerReferences: [{ kind: "Pod", name: "x", uid: "y" }] } },
    422,
    Array.from({ length: 4 }, () => "FieldValueInvalid metadata.ownerReferences.apiVersion"),
  ],
  [`${maps}/none`, "apply", { apiVersion: "v1", kind: "ConfigMap", metadata: { name: "none", uid: "u" } }, 409],
  [
    `${maps}/none`,
    "apply",
    { apiVersion: "v1", kind: "ConfigMap", metadata: { name: "none", resourceVersion: "1" } },
    201,
  ],
  [`${things}/a`, "merge", { spec: { size: "x" } }, 422, ["FieldValueNotSupported spec.size", unchecked]],
  [
    `${things}/a`,
    "merge",
    { spec: { replicas: "1" } },
    422,
    ["FieldValueTypeInvalid spec.replicas", "FieldValueInvalid .spec.replicas", unchecked],
  ],
  [`${things}/a`, "merge", { spec: { replicas: -1 } }, 422, ["FieldValueInvalid .spec.replicas"]],
  [`${things}/a`, "merge", { spec: { ratio: 1 } }, 422, ["FieldValueInvalid spec.ratio"]],
  [`${things}/a`, "merge", { spec: { ratio: 1.5 } }, 200],
  [
    `${things}/a`,
    "merge",
    { metadata: { labels: { "b@d": "x" } } },
    422,
    Array.from({ length: 3 }, () => "FieldValueInvalid metadata.labels"),
  ],
  [`${things}/a`, "merge", { metadata: [] }, 422],
  [`${things}/a`, "merge", { metadata: "<x>" }, 422],
  [`${things}/a`, "json", [{ op: "replace", path: "/metadata", value: 1 }], 422],
  [`${things}/a`, "json", [{ op: "replace", path: "/metadata", value: true }], 422],
  [`${things}/a`, "json", [{ op: "replace", path: "/metadata", value: null }], 400],
  [`${things}/a`, "merge", { metadata: null }, 400],
  [`${things}/a`, "json", [{ op: "replace", path: "/metadata", value: { name: "a", annotations: 3 } }], 422],
  [`${things}/a`, "json", [{ op: "replace", path: "/metadata", value: { name: "a" } }], 422],
  [`${things}/a`, "merge", { kind: "Other" }, 422],
  [`${things}/a`, "merge", { apiVersion: "p.cf.dev/v2" }, 422],
  [`${maps}/a`, "merge", { kind: "Pod" }, 422],
  [`${maps}/a`, "merge", { kind: "Nope" }, 422],
  [`${maps}/a`, "merge", { kind: "Secret", data: { a: "!" } }, 422],
  [`${maps}/a`, "merge", { kind: 1 }, 422],
  [`${maps}/a`, "merge", { apiVersion: "a/b/c" }, 422],
  [`${maps}/a`, "strategic", { data: { a: 1 } }, 422],
  [`${maps}/a`, "strategic", { data: { a: 1.5 } }, 422],
  [`${maps}/a`, "strategic", { data: "x" }, 422],
  [`${maps}/a`, "strategic", { data: [] }, 422],
  [`${maps}/a`, "strategic", { metadata: [] }, 422],
  [`${maps}/a`, "strategic", { immutable: "yes" }, 422],
  [`${maps}/a`, "strategic", { binaryData: { x: "!" } }, 422],
  [`${maps}/a`, "merge", { data: { "z\u0001": "1", a: 1 } }, 422],
];

let server: ApiServer;

async function send(
  method: string,
  path: string,
  type: string,
  body: unknown,
): Promise<{ status: number; body: { message?: string; details?: { causes?: { reason: string; field: string }[] } } }> {
  const response = await server.handle(
    new Request(`http://server${path}`, { method, headers: { "content-type": type }, body: JSON.stringify(body) }),
  );
  return { status: response.status, body: (await response.json()) as never };
}

beforeAll(async () => {
  server = createApiServer({ controllers: false });
  await send("POST", "/apis/apiextensions.k8s.io/v1/customresourcedefinitions", "application/json", definition);
  await server.settled();
  for (const [path, apiVersion, kind] of [
    [maps, "v1", "ConfigMap"],
    [things, "p.cf.dev/v1", "Thing"],
  ] as const) {
    expect((await send("POST", path, "application/json", { apiVersion, kind, metadata: { name: "a" } })).status).toBe(
      201,
    );
  }
  return () => server.close();
});

describe("recorded patches of kube-apiserver", () => {
  it.each(rows.map((row) => [`${row[1]} ${row[0]} ${JSON.stringify(row[2])}`, ...row] as const))(
    "%s",
    async (_, path, type, body, status, causes) => {
      const answer = await send(
        "PATCH",
        `${path}?dryRun=All${type === "apply" ? "&fieldManager=m" : ""}`,
        types[type],
        body,
      );
      expect(answer.status, JSON.stringify(answer.body)).toBe(status);
      if (causes !== undefined)
        expect(answer.body.details?.causes?.map(({ reason, field }) => `${reason} ${field}`)).toEqual(causes);
    },
  );

  it("a new finalizer without a domain causes a warning", async () => {
    const response = await server.handle(
      new Request(`http://server${things}/a?dryRun=All`, {
        method: "PATCH",
        headers: { "content-type": types.merge },
        body: JSON.stringify({ metadata: { finalizers: ["x", "a.b", "a/b"] } }),
      }),
    );
    for (const name of ["x", "a.b"])
      expect(response.headers.get("warning")).toContain(`\\"${name}\\": prefer a domain-qualified finalizer name`);
  });
});
