import { describe, expect, it } from "vitest";
import type { KubernetesObject, ManagedFieldsEntry } from "../../../src/meta/object.js";
import { createJsonPatch } from "../../../src/patch/create-json-patch.js";
import { createMergePatch } from "../../../src/patch/create-merge-patch.js";
import { uniteFields } from "../../../src/patch/fields-v1.js";
import {
  extractApplyConfiguration,
  fieldOwners,
  ownedFields,
  upgradeManagedFields,
} from "../../../src/patch/managed-fields.js";

const entry = (
  manager: string,
  operation: "Apply" | "Update",
  fieldsV1: object,
  more: Partial<ManagedFieldsEntry> = {},
): ManagedFieldsEntry => ({
  manager,
  operation,
  apiVersion: "v1",
  fieldsType: "FieldsV1",
  fieldsV1: fieldsV1 as Record<string, unknown>,
  ...more,
});
const object = (
  managedFields: ManagedFieldsEntry[],
  more: object = {},
): KubernetesObject & Record<string, unknown> => ({
  apiVersion: "v1",
  kind: "Thing",
  metadata: { name: "a", namespace: "x", resourceVersion: "7", managedFields },
  ...more,
});

describe("ownedFields", () => {
  it("returns paths in the server's notation", () => {
    const fields = {
      "f:metadata": { "f:labels": { ".": {}, "f:app.kubernetes.io/name": {} }, "f:finalizers": { 'v:"a/b"': {} } },
      "f:spec": { 'k:{"containerPort":80,"protocol":"TCP"}': { ".": {}, "f:name": {} }, "i:2": {} },
      "x:odd": {},
    };
    expect(ownedFields(object([entry("m", "Apply", fields)]), "m")).toEqual([
      ".metadata.labels",
      ".metadata.labels.app.kubernetes.io/name",
      '.metadata.finalizers[="a/b"]',
      '.spec[containerPort=80,protocol="TCP"]',
      '.spec[containerPort=80,protocol="TCP"].name',
      ".spec[2]",
      "[x:odd]",
    ]);
  });

  it("distinguishes manager, operation and subresource", () => {
    const it = object([
      entry("m", "Apply", { "f:a": {} }),
      entry("m", "Update", { "f:b": {} }),
      entry("m", "Apply", { "f:status": {} }, { subresource: "status" }),
    ]);
    expect([
      ownedFields(it, "m"),
      ownedFields(it, "m", { operation: "Update" }),
      ownedFields(it, "m", { subresource: "status" }),
      ownedFields(it, "n"),
    ]).toEqual([[".a"], [".b"], [".status"], []]);
    expect(fieldOwners(it).map((o) => `${o.manager} ${o.operation} ${o.subresource} ${o.fields.join()}`)).toEqual([
      "m Apply  .a",
      "m Update  .b",
      "m Apply status .status",
    ]);
    expect(fieldOwners({})).toEqual([]);
  });
});

describe("extractApplyConfiguration", () => {
  const spec = {
    replicas: 2,
    paused: true,
    ports: [
      { port: 80, name: "http" },
      { port: 81, protocol: "UDP", name: "dns" },
    ],
    args: ["a", "b"],
    tags: ["x", "y"],
    data: { mine: "1", theirs: "2" },
    empty: {},
    order: [10, 20, 30],
  };
  const own = {
    "f:metadata": { "f:labels": { "f:l": {} } },
    "f:spec": {
      "f:replicas": {},
      "f:ports": { 'k:{"port":80,"protocol":"TCP"}': { ".": {}, "f:name": {}, "f:port": {} } },
      "f:args": {},
      "f:tags": { 'v:"y"': {} },
      "f:data": { "f:mine": {} },
      "f:empty": {},
      "f:order": { "i:1": {} },
      "f:gone": {},
    },
  };
  const it2 = {
    ...object([
      entry("m", "Apply", own),
      entry("n", "Update", { "f:spec": { "f:data": { ".": {}, "f:theirs": {} } } }),
    ]),
    spec,
  };
  it2.metadata!.labels = { l: "1", k: "2" };

  it("returns what the manager owns and nothing else", () => {
    expect(extractApplyConfiguration(it2, "m")).toEqual({
      apiVersion: "v1",
      kind: "Thing",
      metadata: { name: "a", namespace: "x", labels: { l: "1" } },
      spec: {
        replicas: 2,
        ports: [{ port: 80, protocol: "TCP", name: "http" }],
        args: ["a", "b"],
        tags: ["y"],
        data: { mine: "1" },
        empty: {},
        order: [20],
      },
    });
    expect(extractApplyConfiguration(it2, "nobody")).toBeUndefined();
  });

  it("does not claim a shared map that the manager created", () => {
    const shared = {
      ...object([entry("m", "Apply", { "f:data": {} }), entry("n", "Update", { "f:data": { "f:k": {} } })]),
      data: { k: "theirs" },
    };
    expect(extractApplyConfiguration(shared, "m")).toMatchObject({ data: {} });
    expect((extractApplyConfiguration(shared, "m") as unknown as { data: object }).data).toEqual({});
  });

  it("treats field names such as __proto__ as data", () => {
    const odd = {
      ...object([entry("m", "Apply", JSON.parse('{"f:data":{"f:__proto__":{},"f:constructor":{}}}') as object)]),
      data: JSON.parse('{"__proto__":"p","constructor":"c"}') as object,
    };
    const data = (extractApplyConfiguration(odd, "m") as unknown as { data: object }).data;
    expect(JSON.stringify(data)).toBe('{"__proto__":"p","constructor":"c"}');
    expect(({} as Record<string, unknown>)["p"]).toBeUndefined();
  });
});

