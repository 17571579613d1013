import type { Probe, Step, Topic } from "../../probe.js";
import { kindFixtures } from "../kinds.js";
import type { Json } from "./steps.js";
import {
  apply,
  configMaps,
  core,
  deployment,
  deployments,
  esc,
  get,
  one,
  patch,
  pod,
  pods,
  post,
  put,
  quiet,
  remove,
} from "./steps.js";

/** Metadata that a write of the status keeps, ignores or rejects, by kind. */
const ofStatus: Readonly<Record<string, readonly Json[]>> = {
  pods: [{ deletionTimestamp: "2030-01-01T00:00:00Z" }, { uid: "x" }],
  "networking-v1-servicecidrs": [{ deletionTimestamp: "2030-01-01T00:00:00Z" }, { selfLink: "x" }, { uid: "x" }],
  "storage-v1-volumeattachments": [{ deletionTimestamp: "2030-01-01T00:00:00Z" }, { uid: "x" }],
  "batch-v1-cronjobs": [{ uid: "x" }, { labels: { "-": "1" } }],
  "certificates-v1-certificatesigningrequests": [{ labels: { "-": "1" } }, { finalizers: ["abc"] }],
};

/** Metadata that a write of the object rejects or not, by kind. */
const ofObject: Readonly<Record<string, readonly Json[]>> = {
  "certificates-v1-certificatesigningrequests": [{ labels: { "-": "1" } }, { finalizers: ["abc"] }],
  "internal-v1alpha1-storageversions": [{ finalizers: ["abc"] }, { uid: "x" }],
};

const metadataProbes = Object.keys({ ...ofStatus, ...ofObject }).map((kind): Probe => {
  const fixture = kindFixtures.find(({ name }) => name === kind)!;
  const { apiVersion, collection, minimal } = fixture;
  const given = minimal["metadata"] as { name?: string } | undefined;
  const name = given?.name ?? "rare";
  const path = `${collection}/${name}`;
  const change = (of: string) => (metadata: Json) => patch(`${path}${of}?dryRun=All`, "merge", { metadata });
  return one(
    `metadata/${kind}`,
    quiet(post(collection, { apiVersion, kind: fixture.kind, ...minimal, metadata: { ...given, name } })),
    (ofStatus[kind] ?? []).map(change("/status")),
    (ofObject[kind] ?? []).map(change("")),
    quiet(remove(`${path}?gracePeriodSeconds=0`)),
  );
});

const large = { apiVersion: "apps/v1", kind: "Deployment", metadata: { name: "rare" } };

/** Numbers that don't fit into 32 bits. Patches of the text reject them, and patches of the object truncate them. */
const numbers = one(
  "numbers",
  quiet(post(deployments, deployment("rare"))),
  ...[2147483648, 4294967297, 1e21].flatMap((value): Step[] => [
    patch(`${deployments}/rare?dryRun=All`, "strategic", { spec: { minReadySeconds: value } }),
    patch(`${deployments}/rare?dryRun=All`, "merge", { spec: { minReadySeconds: value } }),
    apply(`${deployments}/rare`, "a", { ...large, spec: { minReadySeconds: value } }, "&dryRun=All"),
  ]),
  patch(`${deployments}/rare?dryRun=All`, "strategic", { spec: { minReadySeconds: 1.5 } }),
  quiet(remove(`${deployments}/rare`)),
);

const slices = "/apis/resource.k8s.io/v1/resourceslices";
const slice = (attribute: Json): Json => ({
  driver: "d.example",
  nodeName: "n",
  pool: { name: "p", generation: 1, resourceSliceCount: 1 },
  devices: [{ name: "a", attributes: { numa: attribute } }],
});

/** A field of a disabled feature counts as a change of the spec before it is dropped. */
const generation = one(
  "generation",
  quiet(post(slices, { metadata: { name: "rare" }, spec: slice({ int: 1 }) })),
  patch(`${slices}/rare?dryRun=All`, "merge", { spec: slice({ int: 1, ints: [1] }) }),
  patch(`${slices}/rare?dryRun=All`, "merge", { spec: slice({ int: 1 }) }),
  quiet(remove(`${slices}/rare`)),
);

const selectors = one(
  "selectors",
  ...["=", "!=", "=,metadata.name=none", "=x"].map((text) => get(`${configMaps}?fieldSelector=${esc(text)}`)),
  ...["a>9223372036854775807", "a>9223372036854775808", "a<-9223372036854775809"].map((text) =>
    get(`${configMaps}?labelSelector=${esc(text)}`),
  ),
);

const limited = (amount: string): Json => ({ "example.com/gpu": amount });
const hard = {
  "count/bindings": "0",
  "count/localsubjectaccessreviews.authorization.k8s.io": "0",
  "count/events": "0",
  "count/events.events.k8s.io": "0",
  "limits.example.com/gpu": "1",
  "requests.example.com/gpu": "2",
};
const gpus = (name: string, amount: string): Json =>
  pod(name, {
    containers: [{ name: "c", image: "i", resources: { limits: limited(amount), requests: limited(amount) } }],
  });

