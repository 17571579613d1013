import type { Step, Topic } from "../../probe.js";
import { objectOf } from "../fuzz.js";
import { kindFixtures } from "../kinds.js";
import { get, type Json, one, patch, post, put, quiet, remove } from "./steps.js";

const path = "/api/v1/namespaces";
const namespace = (name: string, more: Json = {}, meta: Json = {}): Json => ({
  apiVersion: "v1",
  kind: "Namespace",
  metadata: { name, ...meta },
  ...more,
});
/** Terminating namespace that is kept by a finalizer. */
const ending = "${ns}-ending";

const bodies: readonly (readonly [name: string, body: unknown])[] = [
  ["none", namespace(ending, { spec: { finalizers: [] } })],
  ["own", namespace(ending, { spec: { finalizers: ["a/b"] } })],
  ["bare", namespace(ending, { spec: { finalizers: ["bare"] } })],
  ["no-spec", namespace(ending)],
  ["empty", {}],
  ["other-name", namespace("other", { spec: { finalizers: [] } })],
  ["other-kind", { apiVersion: "v1", kind: "Pod", metadata: { name: ending } }],
  ["unknown", { ...namespace(ending, { spec: { finalizers: ["kubernetes"] } }), bogus: 1 }],
  ["list", []],
  ["text", "x"],
  ["null", null],
  ["status", namespace(ending, { spec: { finalizers: ["kubernetes"] }, status: { phase: "Active" } })],
  ["old", namespace(ending, { spec: { finalizers: ["kubernetes"] } }, { resourceVersion: "1" })],
  [
    "labels",
    namespace(ending, { spec: { finalizers: ["kubernetes"] } }, { labels: { x: "y" }, annotations: { a: "b" } }),
  ],
  ["deletion", namespace(ending, { spec: { finalizers: ["kubernetes"] } }, { finalizers: ["a/c"] })],
  ["bad-labels", namespace(ending, { spec: { finalizers: ["kubernetes"] } }, { labels: { "A B": "y" } })],
  ["scale", { apiVersion: "autoscaling/v1", kind: "Scale", metadata: { name: ending }, spec: { replicas: 1 } }],
];
const statuses: readonly Json[] = [
  { phase: "Active" },
  { phase: "Terminating" },
  { phase: "x" },
  {},
  {
    phase: "Terminating",
    conditions: [{ type: "NamespaceDeletionContentFailure", status: "True", reason: "r", message: "m" }],
  },
  { conditions: [{ type: "x" }] },
];

const inside = (collection: string): Step => ({ ...get(collection) });