describe("upgradeManagedFields", () => {
  const a = { "f:data": { ".": {}, "f:a": {} } };
  const b = { "f:data": { "f:b": {} } };
  const both = { "f:data": { ".": {}, "f:b": {}, "f:a": {} } };
  it.each([
    [
      "turns the client-side entry into one of the manager",
      [entry("kubectl", "Update", a)],
      [entry("ssa", "Apply", a)],
    ],
    [
      "unites it with the manager's own entry",
      [entry("ssa", "Apply", b), entry("kubectl", "Update", a)],
      [entry("ssa", "Apply", both)],
    ],
    [
      "drops entries of other API versions",
      [entry("ssa", "Apply", b), entry("kubectl", "Update", a, { apiVersion: "v1beta1" })],
      [entry("ssa", "Apply", b)],
    ],
    [
      "keeps entries of the status",
      [entry("kubectl", "Update", a), entry("kubectl", "Update", b, { subresource: "status" })],
      [entry("ssa", "Apply", a), entry("kubectl", "Update", b, { subresource: "status" })],
    ],
    [
      "keeps entries of other managers",
      [entry("kubectl", "Update", a), entry("controller", "Update", b)],
      [entry("ssa", "Apply", a), entry("controller", "Update", b)],
    ],
  ])("%s", (_, before, after) => {
    expect(upgradeManagedFields(object(before), ["kubectl"], "ssa")).toEqual([
      { op: "replace", path: "/metadata/managedFields", value: after },
      { op: "replace", path: "/metadata/resourceVersion", value: "7" },
    ]);
  });

  it("returns undefined if there is nothing to move", () => {
    expect(
      upgradeManagedFields(object([entry("ssa", "Apply", b), entry("x", "Update", a)]), ["kubectl"], "ssa"),
    ).toBeUndefined();
    expect(upgradeManagedFields({}, ["kubectl"], "ssa")).toBeUndefined();
  });

  it("supports several managers and another subresource", () => {
    expect(
      upgradeManagedFields(object([entry("one", "Update", a), entry("two", "Update", b)]), ["one", "two"], "ssa")?.[0],
    ).toMatchObject({ value: [entry("ssa", "Apply", both)] });
    expect(
      upgradeManagedFields(object([entry("one", "Update", a, { subresource: "status" })]), ["one"], "ssa", {
        subresource: "status",
      })?.[0],
    ).toMatchObject({ value: [entry("ssa", "Apply", a, { subresource: "status" })] });
  });
});

it.each([
  [{ "f:a": {} }, { "f:a": { "f:b": {} } }, { "f:a": { ".": {}, "f:b": {} } }],
  [{ "f:a": { "f:b": {} } }, { "f:a": {} }, { "f:a": { ".": {}, "f:b": {} } }],
  [{ "f:a": {} }, { "f:b": {} }, { "f:a": {}, "f:b": {} }],
  [{}, {}, {}],
])("uniteFields of %j and %j", (a, b, united) => expect(uniteFields(a, b)).toEqual(united));

describe("patches from two objects", () => {
  it("createJsonPatch guards the changed values, the version, both or nothing", async () => {
    const before = { metadata: { resourceVersion: "7" }, spec: { a: 1, b: [1, 2], c: "x" } };
    const after = { metadata: { resourceVersion: "7" }, spec: { a: 2, b: [1], "d/~": null } };
    const tests = async (guard: "values" | "resourceVersion" | "both" | "none") =>
      (await createJsonPatch(before, after as never, { guard })).map((o) => `${o.op} ${o.path}`);
    expect(await tests("none")).toEqual(["remove /spec/c", "remove /spec/b/1", "replace /spec/a", "add /spec/d~1~0"]);
    expect(await tests("values")).toEqual([
      "test /spec/c",
      "remove /spec/c",
      "test /spec/b/1",
      "remove /spec/b/1",
      "test /spec/a",
      "replace /spec/a",
      "add /spec/d~1~0",
    ]);
    expect((await tests("resourceVersion"))[0]).toBe("test /metadata/resourceVersion");
    expect((await tests("both")).filter((t) => t.startsWith("test"))).toHaveLength(4);
    await expect(createJsonPatch({ a: 1 }, { a: 2 }, { guard: "resourceVersion" })).rejects.toThrow(
      "resourceVersion is required",
    );
    expect(await createJsonPatch(before, before)).toEqual([]);
  });

  it.each([
    [{ a: 1, b: { c: 1, d: 2 } }, { a: 1, b: { c: 1, d: 3 } }, { b: { d: 3 } }],
    [{ a: [1] }, { a: [1, 2] }, { a: [1, 2] }],
    [{ a: [{ b: 1 }] }, { a: [{ b: 1 }] }, undefined],
    [{ a: 1 }, {}, { a: null }],
    [{ a: 1 }, { a: null }, { a: null }],
    [{}, { a: null, b: undefined }, undefined],
    [{ a: "x" }, { a: { b: 1 } }, { a: { b: 1 } }],
    [{ a: { b: 1 } }, { a: {} }, { a: { b: null } }],
  ])("createMergePatch from %j to %j is %j", (before, after, patch) =>
    expect(createMergePatch(before, after)).toEqual(patch),
  );
});
