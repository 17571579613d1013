import { readFileSync } from "node:fs";
import { describe, expect, it } from "vitest";
import { ApplyError } from "../../../../src/apiserver/managedfields/apply-error.js";
import { builtinSchema } from "../../../../src/apiserver/managedfields/builtin-schema.js";
import {
  applyConfiguration,
  trackUpdate,
  withoutTimeChanges,
} from "../../../../src/apiserver/managedfields/field-manager.js";
import type { FieldScope } from "../../../../src/apiserver/managedfields/field-scope.js";
import { createTypeReader } from "../../../../src/apiserver/managedfields/field-type.js";
import type { ApiObject } from "../../../../src/apiserver/objects/api-object.js";
import type { ManagedFieldsEntry } from "../../../../src/meta/object.js";
import { builtinFieldScope } from "../../../support/builtin-field-scope.js";

interface Step {
  group: string;
  kind: string;
  subresource: string;
  op: "apply" | "update";
  manager: string;
  force: boolean;
  live: ApiObject | null;
  object: ApiObject;
  want: { object?: ApiObject; error?: string; causes?: string[] };
}

const here = new URL(".", import.meta.url);
const steps = JSON.parse(readFileSync(new URL("recorded-steps.json", here), "utf8")) as Step[];
const widgetText = readFileSync(new URL("widget-schema.json", here), "utf8").replaceAll("#/components/schemas/", "");
const widget = (JSON.parse(widgetText) as { components: { schemas: Record<string, object> } }).components.schemas[
  "dev.cf.v1.Widget"
];
const readType = createTypeReader(builtinSchema);
const types = { Widget: readType(widget ?? {}), Deployment: readType({ $ref: "io.k8s.api.apps.v1.Deployment" }) };

/** Upstream's field manager was recorded on untyped objects, which start empty. */
function scopeOf(step: Step): FieldScope {
  const apiVersion = `${step.group}/v1`;
  return {
    apiVersion,
    kind: step.kind,
    subresource: step.subresource,
    type: () => types[step.kind as keyof typeof types],
    convert: (object) => object,
    empty: () => ({ apiVersion, kind: step.kind }),
  };
}

function run(step: Step): Step["want"] {
  const scope = scopeOf(step);
  const live = step.live ?? undefined;
  const { manager, force } = step;
  try {
    return {
      object:
        step.op === "apply"
          ? applyConfiguration({ scope, live, config: step.object, manager, force, nowMs: 0 })
          : trackUpdate({ scope, live, updated: step.object, manager, nowMs: 0 }),
    };
  } catch (error) {
    if (!(error instanceof ApplyError)) throw error;
    return {
      error: error.status.message ?? "",
      causes: (error.status.details?.causes ?? []).map((cause) => `${cause.message ?? ""} ${cause.field ?? ""}`).sort(),
    };
  }
}

/** Normalizes times, which come from the clock, and sorts entries, whose order depends on them. */
function comparable(want: Step["want"]): unknown {
  const object = structuredClone(want.object);
  for (const entry of object?.metadata?.managedFields ?? []) delete entry.time;
  object?.metadata?.managedFields?.sort((a, b) => (key(a) < key(b) ? -1 : 1));
  return { ...want, object, error: want.error !== undefined };
}

const key = (entry: ManagedFieldsEntry): string =>
  JSON.stringify([entry.operation, entry.manager, entry.subresource, entry.apiVersion]);

describe("recorded steps of upstream's field manager", () => {
  it.each(steps.map((step, at) => [at, step.op, step.kind, step] as const))(
    "step %i: %s of a %s",
    (_at, _op, _kind, step) => {
      const before = JSON.stringify([step.live, step.object]);
      expect(comparable(run(step))).toEqual(comparable(step.want));
      expect(JSON.stringify([step.live, step.object])).toBe(before);
    },
  );
});

const configMap = (data: Record<string, unknown>, metadata: object = {}): ApiObject =>
  ({ apiVersion: "v1", kind: "ConfigMap", metadata: { name: "a", ...metadata }, data }) as ApiObject;
const scope = builtinFieldScope("v1", "ConfigMap");
const at = (seconds: number): number => Date.UTC(2026, 0, 1, 0, 0, seconds);

