import type { Probe, Step } from "../../probe.js";

/** Any JSON object. */
export type Json = Record<string, unknown>;

type More = Partial<Step>;
export const one = (id: string, ...steps: (Step | readonly Step[])[]): Probe => ({ id, steps: steps.flat() });
export const get = (path: string, more: More = {}): Step => ({ method: "GET", path, ...more });
export const post = (path: string, json: unknown, more: More = {}): Step => ({ method: "POST", path, json, ...more });
export const put = (path: string, json: unknown, more: More = {}): Step => ({ method: "PUT", path, json, ...more });
export const remove = (path: string, json?: unknown, more: More = {}): Step => ({
  method: "DELETE",
  path,
  ...(json === undefined ? {} : { json }),
  ...more,
});
export const quiet = (step: Step): Step => ({ ...step, silent: true });
/** Stores the resource version of the answer as `rv`. */
export const marked = (step: Step, name = "rv"): Step => ({
  ...step,
  capture: { ...step.capture, [name]: "/metadata/resourceVersion" },
});

const patchTypes = {
  merge: "merge-patch+json",
  json: "json-patch+json",
  strategic: "strategic-merge-patch+json",
  apply: "apply-patch+yaml",
  cbor: "apply-patch+cbor",
} as const;
export const patch = (path: string, type: keyof typeof patchTypes, body: unknown, more: More = {}): Step => ({
  method: "PATCH",
  path,
  headers: { "content-type": `application/${patchTypes[type]}`, ...more.headers },
  raw: typeof body === "string" ? body : JSON.stringify(body),
  ...Object.fromEntries(Object.entries(more).filter(([key]) => key !== "headers")),
});
export const apply = (path: string, manager: string, body: unknown, more = ""): Step =>
  patch(`${path}?fieldManager=${manager}${more}`, "apply", body);
export const esc = encodeURIComponent;

export const core = "/api/v1/namespaces/${ns}";
export const configMaps = `${core}/configmaps`;
export const secrets = `${core}/secrets`;
export const pods = `${core}/pods`;
export const services = `${core}/services`;
export const deployments = "/apis/apps/v1/namespaces/${ns}/deployments";
export const jobs = "/apis/batch/v1/namespaces/${ns}/jobs";
export const leases = "/apis/coordination.k8s.io/v1/namespaces/${ns}/leases";
export const definitions = "/apis/apiextensions.k8s.io/v1/customresourcedefinitions";

const object =
  (apiVersion: string, kind: string) =>
  (name: string, more: Json = {}, meta: Json = {}): Json => ({
    apiVersion,
    kind,
    metadata: { name, ...meta },
    ...more,
  });
export const configMap = object("v1", "ConfigMap");
export const secret = object("v1", "Secret");
export const service = object("v1", "Service");
export const podOf = object("v1", "Pod");
export const lease = object("coordination.k8s.io/v1", "Lease");
export const deploymentOf = object("apps/v1", "Deployment");
export const jobOf = object("batch/v1", "Job");
export const container = { name: "c", image: "i" };
export const pod = (name: string, spec: Json = {}, meta: Json = {}): Json =>
  podOf(name, { spec: { containers: [container], ...spec } }, meta);
const template = (spec: Json = {}): Json => ({
  metadata: { labels: { a: "b" } },
  spec: { containers: [container], ...spec },
});
export const deployment = (name: string, spec: Json = {}, podSpec: Json = {}): Json =>
  deploymentOf(name, { spec: { selector: { matchLabels: { a: "b" } }, template: template(podSpec), ...spec } });

/** Watches for one second. */
export const watch = (path: string, query = "", more: More = {}): Step =>
  get(`${path}?watch=1&timeoutSeconds=1${query}`, more);

const names = (plural: string, kind: string): Json => ({
  plural,
  singular: kind.toLowerCase(),
  kind,
  listKind: `${kind}List`,
});
/** Creates a definition and waits until it is served. */
export function defined(
  group: string,
  plural: string,
  kind: string,
  versions: readonly Json[],
  more: Json = {},
): readonly Step[] {
  const body = {
    apiVersion: "apiextensions.k8s.io/v1",
    kind: "CustomResourceDefinition",
    metadata: { name: `${plural}.${group}` },
    spec: { group, scope: "Namespaced", names: names(plural, kind), versions, ...more },
  };
  return [
    quiet(post(definitions, body)),
    ...served(`/apis/${group}/${String(versions[0]!["name"])}/namespaces/\${ns}/${plural}`),
  ];
}

/** Steps that wait until a real server serves a definition. */
export const served = (path: string): readonly Step[] => [{ ...get(path, { until: 200, pauseMs: 300 }), silent: true }];
export const version = (name: string, schema: Json, more: Json = {}): Json => ({
  name,
  served: true,
  storage: true,
  schema: { openAPIV3Schema: schema },
  ...more,
});
export const free = { type: "object", "x-kubernetes-preserve-unknown-fields": true };
export const typed = (properties: Json, more: Json = {}): Json => ({ type: "object", properties, ...more });
