// Updates of objects that were stored under another schema, and results of applies, as recorded from kube-apiserver
// 1.36.
import { afterEach, describe, expect, it } from "vitest";
import { type ApiServer, createApiServer } from "../../../../src/apiserver/server.js";
import { causeSet } from "../../../support/outcome.js";
import { sendJson } from "../../../support/send-json.js";

const definitions = "/apis/apiextensions.k8s.io/v1/customresourcedefinitions";
const things = "/apis/cf.dev/v1/things";
const open = { type: "object", "x-kubernetes-preserve-unknown-fields": true };
const text = { type: "string", maxLength: 20 };
let server: ApiServer;

type Json = Record<string, unknown>;

async function call(
  method: string,
  path: string,
  body?: unknown,
  type = "application/json",
): Promise<{ status: number; told: string[]; warning: string; body: Json }> {
  const {
    status,
    headers,
    body: answer,
  } = await sendJson<Json & { details?: { causes?: { field: string; message: string }[] } }>(server, {
    method,
    path,
    body,
    type,
  });
  return {
    status,
    told: (answer.details?.causes ?? []).map(({ field, message }) => `${field}: ${message}`),
    warning: headers.get("warning") ?? "",
    body: answer,
  };
}

const version = (spec: unknown, more: Json = {}): Json => ({
  name: "v1",
  served: true,
  storage: true,
  schema: { openAPIV3Schema: { type: "object", properties: { spec, status: open } } },
  ...more,
});
const thing = (spec: unknown, more: Json = {}): Json => ({
  apiVersion: "cf.dev/v1",
  kind: "Thing",
  metadata: { name: "x" },
  spec,
  ...more,
});

/** Starts a server with an object that was stored while the schema allowed everything. */
async function stored(before: unknown, schema: unknown, more: Json = {}, first: Json = {}): Promise<void> {
  server = createApiServer();
  const made = await call("POST", definitions, {
    apiVersion: "apiextensions.k8s.io/v1",
    kind: "CustomResourceDefinition",
    metadata: { name: "things.cf.dev" },
    spec: {
      group: "cf.dev",
      scope: "Cluster",
      names: { plural: "things", kind: "Thing" },
      versions: [version(open, first)],
    },
  });
  expect(made.status).toBe(201);
  await server.settled();
  if (before !== undefined) expect((await call("POST", things, thing(before))).status).toBe(201);
  expect(
    (
      await call(
        "PATCH",
        `${definitions}/things.cf.dev`,
        [{ op: "replace", path: "/spec/versions/0", value: version(schema, more) }],
        "application/json-patch+json",
      )
    ).told,
  ).toEqual([]);
  await server.settled();
}

const merge = (spec: unknown): ReturnType<typeof call> =>
  call("PATCH", `${things}/x`, { spec }, "application/merge-patch+json");
const apply = (spec: unknown): ReturnType<typeof call> =>
  call("PATCH", `${things}/x?fieldManager=m`, thing(spec), "application/apply-patch+yaml");

afterEach(() => server.close());

const rule = (rules: object[], schema: object): object => ({ ...schema, "x-kubernetes-validations": rules });
const object = (properties: object, more: object = {}): object => ({ type: "object", properties, ...more });
const list = {
  type: "array",
  maxItems: 5,
  "x-kubernetes-list-type": "map",
  "x-kubernetes-list-map-keys": ["k"],
  items: object({ k: text, v: { type: "string", maxLength: 1 } }, { required: ["k"] }),
};