describe("times of field managers", () => {
  const created = applyConfiguration({
    scope,
    live: undefined,
    config: configMap({ k: "v" }),
    manager: "m1",
    force: false,
    nowMs: at(1),
  });

  it("an apply that changes nothing keeps its time, and one that only shares fields gets none", () => {
    const again = applyConfiguration({
      scope,
      live: created,
      config: configMap({ k: "v" }),
      manager: "m1",
      force: false,
      nowMs: at(9),
    });
    expect(again).toEqual(created);
    const shared = applyConfiguration({
      scope,
      live: created,
      config: configMap({ k: "v" }),
      manager: "m2",
      force: false,
      nowMs: at(9),
    });
    expect(shared.metadata?.managedFields?.map((entry) => [entry.manager, entry.time])).toEqual([
      ["m2", undefined],
      ["m1", "2026-01-01T00:00:01Z"],
    ]);
  });

  it("managers are sorted with applies before updates, then by time and name", () => {
    const first = trackUpdate({
      scope,
      live: created,
      updated: { ...created, data: { k: "v", x: "1" } },
      manager: "z",
      nowMs: at(2),
    });
    const second = trackUpdate({
      scope,
      live: first,
      updated: { ...first, data: { k: "v", x: "1", y: "1" } },
      manager: "b",
      nowMs: at(3),
    });
    const third = applyConfiguration({
      scope,
      live: second,
      config: configMap({ w: "1" }),
      manager: "m0",
      force: false,
      nowMs: at(4),
    });
    expect(third.metadata?.managedFields?.map((entry) => `${entry.operation ?? ""} ${entry.manager ?? ""}`)).toEqual([
      "Apply m1",
      "Apply m0",
      "Update z",
      "Update b",
    ]);
  });

  it("times are restored if nothing else differs", () => {
    const touched = structuredClone(created);
    touched.metadata!.managedFields![0]!.time = "2026-01-01T00:00:30Z";
    expect(withoutTimeChanges(touched, created)).toEqual(created);
    expect(withoutTimeChanges({ ...touched, data: {} }, created).metadata?.managedFields?.[0]?.time).toBe(
      "2026-01-01T00:00:30Z",
    );
  });
});

describe("fieldsV1", () => {
  it("has keys in upstream's order, escaped as Go does", () => {
    const pods = builtinFieldScope("v1", "Pod", { hasStatus: true });
    const pod = {
      apiVersion: "v1",
      kind: "Pod",
      metadata: { name: "p", finalizers: ["b", "a<"] },
      spec: {
        containers: [
          { name: "z", image: "i" },
          { name: "a", image: "i", ports: [{ containerPort: 9 }] },
        ],
        nodeName: "n",
      },
    } as unknown as ApiObject;
    const result = applyConfiguration({
      scope: pods,
      live: undefined,
      config: pod,
      manager: "m",
      force: false,
      nowMs: 0,
    });
    expect(JSON.stringify(result.metadata?.managedFields?.[0]?.fieldsV1)).toBe(
      String.raw`{"f:metadata":{"f:finalizers":{"v:\"a\\u003c\"":{},"v:\"b\"":{}}},"f:spec":{"f:containers":{"k:{\"name\":\"a\"}":{".":{},"f:image":{},"f:name":{},"f:ports":{"k:{\"containerPort\":9,\"protocol\":\"TCP\"}":{".":{},"f:containerPort":{}}}},"k:{\"name\":\"z\"}":{".":{},"f:image":{},"f:name":{}}},"f:nodeName":{}}}`,
    );
  });

  it("leaves status to the status subresource", () => {
    const main = builtinFieldScope("apps/v1", "Deployment", { hasStatus: true });
    const config = {
      apiVersion: "apps/v1",
      kind: "Deployment",
      metadata: { name: "d" },
      spec: { replicas: 1 },
      status: { replicas: 1 },
    } as unknown as ApiObject;
    const result = applyConfiguration({ scope: main, live: undefined, config, manager: "m", force: false, nowMs: 0 });
    expect(result.metadata?.managedFields?.[0]?.fieldsV1).toEqual({ "f:spec": { "f:replicas": {} } });
    const status = applyConfiguration({
      scope: builtinFieldScope("apps/v1", "Deployment", { subresource: "status", hasStatus: true }),
      live: result,
      config,
      manager: "s",
      force: false,
      nowMs: 0,
    });
    expect(status.metadata?.managedFields?.find((entry) => entry.manager === "s")).toMatchObject({
      subresource: "status",
      fieldsV1: { "f:status": { "f:replicas": {} } },
    });
  });
});

