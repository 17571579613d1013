import type { Probe, Step, Topic } from "../probe.js";
import { cm, configMaps, get, one, post } from "./generic.js";
import { definition, deployment, deployments, patchFor, pod, pods, services, widget, widgets } from "./writes.js";

type Json = Record<string, unknown>;
const remove = (path: string, json?: unknown): Step => ({
  method: "DELETE",
  path,
  ...(json === undefined ? {} : { json }),
});
const put = (path: string, json: unknown): Step => ({ method: "PUT", path, json });
const made = (name: string, labels: Json = {}): Step => post(configMaps, { ...cm(name), metadata: { name, labels } });

const versions = ["", "0", "${rv}", "1", "999999999", "abc"];
const matches = ["", "Exact", "NotOlderThan", "exact"];
const limits = ["", "0", "2", "-1", "abc"];
const query = (values: Json): string =>
  Object.entries(values)
    .filter(([, value]) => value !== "")
    .map(([key, value]) => `${key}=${String(value)}`)
    .join("&");

/** Lists and watches from every start version. */
export const starts: Topic = {
  name: "starts",
  setup: [
    made("a", { x: "1" }),
    { ...made("b", { x: "2" }), capture: { rv: "/metadata/resourceVersion" } },
    made("c", { x: "1" }),
    made("d"),
  ],
  probes: [
    ...versions.flatMap((resourceVersion) =>
      matches.flatMap((resourceVersionMatch) =>
        limits.map((limit) =>
          one(
            `list/${query({ resourceVersion, resourceVersionMatch, limit })}`,
            get(`${configMaps}?${query({ resourceVersion, resourceVersionMatch, limit })}`),
          ),
        ),
      ),
    ),
    ...versions.flatMap((resourceVersion) =>
      matches.map((resourceVersionMatch) =>
        one(
          `continue/${query({ resourceVersion, resourceVersionMatch })}`,
          { ...get(`${configMaps}?limit=2`), capture: { next: "/metadata/continue" } },
          get(`${configMaps}?limit=1&continue=\${next}&${query({ resourceVersion, resourceVersionMatch })}`),
          get(`${configMaps}?continue=\${next}&${query({ resourceVersion, resourceVersionMatch })}`),
        ),
      ),
    ),
    ...versions.flatMap((resourceVersion) =>
      ["", "NotOlderThan", "Exact"].flatMap((resourceVersionMatch) =>
        ["", "true", "false"].flatMap((sendInitialEvents) =>
          ["", "true"].map((allowWatchBookmarks) => {
            const text = query({ resourceVersion, resourceVersionMatch, sendInitialEvents, allowWatchBookmarks });
            return one(`watch/${text}`, {
              ...get(`${configMaps}?watch=1&timeoutSeconds=1&${text}`),
              ...(resourceVersion === "1" ? { ignore: ["/*"] } : {}),
            });
          }),
        ),
      ),
    ),
    ...["x=1", "x!=1", "!x", "x in (1,2)", "x notin (1)"].map((selector) =>
      one(
        `selected/${selector}`,
        get(`${configMaps}?labelSelector=${encodeURIComponent(selector)}`),
        get(`${configMaps}?limit=1&labelSelector=${encodeURIComponent(selector)}`),
        get(`${configMaps}?watch=1&timeoutSeconds=1&resourceVersion=0&labelSelector=${encodeURIComponent(selector)}`),
      ),
    ),
    ...["metadata.name=a", "metadata.name!=a", "metadata.name=a,metadata.namespace=${ns}"].map((selector) =>
      one(
        `fields/${selector}`,
        get(`${configMaps}?fieldSelector=${encodeURIComponent(selector).replace("%24%7Bns%7D", "${ns}")}`),
        get(
          `${configMaps}?watch=1&timeoutSeconds=1&resourceVersion=0&fieldSelector=${encodeURIComponent(selector).replace("%24%7Bns%7D", "${ns}")}`,
        ),
      ),
    ),
    ...["", "&resourceVersion=0", "&resourceVersion=${rv}", "&timeoutSeconds=0", "&timeoutSeconds=abc"].flatMap(
      (more) => [
        one(`deprecated/${more}`, get(`/api/v1/watch/namespaces/\${ns}/configmaps?timeoutSeconds=1${more}`)),
        one(`deprecated-named/${more}`, get(`/api/v1/watch/namespaces/\${ns}/configmaps/a?timeoutSeconds=1${more}`)),
      ],
    ),
  ],
};

