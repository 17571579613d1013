import { type ConversionRequest, faults } from "./webhooks/conversion-webhook.js";

/** Group of the definition under test. */
export const group = "conv.cf.dev";

/** Path of the definitions. */
export const definitions = "/apis/apiextensions.k8s.io/v1/customresourcedefinitions";

/** Name of the definition under test. */
export const definitionName = `endpoints.${group}`;

type Fields = Record<string, unknown>;

function version(name: string, storage: string, fields: Fields, extra: Fields = {}): Fields {
  const spec = {
    type: "object",
    properties: { replicas: { type: "integer", maximum: 9 }, labelled: { type: "string" }, ...fields },
  };
  return {
    name,
    served: true,
    storage: name === storage,
    subresources: { status: {}, scale: { specReplicasPath: ".spec.replicas", statusReplicasPath: ".status.replicas" } },
    schema: {
      openAPIV3Schema: {
        type: "object",
        properties: {
          spec,
          status: { type: "object", properties: { replicas: { type: "integer" }, phase: { type: "string" } } },
        },
      },
    },
    ...extra,
  };
}

/** Creates a kind with three versions: v1 has `hostPort`, the others `host` and `port`. v3 isn't served. */
export function conversionDefinition(storage: string, conversion: object): Fields {
  return {
    apiVersion: "apiextensions.k8s.io/v1",
    kind: "CustomResourceDefinition",
    metadata: { name: definitionName },
    spec: {
      group,
      scope: "Namespaced",
      names: { plural: "endpoints", singular: "endpoint", kind: "Endpoint", listKind: "EndpointList" },
      conversion,
      versions: [
        version(
          "v1",
          storage,
          { hostPort: { type: "string" } },
          { additionalPrinterColumns: [{ name: "Place", type: "string", jsonPath: ".spec.hostPort" }] },
        ),
        version(
          "v2",
          storage,
          {
            host: { type: "string", maxLength: 20 },
            port: { type: "string" },
            weight: { type: "integer", default: 5 },
          },
          {
            additionalPrinterColumns: [
              { name: "Host", type: "string", jsonPath: ".spec.host" },
              { name: "Port", type: "string", jsonPath: ".spec.port" },
            ],
            selectableFields: [{ jsonPath: ".spec.host" }],
          },
        ),
        { ...version("v3", storage, { host: { type: "string" }, port: { type: "string" } }), served: false },
      ],
    },
  };
}

/** Request, sent after configuring the webhook's answer. */
export interface ConversionStep {
  readonly title: string;
  readonly method: string;
  /** Path below `/apis`, with `NS` for the namespace. */
  readonly path: string;
  readonly body?: unknown;
  /** True to add the stored object's resourceVersion to the body. */
  readonly current?: boolean;
  readonly type?: string;
  readonly accept?: string;
  /** Answer of the webhook. Default: a correct conversion. */
  readonly answer?: (request: ConversionRequest) => unknown;
  /** Storage version of the definition from this step on. */
  readonly storage?: string;
}

const at = (apiVersion: string, rest = ""): string => `${group}/${apiVersion}/namespaces/NS/endpoints${rest}`;
const endpoint = (apiVersion: string, name: string, spec: Fields, metadata: Fields = {}): Fields => ({
  apiVersion: `${group}/${apiVersion}`,
  kind: "Endpoint",
  metadata: { name, ...metadata },
  spec,
});
const merge = "application/merge-patch+json";
const json = "application/json-patch+json";
const apply = "application/apply-patch+yaml";
const table = "application/json;as=Table;v=v1;g=meta.k8s.io";
const refuse = faults["reports a failure"]!;

const step = (
  title: string,
  method: string,
  path: string,
  more: Omit<ConversionStep, "title" | "method" | "path"> = {},
): ConversionStep => ({ title, method, path, ...more });