describe("update of an object that violates the new schema", () => {
  it.each([
    [
      "accepts unchanged invalid values",
      object({ a: { ...text, enum: ["x"] }, b: text }),
      { a: "bad" },
      { b: "n" },
      [],
    ],
    [
      "is rejected for changed invalid values",
      object({ a: { ...text, enum: ["x"] }, b: text }),
      { a: "bad" },
      { a: "worse" },
      ['spec.a: Unsupported value: "worse": supported values: "x"'],
    ],
    [
      "correlates elements of keyed lists in any order",
      object({ l: list }),
      {
        l: [
          { k: "a", v: "long" },
          { k: "b", v: "long" },
        ],
      },
      {
        l: [
          { k: "b", v: "long" },
          { k: "a", v: "s" },
        ],
      },
      [],
    ],
    [
      "correlates other lists only as a whole",
      object({ l: { type: "array", items: { type: "string", maxLength: 1 } } }),
      { l: ["long"] },
      { l: ["long", "s"] },
      ["spec.l[0]: Too long: may not be more than 1 byte"],
    ],
    [
      "evaluates allOf for the whole value",
      object({ a: text, b: text }, { allOf: [{ properties: { a: { maxLength: 1 } } }] }),
      { a: "long" },
      { b: "n" },
      [
        "spec.a: Too long: may not be more than 1 byte",
        '<nil>: Invalid value: "": "spec" must validate all the schemas (allOf). None validated',
      ],
    ],
    [
      "doesn't correlate maps with undeclared members",
      object({ o: object({ a: text }, { "x-kubernetes-preserve-unknown-fields": true, maxProperties: 1 }), b: text }),
      { o: { a: "x", z: 1 } },
      { b: "n" },
      ["spec.o: Too many: 2: must have at most 1 item"],
    ],
    [
      "never matches null in an enum",
      object({ a: { ...text, nullable: true, enum: ["x", null] } }),
      {},
      { a: 1 },
      [
        'spec.a: Invalid value: "integer": spec.a in body must be of type string: "integer"',
        'spec.a: Unsupported value: 1: supported values: "x", "null"',
      ],
    ],
    ["truncates bounds of integers", object({ a: { type: "number", minimum: 1.5, maximum: 2.5 } }), {}, { a: 1 }, []],
    [
      "reports bounds that the type can't represent",
      object({ a: { type: "integer", maximum: 2.5 } }),
      {},
      { a: 3 },
      [
        '<nil>: Invalid value: "": Maximum boundary value must be of type integer (default format) in spec.a',
        "spec.a: Invalid value: 3: spec.a in body should be less than or equal to 2.5",
      ],
    ],
    [
      "runs rules if the old value has the wrong type",
      object(
        { a: { type: "array", maxItems: 2, items: text }, b: rule([{ rule: "self != 'z'" }], text) },
        { "x-kubernetes-validations": [{ rule: "has(self.a)" }] },
      ),
      { a: 7 },
      { b: "n" },
      ['spec: Invalid value: "object"'],
    ],
    [
      "treats a null field as absent",
      rule([{ rule: "!has(self.a)", message: "there" }], object({ a: { ...text, nullable: true }, b: text })),
      {},
      { a: null, b: "n" },
      [],
    ],
  ] as const)("%s", async (_, schema, before, change, told) => {
    await stored(before, schema);
    const { told: causes, status } = await merge(change);
    expect(causeSet(causes)).toEqual(causeSet(told));
    expect(status).toBe(told.length === 0 ? 200 : 422);
  });

  it("only warns about rules on unchanged values", async () => {
    await stored({ a: "bad" }, object({ a: rule([{ rule: "self != 'bad'", message: "not that" }], text), b: text }));
    expect(await merge({ b: "n" })).toMatchObject({
      status: 200,
      warning: '299 - "spec.a: Invalid value: \\"bad\\": not that"',
    });
    expect(await merge({ a: "bad", b: "m" })).toMatchObject({ status: 200 });
  });

  it("runs transition rules on new values with optionalOldSelf", async () => {
    await stored(
      undefined,
      object({
        a: rule([{ rule: "oldSelf.hasValue() || self == 'first'", optionalOldSelf: true, message: "begin" }], text),
      }),
    );
    expect((await call("POST", things, thing({ a: "x" }))).told).toEqual(['spec.a: Invalid value: "x": begin']);
    expect((await call("POST", things, thing({ a: "first" }))).status).toBe(201);
    expect((await merge({ a: "x" })).status).toBe(200);
  });
});

describe("write to /status", () => {
  it("is validated on its own, with its own field paths", async () => {
    const status = {
      subresources: { status: {} },
      schema: {
        openAPIV3Schema: object({
          spec: object({ a: text }, { required: ["a"] }),
          status: object({ n: { type: "integer" } }),
        }),
      },
    };
    await stored({ b: 1 }, open, status);
    expect(
      (await call("PATCH", `${things}/x/status`, { status: { n: 1 } }, "application/merge-patch+json")).status,
    ).toBe(200);
    expect(
      (await call("PATCH", `${things}/x/status`, { status: { n: "x" } }, "application/merge-patch+json")).told,
    ).toEqual(['status.n: Invalid value: "string": n in body must be of type integer: "string"']);
  });
});

describe("write to /scale", () => {
  it("sets replicas that the object doesn't have yet", async () => {
    const scaled = { subresources: { scale: { specReplicasPath: ".spec.n", statusReplicasPath: ".status.n" } } };
    await stored({}, open, scaled, scaled);
    const answer = await call("PATCH", `${things}/x/scale`, { spec: { replicas: 2 } }, "application/merge-patch+json");
    expect(answer).toMatchObject({ status: 200, body: { spec: { replicas: 2 } } });
  });
});

describe("apply", () => {
  it("drops nulls after validation, when the object is stored", async () => {
    await stored(undefined, object({ any: { "x-kubernetes-preserve-unknown-fields": true }, a: text }));
    expect(await apply({ any: null })).toMatchObject({ status: 201, body: { spec: {} } });
    expect((await apply({ a: null })).told).toEqual([
      'spec.a: Invalid value: "null": spec.a in body must be of type string: "null"',
    ]);
  });

  it("rejects invalid metadata of an embedded resource", async () => {
    await stored(
      undefined,
      object({
        pod: { type: "object", "x-kubernetes-embedded-resource": true, "x-kubernetes-preserve-unknown-fields": true },
      }),
    );
    expect(await apply({ pod: { apiVersion: "v1", kind: "Pod", metadata: { creationTimestamp: "x" } } })).toMatchObject(
      {
        status: 422,
        told: [expect.stringContaining("spec.pod.metadata: Invalid value")],
      },
    );
  });

  it("of a Scale fails if the object has no managers yet", async () => {
    const scaled = { subresources: { scale: { specReplicasPath: ".spec.n", statusReplicasPath: ".status.n" } } };
    await stored({ n: 1 }, open, scaled, scaled);
    await call("PATCH", `${things}/x`, { metadata: { managedFields: [{}] } }, "application/merge-patch+json");
    const answer = await call(
      "PATCH",
      `${things}/x/scale?fieldManager=m`,
      { apiVersion: "autoscaling/v1", kind: "Scale", metadata: { name: "x" }, spec: { replicas: 2 } },
      "application/apply-patch+yaml",
    );
    expect(answer).toMatchObject({
      status: 500,
      body: { message: expect.stringContaining("failed to create manager for existing fields") as string },
    });
  });
});