const deleteBodies: readonly unknown[] = [
  {},
  { preconditions: { uid: "nope" } },
  { preconditions: { resourceVersion: "1" } },
  { preconditions: { uid: "${uid}" } },
  { preconditions: { uid: "${uid}", resourceVersion: "${rv}" } },
  { propagationPolicy: "Orphan" },
  { propagationPolicy: "Foreground" },
  { propagationPolicy: "Background" },
  { propagationPolicy: "x" },
  { orphanDependents: true },
  { orphanDependents: false },
  { orphanDependents: true, propagationPolicy: "Orphan" },
  { gracePeriodSeconds: 0 },
  { gracePeriodSeconds: 5 },
  { gracePeriodSeconds: -1 },
  { gracePeriodSeconds: "x" },
  { dryRun: ["All"] },
  { dryRun: ["x"] },
  { dryRun: "All" },
  { dryRun: [] },
  { kind: "Pod" },
  { kind: "DeleteOptions", apiVersion: "v1" },
  { kind: "DeleteOptions", apiVersion: "meta.k8s.io/v1" },
  { kind: "DeleteOptions", apiVersion: "apps/v1" },
  { kind: "DeleteOptions", apiVersion: "none/v1" },
  { bogus: 1 },
  { ignoreStoreReadErrorWithClusterBreakingPotential: true },
  [],
  "x",
  null,
];

/** Deletions with every option, and the remaining objects. */
export const deletions: Topic = {
  name: "delete",
  setup: [
    post("/apis/apiextensions.k8s.io/v1/customresourcedefinitions", definition),
    ...Array.from({ length: 10 }, () => ({ ...get("/openapi/v3"), silent: true })),
  ],
  probes: [
    ...deleteBodies.flatMap((body, at) =>
      (
        [
          [configMaps, cm(`d${at}`), "ConfigMap"],
          [pods, pod(`d${at}`), "Pod"],
          [widgets, widget(`d${at}`), "Widget"],
        ] as const
      ).map(([collection, object, kind]) =>
        one(
          `${kind}/${JSON.stringify(body)}`,
          {
            ...post(collection, object),
            capture: { uid: "/metadata/uid", rv: "/metadata/resourceVersion" },
            silent: true,
          },
          remove(`${collection}/d${at}`, body),
          get(`${collection}/d${at}`),
          remove(`${collection}/d${at}`, { gracePeriodSeconds: 0 }),
          { ...patchFor(`${collection}/d${at}`, "merge", { metadata: { finalizers: null } }), silent: true },
        ),
      ),
    ),
    ...(["Orphan", "Foreground", "Background"] as const).map((policy) =>
      one(
        `finalizers/${policy}`,
        post(configMaps, { ...cm("fin"), metadata: { name: "fin", finalizers: ["a/b"] } }),
        remove(`${configMaps}/fin?propagationPolicy=${policy}`),
        remove(`${configMaps}/fin`),
        put(`${configMaps}/fin`, { ...cm("fin"), data: { a: "b" } }),
        patchFor(`${configMaps}/fin`, "merge", { metadata: { finalizers: ["a/b", "c/d"] } }),
        patchFor(`${configMaps}/fin`, "merge", { metadata: { finalizers: [] } }),
        get(`${configMaps}/fin`),
      ),
    ),
    ...[
      "?labelSelector=x%3D1",
      "?fieldSelector=metadata.name%3Dcol2",
      "?limit=1",
      "?dryRun=All",
      "?resourceVersion=1",
      "?resourceVersionMatch=Exact",
      "?propagationPolicy=Orphan",
      "?labelSelector=%3D",
      "?sendInitialEvents=true",
      "?continue=x",
      "?timeoutSeconds=1",
      "",
    ].map((text) =>
      one(
        `collection/${text}`,
        { ...made("col1", { x: "1" }), silent: true },
        { ...made("col2"), silent: true },
        remove(`${configMaps}${text}`),
        get(configMaps),
        { ...remove(configMaps), silent: true },
      ),
    ),
    ...[deployments, services, pods, widgets].map((collection) =>
      one(`collection-of/${collection}`, remove(collection), get(collection)),
    ),
  ],
};

