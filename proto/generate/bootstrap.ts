import { readFileSync } from "node:fs";
import type { Output } from "./output.js";

interface Metadata {
  readonly name: string;
  readonly namespace?: string;
  readonly managedFields?: readonly Readonly<Record<string, unknown>>[];
  readonly [field: string]: unknown;
}

interface BootstrapObject {
  readonly apiVersion: string;
  readonly kind: string;
  readonly metadata: Metadata;
  readonly spec?: unknown;
  readonly status?: { readonly conditions?: readonly object[] };
  readonly [field: string]: unknown;
}

/** Fields of the metadata in the order of the struct. */
const order = [
  ...["name", "generateName", "namespace", "uid", "resourceVersion", "generation", "creationTimestamp"],
  ...["labels", "annotations", "managedFields"],
];

/** Writes the objects that a server has from its start on: namespaces, default roles, flow control. */
export function generateBootstrap(output: Output): void {
  const objects = JSON.parse(
    readFileSync(new URL("../bootstrap.json", import.meta.url), "utf8"),
  ) as readonly BootstrapObject[];
  const stored = [...objects, ...objects.flatMap(addressesOf)].map(template);
  output.add(
    "src/gen/bootstrap.ts",
    `
/**
 * Object that every new server has, in its stored form. Each server sets the fields that stand as \`{uid}\`,
 * \`{revision}\`, \`{time}\` and \`{date}\`.
 */
export interface BootstrapTemplate {
  readonly apiVersion: string;
  readonly kind: string;
  /** \`""\` for an object of the cluster. */
  readonly namespace: string;
  readonly name: string;
  readonly json: string;
}

/** Objects that every new server has. */
export const bootstrapTemplates: readonly BootstrapTemplate[] = [
${stored.map((each) => `  ${each},`).join("\n")}
];

const objects = new Map<BootstrapTemplate, unknown>();

function parse(template: BootstrapTemplate): unknown {
  let object = objects.get(template);
  if (object === undefined) {
    const { metadata, ...content } = JSON.parse(template.json) as { metadata: object };
    const { uid: _uid, resourceVersion: _version, creationTimestamp: _time, ...own } = metadata as Record<string, unknown>;
    object = { apiVersion: template.apiVersion, kind: template.kind, metadata: own, ...content };
    objects.set(template, object);
  }
  return object;
}

/** Returns one of the objects that every new server has, or \`undefined\`. It is shared; don't change it. */
export function bootstrapObject(kind: string, name: string): unknown {
  const found = bootstrapTemplates.find((template) => template.kind === kind && template.name === name);
  return found === undefined ? undefined : parse(found);
}

/** Returns the objects of some kinds that every new server has. They are shared; don't change them. */
export function bootstrapObjects(kinds: readonly string[]): readonly unknown[] {
  return bootstrapTemplates.filter(({ kind }) => kinds.includes(kind)).map(parse);
}
`.trimStart(),
  );
}

function template(object: BootstrapObject): string {
  const { apiVersion, kind, metadata } = object;
  const { namespace = "", name } = metadata;
  return JSON.stringify({ apiVersion, kind, namespace, name, json: storedForm(object) });
}

/** Returns an object as the server stores it, with placeholders for the fields that each server sets. */
function storedForm({ apiVersion, kind, metadata, ...content }: BootstrapObject): string {
  const condition = kind === "FlowSchema" ? danglingCondition(content.spec as FlowSchemaSpec) : undefined;
  const owners = [...(condition === undefined ? [] : [conditionOwner(apiVersion)]), ...(metadata.managedFields ?? [])];
  const meta: Readonly<Record<string, unknown>> = {
    ...metadata,
    uid: "{uid}",
    resourceVersion: "{revision}",
    creationTimestamp: "{time}",
    ...(owners.length > 0 && { managedFields: owners.map(owner) }),
  };
  const known = order.filter((field) => meta[field] !== undefined);
  const unknown = Object.keys(meta).filter((field) => !order.includes(field));
  if (unknown.length > 0) throw new Error(`proto/bootstrap.json: unexpected metadata.${unknown.join(", metadata.")}`);
  const conditions = condition === undefined ? content.status?.conditions : [condition];
  return JSON.stringify({
    metadata: Object.fromEntries(known.map((field) => [field, meta[field]])),
    ...content,
    ...(conditions !== undefined && {
      status: { ...content.status, conditions: conditions.map((each) => ({ ...each, lastTransitionTime: "{time}" })) },
    }),
    // Legacy tokens are tracked from the server's first day.
    ...(metadata.name === "kube-apiserver-legacy-service-account-token-tracking" && { data: { since: "{date}" } }),
  });
}

/** Returns an entry of the managed fields with its members in the order in which the server writes them. */
function owner(entry: Readonly<Record<string, unknown>>): object {
  const { manager, operation, apiVersion, fieldsType, fieldsV1, ...rest } = entry;
  return { manager, operation, apiVersion, time: "{time}", fieldsType, fieldsV1, ...rest };
}

interface FlowSchemaSpec {
  readonly priorityLevelConfiguration: { readonly name: string };
}

/** Returns the condition that the controller of FlowSchemas would write at once: eleven updates would double a start. */
function danglingCondition({ priorityLevelConfiguration: level }: FlowSchemaSpec): object {
  return {
    type: "Dangling",
    status: "False",
    reason: "Found",
    message: `This FlowSchema references the PriorityLevelConfiguration object named ${JSON.stringify(level.name)} and it exists`,
  };
}

/** Returns the entry of that controller's apply, which comes first. */
function conditionOwner(apiVersion: string): Readonly<Record<string, unknown>> {
  const fields = Object.fromEntries(
    [".", "f:lastTransitionTime", "f:message", "f:reason", "f:status", "f:type"].map((field) => [field, {}]),
  );
  return {
    manager: "api-priority-and-fairness-config-consumer-v1",
    operation: "Apply",
    apiVersion,
    fieldsType: "FieldsV1",
    fieldsV1: { "f:status": { "f:conditions": { 'k:{"type":"Dangling"}': fields } } },
    subresource: "status",
  };
}

/** Returns the IPAddresses that the server creates for the cluster IPs of a Service. */
function addressesOf({ kind, metadata, spec }: BootstrapObject): BootstrapObject[] {
  if (kind !== "Service") return [];
  const { clusterIPs = [] } = spec as { readonly clusterIPs?: readonly string[] };
  const labels = (address: string): Record<string, string> => ({
    "ipaddress.kubernetes.io/ip-family": address.includes(":") ? "IPv6" : "IPv4",
    "ipaddress.kubernetes.io/managed-by": "ipallocator.k8s.io",
  });
  const owned = {
    "f:metadata": {
      "f:labels": {
        ".": {},
        "f:ipaddress.kubernetes.io/ip-family": {},
        "f:ipaddress.kubernetes.io/managed-by": {},
      },
    },
    "f:spec": { "f:parentRef": { ".": {}, "f:name": {}, "f:namespace": {}, "f:resource": {} } },
  };
  const manager = { manager: "kube-apiserver", operation: "Update", apiVersion: "networking.k8s.io/v1" };
  return clusterIPs.map((address) => ({
    apiVersion: "networking.k8s.io/v1",
    kind: "IPAddress",
    metadata: {
      name: address,
      labels: labels(address),
      managedFields: [{ ...manager, fieldsType: "FieldsV1", fieldsV1: owned }],
    },
    spec: { parentRef: { resource: "services", namespace: metadata.namespace, name: metadata.name } },
  }));
}