/** Steps for a kind with two served versions, in order. */
export const conversionSteps: readonly ConversionStep[] = [
  step("creates through the other version", "POST", at("v2"), {
    body: endpoint("v2", "a", { host: "h", port: "1" }, { labels: { x: "y" } }),
  }),
  step("creates through the stored version", "POST", at("v1"), { body: endpoint("v1", "b", { hostPort: "i:2" }) }),
  step("creates in a dry run", "POST", at("v2", "?dryRun=All"), {
    body: endpoint("v2", "dry", { host: "h", port: "1" }),
  }),
  step("rejects in the version of the request", "POST", at("v2"), {
    body: endpoint("v2", "c", { host: "a-host-whose-name-is-too-long" }),
  }),
  step("rejects a name that exists", "POST", at("v2"), { body: endpoint("v2", "a", { host: "h", port: "1" }) }),
  step("warns about fields unknown in the request's version", "POST", at("v2"), {
    body: endpoint("v2", "w", { host: "h", port: "1", hostPort: "h:1" }),
  }),
  step("gets an object in one version", "GET", at("v1", "/a")),
  step("gets an object in the other version", "GET", at("v2", "/b")),
  step("lists in one version", "GET", at("v1")),
  step("lists in the other version", "GET", at("v2")),
  step("lists by a field of the other version", "GET", at("v2", "?fieldSelector=spec.host%3Di")),
  step("lists with a limit", "GET", at("v2", "?limit=1")),
  step("prints a table of one version", "GET", at("v1"), { accept: table }),
  step("prints a table of the other version", "GET", at("v2"), { accept: table }),
  step("returns only metadata", "GET", at("v2", "/a"), {
    accept: "application/json;as=PartialObjectMetadata;v=v1;g=meta.k8s.io",
  }),
  step("patches by merge", "PATCH", at("v2", "/a"), { body: { spec: { port: "2" } }, type: merge }),
  step("patches by operations", "PATCH", at("v2", "/b"), {
    body: [
      { op: "test", path: "/spec/host", value: "i" },
      { op: "replace", path: "/spec/host", value: "j" },
    ],
    type: json,
  }),
  step("patches without an effect", "PATCH", at("v1", "/b"), { body: { spec: { hostPort: "j:2" } }, type: merge }),
  step("does not find a field of the other version", "PATCH", at("v1", "/b"), {
    body: [{ op: "test", path: "/spec/host", value: "j" }],
    type: json,
  }),
  step("rejects a strategic merge patch", "PATCH", at("v2", "/b"), {
    body: { spec: {} },
    type: "application/strategic-merge-patch+json",
  }),
  step("updates", "PUT", at("v2", "/b"), { body: endpoint("v2", "b", { host: "k", port: "3" }), current: true }),
  step("applies", "PATCH", at("v2", "/a?fieldManager=one&force=true"), {
    body: endpoint("v2", "a", { host: "h", port: "4", replicas: 1 }),
    type: apply,
  }),
  step("applies through the other version, to a conflict", "PATCH", at("v1", "/a?fieldManager=two"), {
    body: endpoint("v1", "a", { hostPort: "h:5", replicas: 2 }),
    type: apply,
  }),
  step("applies through the other version, by force", "PATCH", at("v1", "/a?fieldManager=two&force=true"), {
    body: endpoint("v1", "a", { hostPort: "h:5", replicas: 2 }),
    type: apply,
  }),
  step("applies fewer fields", "PATCH", at("v1", "/a?fieldManager=two&force=true"), {
    body: endpoint("v1", "a", { hostPort: "h:5" }),
    type: apply,
  }),
  step("applies again in the first version", "PATCH", at("v2", "/a?fieldManager=one&force=true"), {
    body: endpoint("v2", "a", { host: "h", labelled: "l" }),
    type: apply,
  }),
  step("applies a new object", "PATCH", at("v2", "/new?fieldManager=one"), {
    body: endpoint("v2", "new", { host: "n", port: "9" }),
    type: apply,
  }),
  step("patches fields that others applied", "PATCH", at("v1", "/a"), {
    body: { spec: { hostPort: "m:6" } },
    type: merge,
  }),
  step("reads the status", "GET", at("v2", "/a/status")),
  step("patches the status", "PATCH", at("v2", "/a/status"), {
    body: { status: { phase: "Up" }, spec: { host: "ignored" } },
    type: merge,
  }),
  step("updates the status", "PUT", at("v2", "/b/status"), {
    body: { ...endpoint("v2", "b", { host: "ignored" }), status: { phase: "Down", replicas: 3 } },
    current: true,
  }),
  step("applies the status", "PATCH", at("v1", "/b/status?fieldManager=three"), {
    body: { apiVersion: `${group}/v1`, kind: "Endpoint", metadata: { name: "b" }, status: { replicas: 4 } },
    type: `${apply}`,
  }),
  step("scales", "PATCH", at("v2", "/a/scale"), { body: { spec: { replicas: 7 } }, type: merge }),
  step("reads the scale", "GET", at("v2", "/a/scale")),
  step("rejects a version that is not served", "GET", at("v3", "/a")),
  step("keeps labels that the webhook sets", "PATCH", at("v2", "/b"), {
    body: { spec: { port: "8" } },
    type: merge,
    answer: faults["adds labels and fields"]!,
  }),
  step("shows labels that the webhook sets", "GET", at("v2", "/a"), { answer: faults["adds labels and fields"]! }),
  ...Object.entries(faults)
    .filter(([name]) => name !== "adds labels and fields")
    .map(([name, answer]) => step(`fails where the webhook ${name}`, "GET", at("v2", "/a"), { answer })),
  step("does not create an object that cannot be converted for storage", "POST", at("v2"), {
    body: endpoint("v2", "never", { host: "h" }),
    answer: refuse,
  }),
  step("has not created the object", "GET", at("v1", "/never")),
  step("does not patch to an object that cannot be converted for storage", "PATCH", at("v2", "/a"), {
    body: { spec: { port: "55" } },
    type: merge,
    answer: refuse,
  }),
  step("does not delete an object that cannot be converted", "DELETE", at("v2", "/a"), { answer: refuse }),
  step("reads the stored version without the webhook", "GET", at("v1", "/a"), { answer: refuse }),
  step("writes the stored version without the webhook, and drops managers of other versions", "PATCH", at("v1", "/a"), {
    body: { spec: { hostPort: "q:7" } },
    type: merge,
    answer: refuse,
  }),
  step("lists again after the webhook recovers", "GET", at("v2")),
  step("keeps objects in their stored version after the storage version changes", "GET", at("v1", "/a"), {
    storage: "v2",
  }),
  step("lists objects stored in either version", "GET", at("v1")),
  step("creates in the new stored version", "POST", at("v1"), { body: endpoint("v1", "late", { hostPort: "r:1" }) }),
  step("rewrites an object with an update that changes nothing", "PATCH", at("v2", "/new"), { body: {}, type: merge }),
  step("writes only once", "PATCH", at("v2", "/new"), { body: {}, type: merge }),
  step("reads the rewritten object without the webhook", "GET", at("v2", "/new"), { answer: refuse }),
  step("cannot read an object that was not rewritten without the webhook", "GET", at("v2", "/a"), { answer: refuse }),
  step("deletes through one version", "DELETE", at("v1", "/late")),
  step("deletes through the other version", "DELETE", at("v2", "/a")),
  step("deletes the rest", "DELETE", at("v1")),
];