/** Life cycle of namespaces: deletion, termination, and writes to a terminating one. */
export const namespaceScenarios: Topic = {
  name: "namespaces",
  setup: [
    quiet(post(path, namespace(ending, {}, { finalizers: ["a/b"] }))),
    quiet(
      post(`${path}/${ending}/pods`, {
        apiVersion: "v1",
        kind: "Pod",
        metadata: { name: "p" },
        spec: { containers: [{ name: "c", image: "i" }] },
      }),
    ),
    quiet(remove(`${path}/${ending}`)),
  ],
  probes: [
    ...["default", "kube-system", "kube-public", "kube-node-lease"].flatMap((name) =>
      [
        {},
        { dryRun: ["All"] },
        { propagationPolicy: "Orphan" },
        { gracePeriodSeconds: 0 },
        { preconditions: { uid: "x" } },
      ].map((body) =>
        one(
          `immortal/${name} ${JSON.stringify(body)}`,
          remove(`${path}/${name}?dryRun=All`, { ...body, dryRun: ["All"] }),
        ),
      ),
    ),
    ...["default", "kube-system"].map((name) =>
      one(`immortal-now/${name}`, remove(`${path}/${name}`), get(`${path}/${name}`)),
    ),
    one("collection", remove(path), remove(`${path}?labelSelector=a%3Db`)),
    one(
      "ending",
      get(`${path}/${ending}`),
      remove(`${path}/${ending}`),
      remove(`${path}/${ending}`, { propagationPolicy: "Orphan" }),
      remove(`${path}/${ending}`, { gracePeriodSeconds: 5 }),
      remove(`${path}/${ending}`, { preconditions: { uid: "x" } }),
      get(`${path}/${ending}`),
    ),
    ...kindFixtures
      .filter(({ collection }) => collection.includes("${ns}"))
      .map((fixture) =>
        one(
          `inside/${fixture.name}`,
          post(fixture.collection.replace("${ns}", ending), objectOf(fixture, fixture.minimal, "in")),
          put(`${fixture.collection.replace("${ns}", ending)}/in`, objectOf(fixture, fixture.minimal, "in")),
          inside(fixture.collection.replace("${ns}", ending)),
        ),
      ),
    ...["merge", "apply"].map((type) =>
      one(
        `inside-patch/${type}`,
        patch(`${path}/${ending}/configmaps/x${type === "apply" ? "?fieldManager=m" : ""}`, type as "merge", {
          apiVersion: "v1",
          kind: "ConfigMap",
          metadata: { name: "x" },
        }),
        patch(`${path}/${ending}/pods/p`, "merge", { metadata: { labels: { a: "b" } } }),
      ),
    ),
    one(
      "inside-review",
      post(`/apis/authorization.k8s.io/v1/namespaces/${ending}/localsubjectaccessreviews`, {
        spec: { user: "a", resourceAttributes: { namespace: ending, verb: "get", resource: "pods" } },
      }),
      post(`${path}/${ending}/pods/p/eviction?dryRun=All`, {
        apiVersion: "policy/v1",
        kind: "Eviction",
        metadata: { name: "p" },
      }),
      post(`${path}/${ending}/pods/p/binding?dryRun=All`, { target: { name: "n" } }),
      post(`${path}/${ending}/serviceaccounts/default/token`, { spec: {} }),
    ),
    one(
      "inside-none",
      ...["configmaps", "events", "services"].flatMap((resource) => [
        post(`${path}/none-\${ns}/${resource}`, { metadata: { name: "a" } }),
        get(`${path}/none-\${ns}/${resource}`),
        remove(`${path}/none-\${ns}/${resource}`),
      ]),
    ),
    ...statuses.map((status) =>
      one(
        `status/${JSON.stringify(status)}`,
        put(`${path}/${ending}/status?dryRun=All`, namespace(ending, { status })),
        put(`${path}/\${ns}/status?dryRun=All`, namespace("${ns}", { status })),
        patch(`${path}/${ending}/status?dryRun=All`, "merge", {
          status,
          metadata: { labels: { a: "b" } },
          spec: { finalizers: [] },
        }),
      ),
    ),
    ...bodies.flatMap(([name, body]) => [
      one(`finalize/${name}`, put(`${path}/${ending}/finalize?dryRun=All`, body)),
      one(
        `finalize-active/${name}`,
        put(
          `${path}/\${ns}/finalize?dryRun=All`,
          JSON.parse(JSON.stringify(body).replaceAll(ending, "${ns}")) as unknown,
        ),
      ),
    ]),
    one(
      "finalize/methods",
      get(`${path}/${ending}/finalize`),
      post(`${path}/${ending}/finalize`, {}),
      patch(`${path}/${ending}/finalize`, "merge", { spec: { finalizers: [] } }),
      remove(`${path}/${ending}/finalize`),
      put(`${path}/none-\${ns}/finalize`, namespace("none-${ns}")),
    ),
    one(
      "update",
      put(`${path}/${ending}?dryRun=All`, namespace(ending, { spec: { finalizers: [] } })),
      put(`${path}/${ending}?dryRun=All`, namespace(ending, {}, { finalizers: ["a/b", "c/d"] })),
      patch(`${path}/${ending}?dryRun=All`, "merge", { metadata: { labels: { a: "b" }, finalizers: null } }),
      patch(`${path}/\${ns}?dryRun=All`, "merge", { spec: { finalizers: null } }),
      patch(`${path}/\${ns}?dryRun=All`, "merge", { metadata: { labels: { "kubernetes.io/metadata.name": "x" } } }),
      patch(`${path}/\${ns}?dryRun=All`, "merge", { metadata: { labels: null } }),
    ),
    one(
      "end",
      put(`${path}/${ending}/finalize`, namespace(ending, { spec: { finalizers: [] } })),
      get(`${path}/${ending}`),
      quiet(remove(`${path}/${ending}/pods/p?gracePeriodSeconds=0`)),
      patch(`${path}/${ending}`, "merge", { metadata: { finalizers: null } }),
      get(`${path}/${ending}`),
    ),
    ...[[], ["kubernetes"], ["a/b"], ["a/b", "kubernetes"], ["bare"], [""]].map((finalizers) =>
      one(
        `new/${JSON.stringify(finalizers)}`,
        post(`${path}?dryRun=All`, namespace("new-${ns}", { spec: { finalizers }, status: { phase: "Terminating" } })),
      ),
    ),
  ],
};
