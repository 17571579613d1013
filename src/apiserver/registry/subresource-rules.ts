import type { FieldError } from "../schema/field-error.js";
import { validateSigningRequestUpdate } from "./strategies/validation/validate-certificates.js";
import { validateNamespaceFinalizers } from "./strategies/validation/validate-nodes.js";
import { specDiff } from "./strategies/validation/spec-diff.js";
import { copyJson, formatTime, metaOf, sameJson } from "./metadata.js";
import type { ApiObject } from "./strategy.js";

/** What may change through one subresource, and what must hold then. */
export interface SubresourceRule {
  /** Puts back what the subresource does not reach. In place. */
  prepare?(object: ApiObject, old: ApiObject, nowMs: number): void;
  /** Whether changes through it count as changes of what is wanted. */
  readonly counts?: boolean;
  /** Errors of the change. */
  validate?(object: ApiObject, old: ApiObject): FieldError[];
}

interface Container {
  name: string;
  resources?: { requests?: Record<string, string>; limits?: Record<string, string> };
  resizePolicy?: unknown;
}

interface PodSpec {
  containers?: Container[];
  initContainers?: Container[];
  ephemeralContainers?: (Container & { image?: string })[];
  nodeName?: string;
}

/** Restores everything but what `take` copies into the old object. */
function onlyFrom(object: ApiObject, old: ApiObject, take: (into: ApiObject, from: ApiObject) => void): void {
  const result = copyJson(old);
  take(result, object);
  const { resourceVersion, managedFields } = metaOf(object);
  if (resourceVersion !== undefined) metaOf(result).resourceVersion = resourceVersion;
  if (managedFields !== undefined) metaOf(result).managedFields = managedFields;
  else delete metaOf(result).managedFields;
  const meta = object.metadata!;
  for (const key of Object.keys(meta)) Reflect.deleteProperty(meta, key);
  Object.assign(meta, result.metadata);
  for (const key of Object.keys(object)) if (key !== "metadata") Reflect.deleteProperty(object, key);
  for (const key of Object.keys(result)) if (key !== "metadata") object[key] = result[key];
}

const spec = (object: ApiObject): PodSpec => (object.spec ?? {});

/** Guaranteed, Burstable or BestEffort, from what the containers ask for. */
function qosClass(pod: PodSpec): string {
  const containers = [...(pod.containers ?? []), ...(pod.initContainers ?? [])];
  const positive = (values: Record<string, string> | undefined): string[] => ["cpu", "memory"].filter((name) => values?.[name] !== undefined && !/^0/.test(values[name]));
  if (containers.every((one) => positive(one.resources?.requests).length === 0 && positive(one.resources?.limits).length === 0)) return "BestEffort";
  const guaranteed = containers.every((one) => positive(one.resources?.limits).length === 2 && ["cpu", "memory"].every((name) => (one.resources?.requests?.[name] ?? one.resources?.limits?.[name]) === one.resources?.limits?.[name]));
  return guaranteed ? "Guaranteed" : "Burstable";
}

interface Condition {
  type: string;
  status: string;
  lastUpdateTime?: string | null;
  lastTransitionTime?: string | null;
}

/** Gives conditions the times they lack: a condition that was there with the same status has not changed since. */
export function stampConditions(object: ApiObject, old: ApiObject, nowMs: number): void {
  const conditions = ((object.status ?? {}) as { conditions?: Condition[] }).conditions ?? [];
  const before = ((old.status ?? {}) as { conditions?: Condition[] }).conditions ?? [];
  const now = formatTime(nowMs);
  for (const condition of conditions) {
    condition.lastUpdateTime ??= now;
    condition.lastTransitionTime ??= before.find(({ type, status, lastTransitionTime }) => type === condition.type && status === condition.status && lastTransitionTime != null)?.lastTransitionTime ?? now;
  }
}

/** Rules by `bucket/subresource`. */
export const subresourceRules: Readonly<Record<string, SubresourceRule>> = {
  "/pods/ephemeralcontainers": {
    counts: true,
    prepare: (object, old) => onlyFrom(object, old, (into, from) => {
      const asked = spec(from).ephemeralContainers;
      if (asked !== undefined) spec(into).ephemeralContainers = asked;
    }),
    validate(object, old) {
      const now = spec(object).ephemeralContainers ?? [];
      const errors: FieldError[] = [];
      for (const before of spec(old).ephemeralContainers ?? []) {
        const after = now.find((one) => one.name === before.name);
        if (after === undefined) errors.push({ type: "FieldValueForbidden", field: "spec.ephemeralContainers", detail: `existing ephemeral containers ${JSON.stringify(before.name)} may not be removed\n` });
        else if (!sameJson(after, before)) errors.push({ type: "FieldValueForbidden", field: "spec.ephemeralContainers", detail: `existing ephemeral containers ${JSON.stringify(before.name)} may not be changed\n${specDiff("core.EphemeralContainer", before, after)}` });
      }
      now.forEach((one, index) => {
        if ((one.name ?? "") === "") errors.push({ type: "FieldValueRequired", field: `spec.ephemeralContainers[${index}].name`, detail: "" });
        if ((one.image ?? "") === "") errors.push({ type: "FieldValueRequired", field: `spec.ephemeralContainers[${index}].image`, detail: "" });
      });
      return errors;
    },
  },
  "/pods/resize": {
    counts: true,
    prepare: (object, old) => onlyFrom(object, old, (into, from) => {
      for (const key of ["containers", "initContainers"] as const) {
        for (const container of spec(into)[key] ?? []) {
          const asked = spec(from)[key]?.find((one) => one.name === container.name);
          if (asked === undefined) continue;
          if (asked.resources !== undefined) container.resources = asked.resources;
          if (asked.resizePolicy !== undefined) container.resizePolicy = asked.resizePolicy;
        }
      }
    }),
    validate(object, old) {
      const before = qosClass(spec(old));
      const after = qosClass(spec(object));
      if (before === after) return [];
      return [{ type: "FieldValueInvalid", field: "spec", value: after, detail: "Pod QOS Class may not change as a result of resizing" }];
    },
  },
  "/pods/binding": {},
  "/namespaces/finalize": {
    prepare(object, old) {
      if (old.status === undefined) delete object.status;
      else object.status = copyJson(old.status);
    },
    validate: (object) => validateNamespaceFinalizers(object as never),
  },
  "certificates.k8s.io/certificatesigningrequests/approval": {
    prepare(object, old, nowMs) {
      stampConditions(object, old, nowMs);
      const { conditions } = (object.status ?? {}) as { conditions?: unknown };
      object.spec = copyJson(old.spec);
      const status: Record<string, unknown> = { ...copyJson(old.status ?? {}) };
      if (conditions === undefined) delete status["conditions"];
      else status["conditions"] = conditions;
      object.status = status;
    },
    validate: validateSigningRequestUpdate("approval") as unknown as (object: ApiObject, old: ApiObject) => FieldError[],
  },
};