const scale = (replicas: unknown, more: Json = {}): Json => ({
  apiVersion: "autoscaling/v1",
  kind: "Scale",
  metadata: { name: "dep", namespace: "${ns}", ...more },
  spec: { replicas },
});
const eviction = (name: string, more: Json = {}): Json => ({
  apiVersion: "policy/v1",
  kind: "Eviction",
  metadata: { name },
  ...more,
});
const binding = (name: string, target: Json): Json => ({
  apiVersion: "v1",
  kind: "Binding",
  metadata: { name },
  target,
});
const token = (spec: Json): Json => ({ apiVersion: "authentication.k8s.io/v1", kind: "TokenRequest", spec });
const secrets = ["/status/token", "/status/expirationTimestamp"];

/** Subresources and reviews. */
export const subresources: Topic = {
  name: "subresources",
  setup: [
    post(deployments, deployment("dep")),
    post(pods, pod("pod")),
    post("/api/v1/namespaces/${ns}/serviceaccounts", {
      apiVersion: "v1",
      kind: "ServiceAccount",
      metadata: { name: "robot" },
    }),
    post("/apis/policy/v1/namespaces/${ns}/poddisruptionbudgets", {
      apiVersion: "policy/v1",
      kind: "PodDisruptionBudget",
      metadata: { name: "pdb" },
      spec: { minAvailable: 1, selector: { matchLabels: { a: "b" } } },
    }),
  ],
  probes: [
    one("scale/get", get(`${deployments}/dep/scale`), get(`${deployments}/none/scale`)),
    ...[2, 0, -1, "2", null, 1.5, 2 ** 31].map((replicas) =>
      one(`scale/put ${String(replicas)}`, put(`${deployments}/dep/scale`, scale(replicas)), get(`${deployments}/dep`)),
    ),
    ...[{ name: "other" }, { namespace: "other" }, { resourceVersion: "1" }, { uid: "x" }, { labels: { a: "b" } }].map(
      (more) => one(`scale/meta ${JSON.stringify(more)}`, put(`${deployments}/dep/scale`, scale(3, more))),
    ),
    ...(["merge", "json", "strategic", "apply"] as const).map((type) =>
      one(
        `scale/patch ${type}`,
        patchFor(
          `${deployments}/dep/scale`,
          type,
          type === "json"
            ? [{ op: "replace", path: "/spec/replicas", value: 4 }]
            : { ...(type === "apply" ? scale(4) : { spec: { replicas: 4 } }) },
        ),
        get(`${deployments}/dep`),
      ),
    ),
    one("scale/dry", put(`${deployments}/dep/scale?dryRun=All`, scale(9)), get(`${deployments}/dep/scale`)),
    ...[
      eviction("pod"),
      eviction("other"),
      eviction(""),
      eviction("pod", { deleteOptions: { dryRun: ["All"] } }),
      eviction("pod", { deleteOptions: { preconditions: { uid: "x" } } }),
      { ...eviction("pod"), apiVersion: "policy/v1beta1" },
      { ...eviction("pod"), apiVersion: "policy/v2" },
      {},
      { ...eviction("pod"), bogus: 1 },
      { kind: "Pod", apiVersion: "v1", metadata: { name: "pod" } },
    ].map((body, at) =>
      one(
        `eviction/${at} ${JSON.stringify(body).slice(0, 60)}`,
        post(`${pods}/pod/eviction?dryRun=All`, body),
        post(`${pods}/none/eviction`, body),
      ),
    ),
    ...[
      { kind: "Node", name: "n1" },
      { kind: "Pod", name: "n1" },
      { name: "" },
      { apiVersion: "v2", kind: "Node", name: "n" },
      {},
    ].flatMap((target) => [
      one(
        `binding/${JSON.stringify(target)}`,
        post(`${pods}/pod/binding?dryRun=All`, binding("pod", target)),
        post("/api/v1/namespaces/${ns}/bindings?dryRun=All", binding("pod", target)),
        post(`${pods}/pod/binding?dryRun=All`, binding("other", target)),
      ),
    ]),
    ...[
      {},
      { audiences: ["a"] },
      { expirationSeconds: 600 },
      { expirationSeconds: 1 },
      { expirationSeconds: 2 ** 33 },
      { boundObjectRef: { kind: "Pod", apiVersion: "v1", name: "pod" } },
      { boundObjectRef: { kind: "Pod", apiVersion: "v1", name: "none" } },
      { boundObjectRef: { kind: "ConfigMap", apiVersion: "v1", name: "x" } },
      { boundObjectRef: { kind: "Pod", apiVersion: "v1", name: "pod", uid: "x" } },
      { audiences: [""] },
    ].map((spec) =>
      one(
        `token/${JSON.stringify(spec)}`,
        { ...post("/api/v1/namespaces/${ns}/serviceaccounts/robot/token", token(spec)), ignore: secrets },
        { ...post("/api/v1/namespaces/${ns}/serviceaccounts/none/token", token(spec)), ignore: secrets },
      ),
    ),
    ...(
      [
        { verb: "get", resource: "pods" },
        { verb: "*", resource: "*", group: "*" },
        { verb: "get", resource: "pods", subresource: "log", name: "x", namespace: "y" },
        {},
      ] as Json[]
    ).flatMap((resourceAttributes) =>
      ["selfsubjectaccessreviews", "subjectaccessreviews"].flatMap((kind) =>
        ["admin-token", "alice-token"].map((user) =>
          one(`${kind}/${user} ${JSON.stringify(resourceAttributes)}`, {
            ...post(`/apis/authorization.k8s.io/v1/${kind}`, {
              spec: { resourceAttributes, ...(kind.startsWith("self") ? {} : { user: "alice", groups: ["dev"] }) },
            }),
            token: user,
          }),
        ),
      ),
    ),
    ...(
      [
        {},
        { nonResourceAttributes: { path: "/healthz", verb: "get" } },
        { nonResourceAttributes: { path: "/x" }, resourceAttributes: { verb: "get" } },
        { resourceAttributes: { verb: "list", resource: "pods", fieldSelector: { rawSelector: "a=b" } } },
        {
          resourceAttributes: {
            verb: "list",
            resource: "pods",
            labelSelector: { rawSelector: "a=b", requirements: [{ key: "a", operator: "In", values: ["b"] }] },
          },
        },
      ] as Json[]
    ).flatMap((spec) => [
      one(
        `selfsubjectaccessreviews/${JSON.stringify(spec)}`,
        post("/apis/authorization.k8s.io/v1/selfsubjectaccessreviews", { spec }),
      ),
      one(
        `subjectaccessreviews/${JSON.stringify(spec)}`,
        post("/apis/authorization.k8s.io/v1/subjectaccessreviews", { spec }),
      ),
      one(
        `localsubjectaccessreviews/${JSON.stringify(spec)}`,
        post("/apis/authorization.k8s.io/v1/namespaces/${ns}/localsubjectaccessreviews", {
          spec: { user: "alice", ...spec },
        }),
      ),
    ]),
    ...["", "${ns}"].map((namespace) =>
      one(`selfsubjectrulesreviews/${namespace}`, {
        ...post("/apis/authorization.k8s.io/v1/selfsubjectrulesreviews", { spec: { namespace } }),
        token: "alice-token",
      }),
    ),
    ...["", "admin-token", "x"].map((text) =>
      one(
        `tokenreviews/${text}`,
        post("/apis/authentication.k8s.io/v1/tokenreviews", { spec: { token: text } }),
        post("/apis/authentication.k8s.io/v1/tokenreviews", { spec: { token: text, audiences: ["a"] } }),
      ),
    ),
    one(
      "selfsubjectreviews",
      post("/apis/authentication.k8s.io/v1/selfsubjectreviews", {}),
      { ...post("/apis/authentication.k8s.io/v1/selfsubjectreviews", {}), token: "alice-token" },
      post("/apis/authentication.k8s.io/v1/selfsubjectreviews", { metadata: { name: "x" } }),
    ),
    ...["status", "ephemeralcontainers", "resize"].flatMap((sub) => [
      one(
        `pods/${sub}`,
        get(`${pods}/pod/${sub}`),
        put(`${pods}/pod/${sub}`, pod("pod")),
        put(`${pods}/pod/${sub}`, pod("other")),
        patchFor(`${pods}/pod/${sub}`, "merge", { metadata: { labels: { z: "y" } } }),
        patchFor(`${pods}/pod/${sub}`, "merge", { status: { phase: "Running" } }),
        get(`${pods}/pod`),
        post(`${pods}/pod/${sub}`, {}),
        remove(`${pods}/pod/${sub}`),
      ),
    ]),
  ],
};

