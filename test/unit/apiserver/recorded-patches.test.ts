// What a real kube-apiserver 1.36 made of single patches, row by row.
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
];

const head = ` "" is invalid: patch: Invalid value: `;
const wrongMeta = (shown: string, type: string): string =>
  `${head}${JSON.stringify(`{"apiVersion":"p.cf.dev/v1","kind":"Thing","metadata":${shown}}`)}: json: cannot unmarshal ${type} into Go value of type v1.ObjectMeta`;
const undeterminable = "the name of the object (a based on URL) was undeterminable: name must be provided";

/** What the message says; `~` stands for what comes before. */
const texts: readonly (readonly [
  path: string,
  type: keyof typeof types,
  body: unknown,
  status: number,
  message: string,
])[] = [
  [`${things}/a`, "merge", { metadata: [] }, 422, wrongMeta("[]", "array")],
  [`${things}/a`, "merge", { metadata: "<x>" }, 422, wrongMeta('"\\u003cx\\u003e"', "string")],
  [`${things}/a`, "json", [{ op: "replace", path: "/metadata", value: 1 }], 422, wrongMeta("1", "number")],
  [`${things}/a`, "json", [{ op: "replace", path: "/metadata", value: true }], 422, wrongMeta("true", "bool")],
  [`${things}/a`, "json", [{ op: "replace", path: "/metadata", value: null }], 400, undeterminable],
  [`${things}/a`, "merge", { metadata: null }, 400, undeterminable],
  [
    `${things}/a`,
    "json",
    [{ op: "replace", path: "/metadata", value: { name: "a", annotations: 3 } }],
    422,
    `~"metadata\\":{\\"name\\":\\"a\\",\\"annotations\\":3}}": json: cannot unmarshal number into Go struct field ObjectMeta.annotations of type map[string]string`,
  ],
  [
    `${things}/a`,
    "json",
    [{ op: "replace", path: "/metadata", value: { name: "a" } }],
    422,
    'things.p.cf.dev "a" is invalid: metadata.resourceVersion: Invalid value: 0: must be specified for an update',
  ],
  [
    `${things}/a`,
    "merge",
    { kind: "Other" },
    422,
    'Other.p.cf.dev "a" is invalid: kind: Invalid value: "Other": must be Thing',
  ],
  [
    `${things}/a`,
    "merge",
    { apiVersion: "p.cf.dev/v2" },
    422,
    'Thing.p.cf.dev "a" is invalid: apiVersion: Invalid value: "p.cf.dev/v2": must be p.cf.dev/v1',
  ],
  [`${maps}/a`, "merge", { kind: "Pod" }, 422, "~: converting (v1.Pod) to (core.ConfigMap): unknown conversion"],
  [
    `${maps}/a`,
    "merge",
    { kind: "Nope" },
    422,
    `~: no kind "Nope" is registered for version "v1" in scheme "pkg/runtime/scheme.go:111"`,
  ],
  [`${maps}/a`, "merge", { kind: "Secret", data: { a: "!" } }, 422, "~: illegal base64 data at input byte 0"],
  [
    `${maps}/a`,
    "merge",
    { kind: 1 },
    422,
    "~: couldn't get version/kind; json parse error: json: cannot unmarshal number into Go struct field .kind of type string",
  ],
  [`${maps}/a`, "merge", { apiVersion: "a/b/c" }, 422, "~: unexpected GroupVersion string: a/b/c"],
  [`${maps}/a`, "strategic", { data: { a: 1 } }, 422, `${head}"map[data:map[a:1]]": cannot convert int64 to string`],
  [`${maps}/a`, "strategic", { data: { a: 1.5 } }, 422, `${head}"map[data:map[a:1.5]]": unrecognized type: string`],
  [`${maps}/a`, "strategic", { data: "x" }, 422, `${head}"map[data:x]": cannot restore map from string`],
  [`${maps}/a`, "strategic", { data: [] }, 422, `${head}"map[data:[]]": cannot restore map from slice`],
  [`${maps}/a`, "strategic", { metadata: [] }, 422, `${head}"map[metadata:[]]": cannot restore struct from: slice`],
  [`${maps}/a`, "strategic", { immutable: "yes" }, 422, `${head}"map[immutable:yes]": unrecognized type: bool`],
  [
    `${maps}/a`,
    "strategic",
    { binaryData: { x: "!" } },
    422,
    `${head}"map[binaryData:map[x:!]]": error decoding from json: illegal base64 data at input byte 0`,
  ],
  [
    `${maps}/a`,
    "merge",
    { data: { "z\u0001": "1", a: 1 } },
    422,
    `~\\"data\\":{\\"a\\":1,\\"z\\\\u0001\\":\\"1\\"},\\"kind\\"~`,
  ],
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

describe("patches come out as on a real server", () => {
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

  it.each(texts.map((row) => [`${row[1]} ${row[0]} ${JSON.stringify(row[2])}`, ...row] as const))(
    "%s says so",
    async (_, path, type, body, status, message) => {
      const answer = await send("PATCH", `${path}?dryRun=All`, types[type], body);
      expect(answer.status).toBe(status);
      const text = answer.body.message!;
      if (!message.startsWith("~")) expect(text).toBe(message);
      else for (const part of message.split("~")) expect(text).toContain(part);
    },
  );

  it("warns of a new finalizer without a domain", async () => {
    const response = await server.handle(
      new Request(`http://server${things}/a?dryRun=All`, {
        method: "PATCH",
        headers: { "content-type": types.merge },
        body: JSON.stringify({ metadata: { finalizers: ["x", "a.b", "a/b"] } }),
      }),
    );
    expect(response.headers.get("warning")).toContain("prefer a domain-qualified finalizer name to avoid");
    expect(response.headers.get("warning")).toContain("prefer a domain-qualified finalizer name including a path (/)");
  });
});