const quotas = one(
  "quotas",
  quiet(post(pods, pod("rare"))),
  quiet(post(`${core}/resourcequotas`, { metadata: { name: "rare" }, spec: { hard } })),
  quiet(
    patch(`${core}/resourcequotas/rare/status`, "merge", {
      status: { hard, used: Object.fromEntries(Object.keys(hard).map((name) => [name, "0"])) },
    }),
  ),
  post(`${core}/events?dryRun=All`, { metadata: { name: "rare" }, involvedObject: { namespace: "${ns}" } }),
  post(`${core}/bindings?dryRun=All`, { metadata: { name: "rare" }, target: { name: "n" } }),
  post("/apis/authorization.k8s.io/v1/namespaces/${ns}/localsubjectaccessreviews", {
    spec: { user: "alice", resourceAttributes: { namespace: "${ns}", verb: "get", resource: "pods" } },
  }),
  post(`${pods}?dryRun=All`, gpus("two", "2")),
  post(`${pods}?dryRun=All`, gpus("three", "3")),
  quiet(remove(`${core}/resourcequotas/rare`)),
  quiet(remove(`${pods}/rare?gracePeriodSeconds=0`)),
);

const admission = "/apis/admissionregistration.k8s.io/v1";
const mutations: Readonly<Record<string, Json>> = {
  null: { patchType: "ApplyConfiguration", applyConfiguration: { expression: "Object{data: {'k': null}}" } },
  unknown: {
    patchType: "JSONPatch",
    jsonPatch: { expression: "[JSONPatch{op: 'add', path: '/none', value: 1}]" },
  },
  kind: {
    patchType: "JSONPatch",
    jsonPatch: { expression: "[JSONPatch{op: 'replace', path: '/kind', value: 'Secret'}]" },
  },
};

/** Results of mutating policies that aren't objects of the kind. */
const mutationProbes = Object.entries(mutations).map(([name, mutation]): Probe => {
  const metadata = { name: `rare-${name}` };
  return one(
    `mutation/${name}`,
    quiet(
      post(`${admission}/mutatingadmissionpolicies`, {
        metadata,
        spec: {
          matchConstraints: {
            namespaceSelector: { matchLabels: { "kubernetes.io/metadata.name": "${ns}" } },
            resourceRules: [
              { apiGroups: [""], apiVersions: ["v1"], operations: ["CREATE"], resources: ["configmaps"] },
            ],
          },
          failurePolicy: "Fail",
          reinvocationPolicy: "Never",
          mutations: [mutation],
        },
      }),
    ),
    quiet(post(`${admission}/mutatingadmissionpolicybindings`, { metadata, spec: { policyName: metadata.name } })),
    post(`${configMaps}?dryRun=All`, { metadata: { name: "rare" } }, { pauseMs: 1500 }),
    quiet(remove(`${admission}/mutatingadmissionpolicybindings/${metadata.name}`)),
    quiet(remove(`${admission}/mutatingadmissionpolicies/${metadata.name}`)),
    // Policies take a moment to end, too.
    { ...get(configMaps, { pauseMs: 1500 }), silent: true },
  );
});

const rbac = "/apis/rbac.authorization.k8s.io/v1";
const group = "rbac.authorization.k8s.io";
const ref = (name: string): Json => ({ apiGroup: group, kind: "ClusterRole", name });
const verbs = ["get", "create", "update", "patch"];
const everything = [{ verbs: ["*"], apiGroups: ["*"], resources: ["*"] }];
const role = (name: string, rules: readonly Json[], more: Json = {}): Json => ({ metadata: { name }, rules, ...more });
const alice = { token: "alice-token" };
const byAlice = (step: Step): Step => ({ ...step, ...alice });
const aggregate = { aggregationRule: { clusterRoleSelectors: [{ matchLabels: { a: "b" } }] } };