describe("apply is rejected", () => {
  const refuse = (config: object): unknown => {
    try {
      applyConfiguration({
        scope,
        live: undefined,
        config: config as Record<string, unknown>,
        manager: "m",
        force: false,
        nowMs: 0,
      });
      return undefined;
    } catch (error) {
      return error instanceof ApplyError ? error.status.code : error;
    }
  };

  it.each<[string, object, number]>([
    ["another kind", { apiVersion: "v1", kind: "Secret" }, 400],
    ["nothing", {}, 400],
    ["managedFields", configMap({}, { managedFields: [] }), 400],
    ["an unknown field", { ...configMap({}), nope: 1 }, 500],
    ["a wrong type", { ...configMap({}), data: "x" }, 500],
    ["a wrong value", configMap({ a: 1 }), 500],
  ])("for %s", (_name, config, code) => {
    expect(refuse(config)).toBe(code);
  });

  it("and keeps __proto__ as a key", () => {
    const config = configMap(JSON.parse(`{"__proto__":"x"}`) as Record<string, unknown>);
    const result = applyConfiguration({ scope, live: undefined, config, manager: "m", force: false, nowMs: 0 });
    expect(JSON.stringify(result["data"])).toBe(`{"__proto__":"x"}`);
    expect(result.metadata?.managedFields?.[0]?.fieldsV1).toEqual({ "f:data": { "f:__proto__": {} } });
  });
});

// Recorded with kubectl, which applied client-side first and then server-side.
describe("server-side apply after kubectl's client-side apply", () => {
  const annotation = "kubectl.kubernetes.io/last-applied-configuration";
  const lastApplied = (data: object): string =>
    `${JSON.stringify({ apiVersion: "v1", data, kind: "ConfigMap", metadata: { annotations: {}, name: "a" } })}\n`;
  const live = (data: Record<string, string>, applied: string): ApiObject =>
    trackUpdate({
      scope,
      live: undefined,
      updated: configMap(data, { annotations: { [annotation]: applied } }),
      manager: "kubectl-client-side-apply",
      nowMs: at(1),
    });
  const apply = (object: ApiObject, data: Record<string, string>, manager = "kubectl"): ApiObject | string[] => {
    try {
      return applyConfiguration({ scope, live: object, config: configMap(data), manager, force: false, nowMs: at(2) });
    } catch (error) {
      return error instanceof ApplyError
        ? (error.status.details?.causes ?? []).map(({ field }) => field ?? "")
        : [String(error)];
    }
  };

  it("takes over unchanged fields and updates the annotation", () => {
    const object = apply(live({ k: "1", o: "x" }, lastApplied({ k: "1", o: "x" })), { k: "2<", o: "x" }) as ApiObject;
    expect(object["data"]).toEqual({ k: "2<", o: "x" });
    expect(object.metadata?.annotations?.[annotation]).toBe(
      String.raw`{"apiVersion":"v1","data":{"k":"2\u003c","o":"x"},"kind":"ConfigMap","metadata":{"name":"a"}}` + "\n",
    );
    expect(
      object.metadata?.managedFields?.map(({ manager, fieldsV1 }) => [
        manager,
        Object.keys((fieldsV1 as Record<string, object>)["f:data"] ?? {}),
      ]),
    ).toEqual([
      ["kubectl", ["f:k", "f:o"]],
      ["kubectl-client-side-apply", [".", "f:o"]],
    ]);
  });

  it.each<[string, Record<string, string>, string, string, string[]]>([
    ["another manager", { k: "1" }, lastApplied({ k: "1" }), "other", [".data.k"]],
    ["a field that changed since", { k: "1", o: "x" }, lastApplied({ k: "0", o: "x" }), "kubectl", [".data.k"]],
    ["a field that was never applied", { k: "1" }, lastApplied({ o: "x" }), "kubectl", [".data.k"]],
    ["another version", { k: "1" }, lastApplied({ k: "1" }).replace('"v1"', '"v2"'), "kubectl", [".data.k"]],
    ["an annotation that isn't JSON", { k: "1" }, "{", "kubectl", [".data.k"]],
    ["an annotation that isn't an object", { k: "1" }, "[]", "kubectl", [".data.k"]],
    ["an annotation without a kind", { k: "1" }, '{"apiVersion":"v1","data":{"k":"1"}}', "kubectl", [".data.k"]],
  ])("conflicts over %s", (_what, data, applied, manager, fields) => {
    expect(apply(live(data, applied), { k: "2", o: "y" }, manager)).toEqual(expect.arrayContaining(fields));
  });

  it("ignores an object without the annotation", () => {
    const object = applyConfiguration({
      scope,
      live: undefined,
      config: configMap({ k: "1" }),
      manager: "kubectl",
      force: false,
      nowMs: at(1),
    });
    expect(object.metadata?.annotations).toBeUndefined();
  });
});
