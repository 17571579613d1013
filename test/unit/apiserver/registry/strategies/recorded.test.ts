import { readFileSync } from "node:fs";
import { beforeAll, describe, expect, it } from "vitest";
import type { Strategy } from "../../../../../src/apiserver/kinds/shared/strategy.js";
import { strategyFor } from "../../../../../src/apiserver/kinds/strategy-for.js";
import type { ApiObject } from "../../../../../src/apiserver/objects/api-object.js";
import { defaultTolerationSeconds, taintNodesByCondition } from "../../../../../src/apiserver/plugins/node-taints.js";
import { storageProtection } from "../../../../../src/apiserver/plugins/storage-protection.js";
import type { AdmissionAttributes, RegistryContext } from "../../../../../src/apiserver/registry/services.js";
import { dropEmpty } from "../../../../../src/apiserver/schema/drop-empty.js";
import { definitionNameOf } from "../../../../../src/gen/openapi/definitions.js";
import { inputs } from "../../../../golden/strategies/inputs.js";
import { loadAllKinds } from "../../../../support/load-kinds.js";

beforeAll(loadAllKinds);

interface Recorded {
  status: number;
  stored: ApiObject;
  table?: { columnDefinitions: object[]; rows: { cells: unknown[]; object: ApiObject }[] };
}

const recorded = JSON.parse(
  readFileSync(new URL("../../../../golden/strategies/recorded.json", import.meta.url), "utf8"),
) as Record<string, Recorded>;

/** Runs the steps of the registry around a kind's hooks. */
function store(path: string, body: Record<string, unknown>): { object: ApiObject; strategy: Strategy } {
  const parts = path.split("/").slice(1);
  const [group = "", version = ""] = parts[0] === "api" ? ["", parts[1]] : [parts[1], parts[2]];
  const strategy = strategyFor(group, parts.at(-1) ?? "", version);
  const object = structuredClone(body) as ApiObject;
  const golden = recorded[nameOf(path, body)]?.stored;
  Object.assign(object, { kind: golden?.kind, apiVersion: golden?.apiVersion });
  strategy.defaults?.(object, 0);
  const metadata = (object.metadata ??= {});
  Object.assign(metadata, { uid: "<uid>", creationTimestamp: "<time>" });
  if (path.includes("/namespaces/")) metadata.namespace = "strategies";
  delete metadata.generation;
  admitDefaults(group, parts.at(-1) ?? "", object);
  strategy.prepareForCreate?.(object, { nowMs: 0, warn: () => undefined });
  Object.assign(object.metadata ?? {}, { creationTimestamp: "<time>" });
  if (strategy.generation !== undefined && strategy.generation.counts !== "late")
    (object.metadata ??= {}).generation = 1;
  dropEmpty(definitionNameOf(group, version ?? "", object.kind ?? "")!, object);
  return { object: JSON.parse(JSON.stringify(object)) as ApiObject, strategy };
}

/** Runs the admission plugins that change every object of a kind. */
function admitDefaults(group: string, plural: string, object: ApiObject): void {
  const attributes = { operation: "CREATE", resource: { bucket: `${group}/${plural}` }, subresource: "", object };
  for (const plugin of [taintNodesByCondition, defaultTolerationSeconds, storageProtection])
    void plugin.admit?.(attributes as unknown as AdmissionAttributes, {} as RegistryContext);
}

function nameOf(path: string, body: Record<string, unknown>): string {
  return inputs.find((input) => input.path === path && input.body === body)?.name ?? "";
}

/** Removes fields that only the whole server can set. */
function comparable(object: ApiObject): unknown {
  const copy = structuredClone(object) as {
    spec?: Record<string, unknown>;
    status?: Record<string, unknown>;
    kind?: string;
  };
  if (copy.kind === "Service" && copy.spec !== undefined) {
    for (const key of ["clusterIP", "clusterIPs", "ipFamilies", "ipFamilyPolicy"])
      Reflect.deleteProperty(copy.spec, key);
    for (const port of (copy.spec["ports"] ?? []) as Record<string, unknown>[])
      Reflect.deleteProperty(port, "nodePort");
  }
  if (copy.kind === "PersistentVolume" && copy.status !== undefined)
    Reflect.deleteProperty(copy.status, "lastPhaseTransitionTime");
  return copy;
}

describe("objects are stored as kube-apiserver stored them", () => {
  it.each(inputs.map((input) => [input.name, input] as const))("%s", (name, input) => {
    const golden = recorded[name];
    expect(golden?.status).toBe(201);
    expect(comparable(store(input.path, input.body).object)).toEqual(comparable(golden?.stored as ApiObject));
  });
});

describe("objects are printed as kube-apiserver printed them", () => {
  it.each(inputs.map((input) => [input.name, input] as const))("%s", (name, input) => {
    const { table } = recorded[name] as Required<Recorded>;
    const parts = input.path.split("/").slice(1);
    const { printer } =
      parts[0] === "api"
        ? strategyFor("", parts.at(-1) ?? "", parts[1])
        : strategyFor(parts[1] ?? "", parts.at(-1) ?? "", parts[2]);
    const headings = table.columnDefinitions as { name: string }[];
    if (headings.some((column) => column.name === "Created At")) {
      expect(printer).toBeUndefined();
      return;
    }
    expect(
      printer?.columns.map((column) => ({ ...column, description: column.description === "" ? "" : "<text>" })),
    ).toEqual(headings);
    const now = "2026-01-01T00:00:00Z";
    const object = structuredClone(table.rows[0]?.object ?? {}) as ApiObject;
    (object.metadata ??= {}).creationTimestamp = now;
    expect(printer?.cells(object, Date.parse(now))).toEqual(table.rows[0]?.cells);
  });
});