const names = [
  "__proto__",
  "constructor",
  "toString",
  "a",
  "A",
  "a.b",
  "a..b",
  "-a",
  "a-",
  "a/b",
  "a%2Fb",
  "ä",
  "a b",
  "a%00",
  "x".repeat(253),
  "x".repeat(254),
  "a_b",
  "a:b",
  "1",
];
const keys = [
  "__proto__",
  "constructor",
  "prototype",
  "hasOwnProperty",
  "toString",
  "a.b",
  "..",
  "",
  " ",
  "é",
  "x".repeat(254),
  "a/b",
];

/** Difficult names and keys, and generated names. */
export const hostile: Topic = {
  name: "hostile",
  setup: [],
  probes: [
    ...names.flatMap((name) => [
      one(
        `name/${name.slice(0, 20)}${name.length}`,
        get(`${configMaps}/${encodeURI(name).replace(/%25/g, "%")}`),
        { ...post(configMaps, cm(name)), ignore: [] },
        get(`${configMaps}/${encodeURI(name).replace(/%25/g, "%")}`),
        remove(`${configMaps}/${encodeURI(name).replace(/%25/g, "%")}`),
        put(`${configMaps}/${encodeURI(name).replace(/%25/g, "%")}`, cm(name)),
      ),
    ]),
    ...keys.flatMap((key) => [
      one(
        `data/${key.slice(0, 20)}`,
        {
          method: "POST",
          path: `${configMaps}`,
          headers: { "content-type": "application/json" },
          raw: `{"metadata":{"name":"key"},"data":{${JSON.stringify(key)}:"1"}}`,
        },
        get(`${configMaps}/key`),
        patchFor(`${configMaps}/key`, "merge", `{"data":{${JSON.stringify(key)}:null,"z":"1"}}`),
        patchFor(`${configMaps}/key`, "strategic", `{"data":{${JSON.stringify(key)}:"2"}}`),
        patchFor(
          `${configMaps}/key`,
          "json",
          `[{"op":"add","path":"/data/${key.replaceAll("~", "~0").replaceAll("/", "~1")}","value":"3"}]`,
        ),
        patchFor(
          `${configMaps}/key`,
          "apply",
          `{"apiVersion":"v1","kind":"ConfigMap","metadata":{"name":"key"},"data":{${JSON.stringify(key)}:"4"}}`,
          "&force=true",
        ),
        { ...remove(`${configMaps}/key`), silent: true },
      ),
      one(`label/${key.slice(0, 20)}`, {
        method: "POST",
        path: `${configMaps}?dryRun=All`,
        headers: { "content-type": "application/json" },
        raw: `{"metadata":{"name":"key","labels":{${JSON.stringify(key)}:"1"},"annotations":{${JSON.stringify(key)}:"1"}}}`,
      }),
      one(`top/${key.slice(0, 20)}`, {
        method: "POST",
        path: `${configMaps}?dryRun=All&fieldValidation=Strict`,
        headers: { "content-type": "application/json" },
        raw: `{"metadata":{"name":"key",${JSON.stringify(key)}:{"a":1}},${JSON.stringify(key)}:{"a":1}}`,
      }),
    ]),
    ...["g-", "G-", "", "x".repeat(300), "a.b.", "__proto__", "-"].map((generateName) =>
      one(
        `generate/${generateName.slice(0, 20)}`,
        { ...post(configMaps, { metadata: { generateName } }), ignore: ["/metadata/name"] },
        { ...post(configMaps, { metadata: { generateName, name: "named" } }) },
        { ...remove(`${configMaps}/named`), silent: true },
      ),
    ),
    ...[
      { uid: "x" },
      { resourceVersion: "5" },
      { resourceVersion: "x" },
      { creationTimestamp: "2001-01-01T00:00:00Z" },
      { deletionTimestamp: "2001-01-01T00:00:00Z" },
      { generation: 7 },
      { selfLink: "x" },
      { namespace: "other" },
      { managedFields: [{ manager: "x" }] },
      {
        ownerReferences: [
          { apiVersion: "v1", kind: "Pod", name: "p", uid: "u", controller: true },
          { apiVersion: "v1", kind: "Pod", name: "q", uid: "v", controller: true },
        ],
      },
      { finalizers: ["x"] },
      { finalizers: ["orphan", "foregroundDeletion"] },
      { deletionGracePeriodSeconds: 3 },
    ].map((more) =>
      one(
        `meta/${JSON.stringify(more).slice(0, 60)}`,
        post(`${configMaps}?dryRun=All`, { metadata: { name: "meta", ...more } }),
        put(`${configMaps}/meta?dryRun=All`, { metadata: { name: "meta", ...more } }),
      ),
    ),
    ...[
      "{",
      "[]",
      "null",
      "",
      '"x"',
      '{"metadata":null}',
      '{"metadata":[]}',
      '{"kind":1}',
      '{"a":1}{"b":2}',
      "{} x",
      "\u0000",
      "\ufeff{}",
      '{"data":{"a":"\\ud800"}}',
      `${"[".repeat(10_001)}`,
      `{"data":{"a":${"[".repeat(200)}${"]".repeat(200)}}}`,
      '{"metadata":{"name":"a","name":"b"}}',
      '{"Metadata":{"name":"a"}}',
      '{"metadata":{"name":"n"},"immutable":"x"}',
      '{"metadata":{"name":"n"},"data":{"a":null}}',
      '{"metadata":{"name":"n"},"binaryData":{"a":"***"}}',
      '{"metadata":{"generation":1.5}}',
      '{"metadata":{"generation":1e400}}',
    ].flatMap((raw, at) =>
      ["application/json", "application/yaml"].map((type) =>
        one(`body/${type} ${at} ${raw.slice(0, 20)}`, {
          method: "POST",
          path: `${configMaps}?dryRun=All`,
          headers: { "content-type": type },
          raw,
        }),
      ),
    ),
  ],
};