/** Writes of roles and bindings by a user with some rights. */
const escalation = one(
  "escalation",
  quiet(
    post(
      `${rbac}/clusterroles`,
      role("rare-writer", [
        {
          verbs,
          apiGroups: [group],
          resources: ["roles", "clusterroles", "rolebindings", "clusterrolebindings"],
        },
        { verbs: ["get"], apiGroups: [""], resources: ["pods"] },
      ]),
    ),
  ),
  quiet(
    post(`${rbac}/clusterrolebindings`, {
      metadata: { name: "rare-writer" },
      roleRef: ref("rare-writer"),
      subjects: [{ kind: "User", name: "alice" }],
    }),
  ),
  ...[
    role("rare-all", everything),
    role("rare-pods", [{ verbs: ["get"], apiGroups: [""], resources: ["pods"] }]),
    role("rare-aggregate", [], aggregate),
  ].map((body) => quiet(post(`${rbac}/clusterroles`, body))),
  { ...byAlice(get(`${rbac}/clusterroles/rare-pods`, { until: 200 })), silent: true },
  // A change of the labels repeats the check of the rules.
  byAlice(
    put(
      `${rbac}/clusterroles/rare-all?dryRun=All`,
      role("rare-all", everything, { metadata: { name: "rare-all", labels: { a: "b" } } }),
    ),
  ),
  byAlice(patch(`${rbac}/clusterroles/rare-all?dryRun=All`, "merge", { metadata: { ownerReferences: [] } })),
  byAlice(patch(`${rbac}/clusterroles/rare-pods?dryRun=All`, "merge", { metadata: { labels: { a: "b" } } })),
  byAlice(patch(`${rbac}/clusterroles/rare-aggregate?dryRun=All`, "merge", { metadata: { labels: { a: "b" } } })),
  byAlice(patch(`${rbac}/clusterroles/rare-aggregate?dryRun=All`, "merge", { aggregationRule: null })),
  byAlice(post(`${rbac}/clusterroles?dryRun=All`, role("rare-new", [], aggregate))),
  byAlice(
    post(`${rbac}/clusterroles?dryRun=All`, role("rare-new", [], { aggregationRule: { clusterRoleSelectors: [] } })),
  ),
  byAlice(post(`${rbac}/clusterrolebindings?dryRun=All`, { metadata: { name: "rare" }, roleRef: ref("") })),
  byAlice(post(`${rbac}/clusterrolebindings?dryRun=All`, { metadata: { name: "rare" }, roleRef: ref("rare-missing") })),
  ...["rare-all", "rare-pods", "rare-aggregate", "rare-writer"].map((name) =>
    quiet(remove(`${rbac}/clusterroles/${name}`)),
  ),
  quiet(remove(`${rbac}/clusterrolebindings/rare-writer`)),
);

/** Rights to escalate roles with a name, which a POST doesn't have, but an apply. */
const escalateByName = one(
  "escalate-by-name",
  quiet(
    post(
      `${rbac}/clusterroles`,
      role("rare-escalate", [
        { verbs, apiGroups: [group], resources: ["roles"] },
        { verbs: ["get"], apiGroups: [""], resources: ["pods"] },
        { verbs: ["escalate"], apiGroups: [group], resources: ["roles"], resourceNames: ["rare"] },
      ]),
    ),
  ),
  quiet(
    post(`${rbac}/clusterrolebindings`, {
      metadata: { name: "rare-escalate" },
      roleRef: ref("rare-escalate"),
      subjects: [{ kind: "User", name: "alice" }],
    }),
  ),
  quiet(post(`${rbac}/namespaces/\${ns}/roles`, role("rare", []))),
  { ...byAlice(get(`${rbac}/namespaces/\${ns}/roles/rare`, { until: 200 })), silent: true },
  byAlice(
    patch(`${rbac}/namespaces/\${ns}/roles/rare?dryRun=All`, "merge", {
      rules: [{ verbs: ["get"], apiGroups: [""], resources: ["nodes"] }],
    }),
  ),
  quiet(remove(`${rbac}/namespaces/\${ns}/roles/rare`)),
  byAlice(
    post(
      `${rbac}/namespaces/\${ns}/roles?dryRun=All`,
      role("rare", [{ verbs: ["get"], apiGroups: [""], resources: ["nodes"] }]),
    ),
  ),
  ...["rare", "rare-other"].map((name) =>
    byAlice(
      apply(`${rbac}/namespaces/\${ns}/roles/${name}`, "m", {
        apiVersion: `${group}/v1`,
        kind: "Role",
        ...role(name, [{ verbs: ["get"], apiGroups: [""], resources: ["nodes"] }]),
      }),
    ),
  ),
  quiet(remove(`${rbac}/namespaces/\${ns}/roles/rare`)),
  quiet(remove(`${rbac}/clusterroles/rare-escalate`)),
  quiet(remove(`${rbac}/clusterrolebindings/rare-escalate`)),
);

/** Reviews of tokens whose status says something already. */
const tokenReviews = one(
  "token-reviews",
  ...[{ token: "nope" }, { token: "alice-token" }, { token: "alice-token", audiences: ["other"] }].flatMap((spec) =>
    [{}, { status: { authenticated: true, user: { username: "x" }, audiences: ["a"], error: "e" } }].map((more) =>
      post("/apis/authentication.k8s.io/v1/tokenreviews", { spec, ...more }),
    ),
  ),
);

/** Evictions with invalid options, of a pod and of none. */
const evictionOptions = one(
  "eviction-options",
  quiet(post(pods, pod("rare"))),
  ...["rare", "rare-missing"].flatMap((name) =>
    [{ dryRun: ["Some"] }, { dryRun: ["All"], propagationPolicy: "Some" }].map((deleteOptions) =>
      post(`${pods}/${name}/eviction`, {
        apiVersion: "policy/v1",
        kind: "Eviction",
        metadata: { name },
        deleteOptions,
      }),
    ),
  ),
  quiet(remove(`${pods}/rare`, { gracePeriodSeconds: 0 })),
);

/** Writes that common clients don't send. */
export const rareWrites: Topic = {
  name: "rare-writes",
  probes: [
    ...metadataProbes,
    numbers,
    generation,
    selectors,
    quotas,
    escalation,
    escalateByName,
    tokenReviews,
    evictionOptions,
    ...mutationProbes,
  ],
};
