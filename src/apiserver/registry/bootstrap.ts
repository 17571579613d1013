import { bootstrapObjects } from "../../gen/bootstrap.js";
import { danglingCondition } from "../flowcontrol/flow-schema.js";
import type { ApiObject } from "../objects/api-object.js";
import { formatTime, metaOf, storedJson } from "../objects/metadata.js";
import type { PolicyRule } from "../rbac/policy-rule.js";
import { keyOf } from "./read.js";
import type { ServedResource } from "./resources.js";
import type { RegistryServices } from "./services.js";

const TOKEN_TRACKING = "kube-apiserver-legacy-service-account-token-tracking";

/** Returns the rules that a ClusterRole has on every new cluster. */
export function bootstrapRules(name: string): readonly PolicyRule[] {
  const role = (bootstrapObjects() as readonly ApiObject[]).find(
    ({ kind, metadata }) => kind === "ClusterRole" && metadata?.name === name,
  );
  return (role?.["rules"] ?? []) as PolicyRule[];
}

/** Fields that each server sets for itself, as they stand in the text of a template. */
const ownFields = { uid: "{uid}", time: "{time}", date: "{date}", revision: "{revision}" } as const;

/** A bootstrap object and its stored form, split at the fields that each server sets for itself. */
interface Template {
  readonly object: ApiObject;
  readonly parts: readonly string[];
}

let templates: readonly Template[] | undefined;

/** Returns the stored forms of all bootstrap objects: encoding them for each server would cost most of its start. */
function bootstrapTemplates(): readonly Template[] {
  return (templates ??= (bootstrapObjects() as readonly ApiObject[]).map((object) => ({
    object,
    parts: storedJson(withOwnFields(withCondition(structuredClone(object))), ownFields.revision, false).split(
      /\{(\w+)\}/,
    ),
  })));
}

/** Gives a FlowSchema the condition that its controller would write at once: eleven updates would double a start. */
function withCondition(object: ApiObject): ApiObject {
  if (object.kind !== "FlowSchema") return object;
  const condition = danglingCondition(object, bootstrapLevels(), 0);
  const meta = metaOf(object);
  const owner = {
    manager: "api-priority-and-fairness-config-consumer-v1",
    operation: "Apply" as const,
    apiVersion: object.apiVersion!,
    fieldsType: "FieldsV1",
    fieldsV1: {
      "f:status": {
        "f:conditions": {
          'k:{"type":"Dangling"}': {
            ".": {},
            "f:lastTransitionTime": {},
            "f:message": {},
            "f:reason": {},
            "f:status": {},
            "f:type": {},
          },
        },
      },
    },
    subresource: "status",
  };
  // Entries of an apply come first.
  meta.managedFields = [owner, ...(meta.managedFields ?? [])];
  object.status = { conditions: [condition] };
  return object;
}

function bootstrapLevels(): ReadonlySet<string> {
  const levels = (bootstrapObjects() as readonly ApiObject[]).filter(
    ({ kind }) => kind === "PriorityLevelConfiguration",
  );
  return new Set(levels.map(({ metadata }) => metadata?.name ?? ""));
}

function withOwnFields(object: ApiObject): ApiObject {
  const meta = metaOf(object);
  meta.uid = ownFields.uid;
  meta.creationTimestamp = ownFields.time;
  if (meta.managedFields !== undefined)
    // In the order in which the server writes their members.
    meta.managedFields = meta.managedFields.map(
      ({ manager, operation, apiVersion, fieldsType, fieldsV1, ...rest }) => ({
        manager,
        operation,
        apiVersion,
        time: ownFields.time,
        fieldsType,
        fieldsV1,
        ...rest,
      }),
    );
  const { conditions = [] } = (object.status ?? {}) as { conditions?: { lastTransitionTime?: string }[] };
  for (const condition of conditions) condition.lastTransitionTime = ownFields.time;
  // Legacy tokens are tracked from the server's first day.
  if (meta.name === TOKEN_TRACKING) object["data"] = { since: ownFields.date };
  return object;
}

/** False for the APIService of a version that isn't served. */
function isAnnounced({ kind, spec }: ApiObject, { resources }: RegistryServices): boolean {
  const { group = "", version = "" } = (spec ?? {}) as { group?: string; version?: string };
  return kind !== "APIService" || resources.inGroupVersion(group, version) !== undefined;
}

/**
 * Stores the objects that every cluster starts with, unless they exist: namespaces, default roles, flow control,
 * priority classes, the Service `kubernetes` with its ServiceCIDR, and the APIServices.
 */
export function storeBootstrapObjects(services: RegistryServices): void {
  const byKind = new Map<string, ServedResource>();
  for (const resource of services.resources.all())
    byKind.set(`${resource.group === "" ? "" : `${resource.group}/`}${resource.version} ${resource.kind}`, resource);
  const time = formatTime(services.clock.now());
  const date = time.slice(0, 10);
  for (const { object, parts } of bootstrapTemplates()) {
    const resource = byKind.get(`${object.apiVersion!} ${object.kind!}`);
    // `runtimeConfig` may have switched off the kind, or the version that an APIService announces.
    if (resource === undefined || !isAnnounced(object, services)) continue;
    const { namespace = "", name = "" } = object.metadata!;
    const bucket = services.store.bucket(resource.bucket);
    const key = keyOf(resource, namespace, name);
    if (bucket.get(key) !== undefined) continue;
    const uid = services.uuid();
    services.store.commit(bucket, key, (revision) => {
      const own: Readonly<Record<string, string>> = { uid, time, date, revision: String(revision) };
      return parts.map((part, at) => (at % 2 === 0 ? part : own[part])).join("");
    });
  }
}