const impersonations: readonly (readonly [string, Readonly<Record<string, string>>])[] = [
  ["user", { "impersonate-user": "bob" }],
  ["group", { "impersonate-user": "bob", "impersonate-group": "g" }],
  ["masters", { "impersonate-user": "bob", "impersonate-group": "system:masters" }],
  ["group-alone", { "impersonate-group": "g" }],
  ["uid", { "impersonate-user": "bob", "impersonate-uid": "u" }],
  ["uid-alone", { "impersonate-uid": "u" }],
  ["extra", { "impersonate-user": "bob", "impersonate-extra-scopes": "a" }],
  ["extra-alone", { "impersonate-extra-scopes": "a" }],
  ["extra-key", { "impersonate-user": "bob", "impersonate-extra-Ac%2Fme": "a" }],
  ["account", { "impersonate-user": "system:serviceaccount:default:x" }],
  ["bad-account", { "impersonate-user": "system:serviceaccount:x" }],
  ["node", { "impersonate-user": "system:node:n1" }],
  ["anonymous", { "impersonate-user": "system:anonymous" }],
  ["empty", { "impersonate-user": "" }],
];

/** Impersonation. */
export const impersonation: Topic = {
  name: "impersonation",
  setup: [],
  probes: impersonations.flatMap(([name, headers]): Probe[] =>
    ["admin-token", "alice-token", ""].flatMap((user) => [
      one(
        `${name}/${user}`,
        { ...get(configMaps), token: user, headers },
        { ...post("/apis/authentication.k8s.io/v1/selfsubjectreviews", {}), token: user, headers },
        { ...get("/api", headers), token: user },
      ),
    ]),
  ),
};
