import type { Probe, Step, Topic } from "../probe.js";
import { deletionSteps, objectOf } from "./fuzz.js";
import { kindFixtures } from "./kinds.js";
import type { Json } from "./scenarios/steps.js";
import {
  configMap,
  configMaps,
  container,
  core,
  defined,
  definitions,
  deployment,
  deployments,
  get,
  one,
  patch,
  pod,
  pods,
  post,
  put,
  quiet,
  remove,
  served,
  typed,
  version,
  watch,
} from "./scenarios/steps.js";
import { subjects } from "./statuses.js";

const nameOf = (object: Json): string => (object["metadata"] as Json)["name"] as string;
const tableType = "application/json;as=Table;v=v1;g=meta.k8s.io";
const table = (path: string, more: Partial<Step> = {}): Step => get(path, { headers: { accept: tableType }, ...more });

/**
 * Tables of every kind with a full status: of one object, of lists, of watches, and with every `includeObject` policy.
 */
export const shownStatuses: Topic = {
  name: "shown",
  probes: subjects.map(
    ({ fixture, object, path, status }): Probe =>
      one(
        fixture.name,
        quiet(post(fixture.collection, object)),
        { ...get(path, { capture: { rv: "/metadata/resourceVersion" } }), silent: true },
        quiet(
          put(`${path}/status`, {
            ...object,
            metadata: { ...(object["metadata"] as Json), resourceVersion: "${rv}" },
            status,
          }),
        ),
        ...["None", "Metadata", "Object", "Bogus", ""].map((include) => table(`${path}?includeObject=${include}`)),
        table(`${fixture.collection}?fieldSelector=metadata.name%3D${nameOf(object)}`),
        table(`${fixture.collection}?watch=1&timeoutSeconds=1&fieldSelector=metadata.name%3D${nameOf(object)}`),
        get(path, { headers: { accept: "application/json;as=PartialObjectMetadata;v=v1;g=meta.k8s.io" } }),
        get(`${path}/status`, { headers: { accept: tableType } }),
        deletionSteps(fixture, path),
      ),
  ),
};

const budgets = "/apis/policy/v1/namespaces/${ns}/poddisruptionbudgets";
const evict = (name: string, more: Json = {}, query = ""): Step =>
  post(`${pods}/${name}/eviction${query}`, { apiVersion: "policy/v1", kind: "Eviction", metadata: { name }, ...more });
const budget = (name: string, spec: Json): Json => ({
  metadata: { name },
  spec: { selector: { matchLabels: { a: "b" } }, ...spec },
});
const budgetStatus = (status: Json): Step =>
  patch(`${budgets}/b/status`, "merge", { status: { observedGeneration: 1, ...status } });
const running = (ready: boolean): Step =>
  patch(`${pods}/e/status`, "merge", {
    status: { phase: "Running", conditions: [{ type: "Ready", status: ready ? "True" : "False" }] },
  });
const budgetStatuses: readonly (readonly [name: string, status: Json])[] = [
  ["none", {}],
  ["allows", { disruptionsAllowed: 1, currentHealthy: 2, desiredHealthy: 1, expectedPods: 2 }],
  ["two", { disruptionsAllowed: 2, currentHealthy: 3, desiredHealthy: 1, expectedPods: 3 }],
  ["refuses", { disruptionsAllowed: 0, currentHealthy: 1, desiredHealthy: 1, expectedPods: 1 }],
  ["negative", { disruptionsAllowed: -1 }],
  ["old", { observedGeneration: 0, disruptionsAllowed: 1 }],
  ["unhealthy", { disruptionsAllowed: 0, currentHealthy: 0, desiredHealthy: 1, expectedPods: 1 }],
  ["more", { disruptionsAllowed: 0, currentHealthy: 3, desiredHealthy: 1, expectedPods: 3 }],
  [
    "failed",
    {
      disruptionsAllowed: 0,
      currentHealthy: 3,
      desiredHealthy: 1,
      conditions: [
        {
          type: "DisruptionAllowed",
          status: "False",
          reason: "SyncFailed",
          message: "broken",
          lastTransitionTime: "2001-01-01T00:00:00Z",
        },
      ],
    },
  ],
  [
    "reason",
    {
      disruptionsAllowed: 0,
      currentHealthy: 3,
      desiredHealthy: 1,
      conditions: [
        {
          type: "DisruptionAllowed",
          status: "False",
          reason: "Other",
          message: "words",
          lastTransitionTime: "2001-01-01T00:00:00Z",
        },
      ],
    },
  ],
  [
    "known",
    { disruptionsAllowed: 1, currentHealthy: 2, desiredHealthy: 1, disruptedPods: { e: "2001-01-01T00:00:00Z" } },
  ],
];
const timeless = { ignore: ["/status/disruptedPods"] };

/** Evictions of pods in every state with budgets in every state. */
export const evictions: Topic = {
  name: "eviction",
  probes: [
    ...budgetStatuses.flatMap(([name, status]) =>
      ["IfHealthyBudget", "AlwaysAllow"].flatMap((policy) =>
        (["ready", "unready", "pending", "done"] as const).map(
          (state): Probe =>
            one(
              `${name}/${policy}/${state}`,
              quiet(post(pods, pod("e", { nodeName: "n" }, { labels: { a: "b" } }))),
              quiet(post(budgets, budget("b", { minAvailable: 1, unhealthyPodEvictionPolicy: policy }))),
              quiet(budgetStatus(status)),
              ...(state === "pending"
                ? []
                : [
                    quiet(
                      state === "done"
                        ? patch(`${pods}/e/status`, "merge", { status: { phase: "Succeeded" } })
                        : running(state === "ready"),
                    ),
                  ]),
              evict("e", {}, "?dryRun=All"),
              evict("e"),
              get(`${budgets}/b`, timeless),
              get(`${pods}/e`),
              evict("e"),
              quiet(remove(`${pods}/e?gracePeriodSeconds=0`)),
              quiet(remove(`${budgets}/b`)),
            ),
        ),
      ),
    ),
    ...(
      [
        ["grace", { deleteOptions: { gracePeriodSeconds: 0 } }],
        ["negative", { deleteOptions: { gracePeriodSeconds: -1 } }],
        ["policy", { deleteOptions: { propagationPolicy: "Foreground" } }],
        ["bad-policy", { deleteOptions: { propagationPolicy: "X" } }],
        ["uid", { deleteOptions: { preconditions: { uid: "x" } } }],
        ["version", { deleteOptions: { preconditions: { resourceVersion: "1" } } }],
        ["dry", { deleteOptions: { dryRun: ["All"] } }],
        ["dry-bad", { deleteOptions: { dryRun: ["X"] } }],
        ["kind", { deleteOptions: { kind: "X", apiVersion: "v9" } }],
        ["both", { deleteOptions: { orphanDependents: true, propagationPolicy: "Orphan" } }],
        ["unknown", { deleteOptions: { bogus: 1 } }],
        ["namespace", { metadata: { name: "e", namespace: "other" } }],
        ["labels", { metadata: { name: "e", labels: { "a b": "c" } } }],
        ["generate", { metadata: { generateName: "e" } }],
      ] as const
    ).map(([name, more]) =>
      one(
        `options/${name}`,
        quiet(post(pods, pod("e", { nodeName: "n" }, { labels: { a: "b" } }))),
        evict("e", more),
        get(`${pods}/e`),
        quiet(remove(`${pods}/e?gracePeriodSeconds=0`)),
      ),
    ),
    ...(["merge", "json", "strategic"] as const).map((type) =>
      one(`method/${type}`, patch(`${pods}/e/eviction`, type, type === "json" ? [] : {})),
    ),
    one("method/get", get(`${pods}/e/eviction`), put(`${pods}/e/eviction`, {}), remove(`${pods}/e/eviction`)),
    one(
      "two-budgets",
      quiet(post(pods, pod("e", { nodeName: "n" }, { labels: { a: "b" } }))),
      quiet(running(true)),
      quiet(post(budgets, budget("b", { minAvailable: 1 }))),
      quiet(post(budgets, budget("c", { selector: {} }))),
      evict("e"),
      quiet(remove(`${budgets}/b`)),
      quiet(remove(`${budgets}/c`)),
      evict("e"),
      get(`${pods}/e`),
      quiet(remove(`${pods}/e?gracePeriodSeconds=0`)),
    ),
    ...(
      [
        ["empty", {}],
        ["none", null],
        ["expression", { matchExpressions: [{ key: "a", operator: "Exists" }] }],
        ["other", { matchLabels: { a: "c" } }],
      ] as const
    ).map(([name, selector]) =>
      one(
        `selector/${name}`,
        quiet(post(pods, pod("e", { nodeName: "n" }, { labels: { a: "b" } }))),
        quiet(running(true)),
        quiet(post(budgets, { metadata: { name: "b" }, spec: { minAvailable: 1, selector } })),
        quiet(budgetStatus({ disruptionsAllowed: 0 })),
        evict("e"),
        quiet(remove(`${pods}/e?gracePeriodSeconds=0`)),
        quiet(remove(`${budgets}/b`)),
      ),
    ),
    ...[
      "/api/v1/namespaces/none/pods/x/eviction",
      "/api/v1/namespaces/none/pods/x/binding",
      "/api/v1/namespaces/none/serviceaccounts/x/token",
      "/api/v1/namespaces/none/bindings",
      "/api/v1/namespaces/none/pods/x/exec?command=a",
      "/api/v1/namespaces/none/pods/x/attach",
      "/api/v1/namespaces/none/pods/x/proxy",
      "/api/v1/namespaces/none/services/x/proxy",
      "/api/v1/namespaces/none/pods/x/log",
      "/api/v1/namespaces/none/pods/x/status",
      "/apis/apps/v1/namespaces/none/deployments/x/scale",
    ].map((path) =>
      one(
        `nowhere${path}`,
        post(path, path.includes("eviction") ? { metadata: { name: "x" } } : {}),
        get(path),
        put(path, {}),
        patch(path, "merge", {}),
        remove(path),
      ),
    ),
  ],
};

const group = "surface.cf.dev";
const shape = (properties: Json): Json => version("v1", typed({ spec: typed(properties) }));
const surface = `/apis/${group}/v1`;
const crd = (plural: string, kind: string, spec: Json = {}, names: Json = {}): Json => ({
  apiVersion: "apiextensions.k8s.io/v1",
  kind: "CustomResourceDefinition",
  metadata: { name: `${plural}.${group}` },
  spec: {
    group,
    scope: "Namespaced",
    names: { plural, kind, ...names },
    versions: [shape({ a: { type: "string" } })],
    ...spec,
  },
});
const settled: Step = { ...get("/version"), silent: true, pauseMs: 2500 };
// A real server lists several definitions in random order.
const found: readonly Step[] = [
  get(`/apis/${group}`),
  get(surface, { ignore: ["/resources/0", "/resources/1"] }),
  get("/apis", {
    headers: { accept: "application/json;g=apidiscovery.k8s.io;v=v2;as=APIGroupDiscoveryList" },
    ignore: ["/items"],
  }),
  get(`/openapi/v3/apis/${group}/v1`),
];
const columns = (list: readonly Json[]): Json => ({ additionalPrinterColumns: list });
const column = (type: string, jsonPath: string, more: Json = {}): Json => ({
  name: `${type}${jsonPath}`,
  type,
  jsonPath,
  ...more,
});
const wide = "/apis/wide.cf.dev/v1/namespaces/${ns}/wides";
const values: readonly Json[] = [
  {
    s: "text",
    i: 5,
    n: 1.5,
    b: true,
    d: "2001-01-01T00:00:00Z",
    l: [1, 2],
    o: { x: 1 },
    m: [
      { k: "a", v: 1 },
      { k: "b", v: 2 },
    ],
  },
  { s: "", i: 0, n: 0, b: false, d: "", l: [], o: {}, m: [] },
  {
    s: 'a\nb\t"c"<>&',
    i: -1,
    n: 1e21,
    b: true,
    d: "2999-01-01T00:00:00Z",
    l: ["x", "y"],
    o: { y: { z: [1] } },
    m: [{ k: "only" }],
  },
  { i: 9_007_199_254_740_991, n: 0.000001, d: "no date" },
  { n: 3, l: [true, null, 1.5, "x", { a: 1 }] },
  {},
  { s: "é€😀", i: 2_147_483_648, n: -0.1, d: "2020-02-30T00:00:00Z" },
];

/** Discovery, OpenAPI and tables of definitions while these change. */
export const definedSurfaces: Topic = {
  name: "defined",
  setup: defined("wide.cf.dev", "wides", "Wide", [
    version(
      "v1",
      { type: "object", "x-kubernetes-preserve-unknown-fields": true },
      columns(
        [
          "s",
          "i",
          "n",
          "b",
          "d",
          "l",
          "o",
          "m",
          "l[0]",
          "l[*]",
          "m[*].k",
          'm[?(@.k=="a")].v',
          "o.x",
          "o['x']",
          "none",
          "none.deeper",
          "m[0:1].k",
          "m[-1:].k",
          "..x",
        ].flatMap((path) =>
          ["string", "integer", "number", "boolean", "date"].map((type, at) =>
            column(
              type,
              path.startsWith("..") ? `.spec${path}` : `.spec.${path}`,
              at === 1 ? { format: "int32", priority: 1 } : {},
            ),
          ),
        ),
      ),
    ),
  ]),
  probes: [
    ...values.map((spec, at) =>
      one(
        `columns/${String(at)}`,
        quiet(post(wide, { apiVersion: "wide.cf.dev/v1", kind: "Wide", metadata: { name: `w${String(at)}` }, spec })),
        table(`${wide}/w${String(at)}?includeObject=None`),
      ),
    ),
    one(
      "columns/list",
      table(`${wide}?includeObject=None`),
      table(`${wide}?limit=2&includeObject=Metadata`, { ignore: ["/metadata/continue"] }),
    ),
    one("first", quiet(post(definitions, crd("firsts", "First"))), ...served(`${surface}/firsts`), settled, ...found),
    one(
      "second",
      quiet(
        post(
          definitions,
          crd(
            "seconds",
            "Second",
            { scope: "Cluster" },
            { shortNames: ["se"], categories: ["all", "some"], singular: "second" },
          ),
        ),
      ),
      ...served(`${surface}/seconds`),
      settled,
      ...found,
    ),
    one(
      "subresources",
      quiet(
        patch(`${definitions}/firsts.${group}`, "json", [
          {
            op: "add",
            path: "/spec/versions/0/subresources",
            value: { status: {}, scale: { specReplicasPath: ".spec.n", statusReplicasPath: ".status.n" } },
          },
        ]),
      ),
      settled,
      ...found,
    ),
    one(
      "version",
      quiet(
        patch(`${definitions}/firsts.${group}`, "json", [
          {
            op: "add",
            path: "/spec/versions/-",
            value: {
              ...shape({ b: { type: "integer", format: "int64", minimum: 1, enum: [1, 2] } }),
              name: "v2beta1",
              storage: false,
              deprecated: true,
              deprecationWarning: "old",
            },
          },
        ]),
      ),
      settled,
      ...found,
      get(`/apis/${group}/v2beta1`),
      get(`/openapi/v3/apis/${group}/v2beta1`),
      get(`/apis/${group}/v2beta1/firsts`),
    ),
    one(
      "unserved",
      quiet(
        patch(`${definitions}/firsts.${group}`, "json", [
          { op: "replace", path: "/spec/versions/1/served", value: false },
        ]),
      ),
      settled,
      ...found,
      get(`/apis/${group}/v2beta1`),
      get(`/openapi/v3/apis/${group}/v2beta1`),
    ),
    one(
      "schema",
      quiet(
        patch(`${definitions}/firsts.${group}`, "json", [
          {
            op: "replace",
            path: "/spec/versions/0/schema/openAPIV3Schema",
            value: typed(
              {
                spec: typed({
                  port: { "x-kubernetes-int-or-string": true },
                  raw: { type: "object", "x-kubernetes-preserve-unknown-fields": true },
                  pod: {
                    type: "object",
                    "x-kubernetes-embedded-resource": true,
                    "x-kubernetes-preserve-unknown-fields": true,
                  },
                  map: { type: "object", additionalProperties: { type: "string", maxLength: 5 } },
                  list: {
                    type: "array",
                    "x-kubernetes-list-type": "map",
                    "x-kubernetes-list-map-keys": ["k"],
                    items: typed({ k: { type: "string" } }, { required: ["k"] }),
                  },
                  set: { type: "array", "x-kubernetes-list-type": "set", items: { type: "string" } },
                  whole: typed({ a: { type: "string" } }, { "x-kubernetes-map-type": "atomic" }),
                  maybe: {
                    type: "string",
                    nullable: true,
                    default: "x",
                    description: "Words.",
                    example: "y",
                    title: "T",
                    format: "date-time",
                    pattern: "^a",
                  },
                  either: {
                    type: "object",
                    properties: { a: { type: "string" }, b: { type: "string" } },
                    oneOf: [{ required: ["a"] }, { required: ["b"] }],
                    anyOf: [{ required: ["a"] }],
                    not: { required: ["a", "b"] },
                  },
                  num: { type: "number", minimum: 0, exclusiveMinimum: true, multipleOf: 0.5 },
                  ruled: {
                    type: "string",
                    maxLength: 9,
                    "x-kubernetes-validations": [{ rule: "self != 'x'", message: "no" }],
                  },
                }),
              },
              { required: ["spec"], description: "A first." },
            ),
          },
        ]),
      ),
      settled,
      ...found,
    ),
    one(
      "gone",
      quiet(remove(`${definitions}/seconds.${group}`)),
      settled,
      ...found,
      quiet(remove(`${definitions}/firsts.${group}`)),
      settled,
      ...found,
    ),
    ...["application/json", "application/vnd.kubernetes.protobuf", "application/cbor", "application/yaml"].map(
      (accept) =>
        one(
          `accept/${accept}`,
          get(`/apis/wide.cf.dev/v1`, { headers: { accept } }),
          get("/apis/wide.cf.dev", { headers: { accept } }),
        ),
    ),
  ],
};

const words = (length: number): string => "lorem ipsum ".repeat(Math.ceil(length / 12)).slice(0, length);
const zipped = (path: string, more: Partial<Step> = {}): Step =>
  get(path, {
    ...more,
    headers: { "accept-encoding": "gzip", ...more.headers },
    ignore: ["/$text", "/$bytes", "/body", "/groups"],
  });

/** Answers around the compression threshold, and the headers of all answers. */
export const envelopes: Topic = {
  name: "envelope",
  setup: [
    ...[1000, 120_000, 130_000, 131_072, 140_000].map((size) =>
      post(configMaps, configMap(`s${String(size)}`, { data: { a: words(size) } })),
    ),
    post(deployments, deployment("d")),
  ],
  probes: [
    ...[1000, 120_000, 130_000, 131_072, 140_000].flatMap((size) =>
      ["gzip", "gzip;q=0", "deflate", "identity", "*", "gzip, deflate", "br", ""].flatMap((encoding) => [
        one(
          `gzip/${String(size)}/${encoding}`,
          zipped(`${configMaps}/s${String(size)}`, { headers: { "accept-encoding": encoding } }),
        ),
      ]),
    ),
    ...[
      "application/json",
      "application/yaml",
      "application/vnd.kubernetes.protobuf",
      "application/cbor",
      tableType,
    ].map((accept) =>
      one(
        `media/${accept}`,
        zipped(configMaps, { headers: { accept } }),
        zipped(`${configMaps}?limit=1`, { headers: { accept } }),
      ),
    ),
    one(
      "others",
      zipped("/apis"),
      zipped("/api/v1"),
      zipped("/openapi/v2"),
      zipped("/openapi/v3"),
      zipped("/openapi/v3/api/v1"),
      zipped("/version"),
      zipped("/healthz"),
      zipped("/metrics"),
      zipped("/none"),
      { ...watch(configMaps, "&resourceVersion=0"), headers: { "accept-encoding": "gzip" }, ignore: ["/*"] },
      zipped(`${configMaps}/none`),
      {
        ...patch(`${configMaps}/s140000`, "merge", { metadata: { labels: { a: "b" } } }),
        headers: { "accept-encoding": "gzip", "content-type": "application/merge-patch+json" },
        ignore: ["/body"],
      },
    ),
    ...(
      [
        { "audit-id": "given" },
        { "audit-id": "x".repeat(65) },
        { "audit-id": "" },
        { "x-request-id": "r" },
        { traceparent: "00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01" },
        { origin: "https://a.example" },
        { "if-none-match": "x" },
        { range: "bytes=0-1" },
        { expect: "100-continue" },
      ] as Record<string, string>[]
    ).map((headers) =>
      one(
        `headers/${JSON.stringify(headers).slice(0, 40)}`,
        get(`${configMaps}/s1000`, {
          headers,
          compareHeaders: [
            ...("audit-id" in headers && headers["audit-id"] !== "" ? ["audit-id"] : []),
            "access-control-allow-origin",
          ],
        }),
      ),
    ),
  ],
};

const template = (spec: Json = {}, metadata: Json = {}): Json => ({
  metadata: { labels: { a: "b" }, ...metadata },
  spec: { containers: [container], ...spec },
});
const warned: readonly (readonly [name: string, path: string, object: Json])[] = [
  ["node-labels", pods, pod("w", { nodeSelector: { "beta.kubernetes.io/arch": "x" } })],
  [
    "affinity-labels",
    pods,
    pod("w", {
      affinity: {
        nodeAffinity: {
          preferredDuringSchedulingIgnoredDuringExecution: [
            { weight: 1, preference: { matchExpressions: [{ key: "beta.kubernetes.io/os", operator: "Exists" }] } },
          ],
        },
      },
    }),
  ],
  [
    "annotations",
    pods,
    pod(
      "w",
      {},
      {
        annotations: {
          "seccomp.security.alpha.kubernetes.io/pod": "x",
          "container.seccomp.security.alpha.kubernetes.io/c": "localhost/../x",
          "controller.kubernetes.io/pod-deletion-cost": "+1",
          "kubernetes.io/config.mirror": "m",
          "scheduler.alpha.kubernetes.io/critical-pod": "",
        },
      },
    ),
  ],
  [
    "seccomp",
    pods,
    pod(
      "w",
      {},
      {
        annotations: {
          "seccomp.security.alpha.kubernetes.io/pod": "unconfined",
          "container.seccomp.security.alpha.kubernetes.io/c": "localhost/x",
        },
      },
    ),
  ],
  [
    "duplicates",
    pods,
    pod("w", {
      containers: [
        {
          ...container,
          env: [
            { name: "A", value: "1" },
            { name: "A", value: "2" },
          ],
          ports: [
            { containerPort: 80, name: "a" },
            { containerPort: 80, name: "b" },
            { containerPort: 80, protocol: "UDP" },
          ],
        },
      ],
      imagePullSecrets: [{ name: "a" }, { name: "a" }, { name: "" }],
      hostAliases: [
        { ip: "1.2.3.4", hostnames: ["a"] },
        { ip: "1.2.3.4", hostnames: ["b"] },
      ],
    }),
  ],
  [
    "fractions",
    pods,
    pod("w", {
      containers: [
        {
          ...container,
          resources: {
            requests: { memory: "100m", cpu: "0.0001", "ephemeral-storage": "1m" },
            limits: { memory: "1500m" },
          },
        },
      ],
      overhead: { memory: "1m" },
    }),
  ],
  ["service-account", pods, pod("w", { serviceAccount: "default" })],
  [
    "old-volumes",
    pods,
    pod("w", {
      volumes: [
        { name: "g", gitRepo: { repository: "r" } },
        { name: "c", cephfs: { monitors: ["m"] } },
        { name: "r", rbd: { monitors: ["m"], image: "i" } },
        { name: "f", flocker: { datasetName: "d" } },
        { name: "q", quobyte: { registry: "a:1", volume: "v" } },
        { name: "s", storageos: { volumeName: "v" } },
        { name: "sc", scaleIO: { gateway: "g", system: "s", secretRef: { name: "n" }, volumeName: "v" } },
        { name: "gl", glusterfs: { endpoints: "e", path: "p" } },
        { name: "ph", photonPersistentDisk: { pdID: "x" } },
      ],
    }),
  ],
  [
    "spread",
    pods,
    pod("w", {
      topologySpreadConstraints: [
        { maxSkew: 1, topologyKey: "failure-domain.beta.kubernetes.io/zone", whenUnsatisfiable: "DoNotSchedule" },
      ],
    }),
  ],
  ["grace", pods, pod("w", { terminationGracePeriodSeconds: -1 })],
  [
    "probe-grace",
    pods,
    pod("w", {
      containers: [{ ...container, livenessProbe: { exec: { command: ["a"] }, terminationGracePeriodSeconds: 0 } }],
    }),
  ],
  [
    "owner",
    pods,
    pod("w", {}, { ownerReferences: [{ apiVersion: "v1", kind: "Pod", name: "p", uid: "u", controller: true }] }),
  ],
  [
    "dns",
    pods,
    pod("w", {
      dnsPolicy: "None",
      dnsConfig: {
        nameservers: ["1.2.3.4", "1.2.3.4"],
        searches: ["a", "a", "b."],
        options: [{ name: "x" }, { name: "x" }],
      },
    }),
  ],
  [
    "addresses",
    pods,
    pod("w", {
      dnsConfig: { nameservers: ["010.1.2.3", "::ffff:1.2.3.4"] },
      hostAliases: [{ ip: "01.2.3.4", hostnames: ["a"] }],
    }),
  ],
  [
    "claim",
    pods,
    pod("w", {
      volumes: [
        {
          name: "e",
          ephemeral: {
            volumeClaimTemplate: {
              metadata: { annotations: { "volume.beta.kubernetes.io/storage-class": "x" } },
              spec: { accessModes: ["ReadWriteOnce"], resources: { requests: { storage: "1500m" } } },
            },
          },
        },
      ],
    }),
  ],
  [
    "template",
    deployments,
    deployment("w", {
      template: template(
        {
          nodeSelector: { "beta.kubernetes.io/arch": "x" },
          containers: [{ ...container, env: [{ name: "A" }, { name: "A" }] }],
        },
        { annotations: { "seccomp.security.alpha.kubernetes.io/pod": "x" } },
      ),
    }),
  ],
  [
    "cron",
    "/apis/batch/v1/namespaces/${ns}/cronjobs",
    {
      metadata: { name: "w" },
      spec: {
        schedule: "TZ=UTC * * * * *",
        jobTemplate: {
          spec: {
            completionMode: "Indexed",
            completions: 200_000,
            parallelism: 10_000,
            backoffLimitPerIndex: 1,
            template: template({ restartPolicy: "Never" }),
          },
        },
      },
    },
  ],
  [
    "stateful",
    "/apis/apps/v1/namespaces/${ns}/statefulsets",
    {
      metadata: { name: "w" },
      spec: {
        selector: { matchLabels: { a: "b" } },
        serviceName: "x y",
        revisionHistoryLimit: -1,
        template: template({ nodeName: "n" }),
      },
    },
  ],
  [
    "service",
    `${core}/services`,
    {
      metadata: {
        name: "w",
        annotations: {
          "service.kubernetes.io/topology-aware-hints": "auto",
          "service.kubernetes.io/topology-mode": "Auto",
          "service.alpha.kubernetes.io/tolerate-unready-endpoints": "true",
        },
      },
      spec: {
        ports: [{ port: 80 }],
        sessionAffinity: "ClientIP",
        clusterIP: "None",
        loadBalancerSourceRanges: ["010.0.0.0/8"],
        loadBalancerIP: "1.2.3.4",
      },
    },
  ],
  [
    "endpoints",
    `${core}/endpoints`,
    { metadata: { name: "w" }, subsets: [{ addresses: [{ ip: "01.2.3.4" }], ports: [{ port: 80 }] }] },
  ],
  [
    "class",
    "/apis/storage.k8s.io/v1/storageclasses",
    {
      metadata: { name: "w", annotations: { "storageclass.beta.kubernetes.io/is-default-class": "true" } },
      provisioner: "kubernetes.io/glusterfs",
      allowedTopologies: [
        { matchLabelExpressions: [{ key: "failure-domain.beta.kubernetes.io/zone", values: ["a"] }] },
      ],
    },
  ],
  [
    "volume",
    "/api/v1/persistentvolumes",
    {
      metadata: {
        name: "w",
        annotations: {
          "volume.beta.kubernetes.io/storage-class": "x",
          "volume.beta.kubernetes.io/mount-options": "ro",
        },
      },
      spec: {
        capacity: { storage: "1500m" },
        accessModes: ["ReadWriteOnce"],
        persistentVolumeReclaimPolicy: "Recycle",
        nfs: { server: "s", path: "/p" },
      },
    },
  ],
  [
    "volume-claim",
    `${core}/persistentvolumeclaims`,
    {
      metadata: { name: "w", annotations: { "volume.beta.kubernetes.io/storage-class": "x" } },
      spec: { accessModes: ["ReadWriteOnce"], resources: { requests: { storage: "1500m" } } },
    },
  ],
  [
    "ingress",
    "/apis/networking.k8s.io/v1/namespaces/${ns}/ingresses",
    {
      metadata: { name: "w", annotations: { "kubernetes.io/ingress.class": "x" } },
      spec: {
        defaultBackend: { service: { name: "s", port: { number: 80 } } },
        rules: [
          {
            http: {
              paths: [
                {
                  path: "/a/*",
                  pathType: "ImplementationSpecific",
                  backend: { service: { name: "s", port: { number: 80 } } },
                },
              ],
            },
          },
        ],
      },
    },
  ],
  [
    "network-policy",
    "/apis/networking.k8s.io/v1/namespaces/${ns}/networkpolicies",
    {
      metadata: { name: "w" },
      spec: { podSelector: {}, ingress: [{ from: [{ ipBlock: { cidr: "10.1.2.3/8", except: ["10.1.2.3/16"] } }] }] },
    },
  ],
  ["budget", budgets, { metadata: { name: "w" }, spec: { selector: {} } }],
  [
    "runtime-class",
    "/apis/node.k8s.io/v1/runtimeclasses",
    { metadata: { name: "w" }, handler: "x", scheduling: { nodeSelector: { "beta.kubernetes.io/arch": "x" } } },
  ],
  [
    "node",
    "/api/v1/nodes",
    {
      metadata: { name: "w" },
      spec: {
        podCIDRs: ["10.1.2.3/8"],
        externalID: "x",
        configSource: { configMap: { namespace: "n", name: "c", kubeletConfigKey: "k" } },
      },
    },
  ],
  [
    "secret",
    `${core}/secrets`,
    { metadata: { name: "w" }, type: "kubernetes.io/dockercfg", data: { ".dockercfg": "e30=" } },
  ],
  [
    "priority",
    "/apis/scheduling.k8s.io/v1/priorityclasses",
    { metadata: { name: "w" }, value: 5, preemptionPolicy: "Never" },
  ],
  [
    "account",
    `${core}/serviceaccounts`,
    {
      metadata: { name: "w", annotations: { "kubernetes.io/enforce-mountable-secrets": "true" } },
      secrets: [{ name: "a" }],
    },
  ],
  [
    "slice",
    "/apis/discovery.k8s.io/v1/namespaces/${ns}/endpointslices",
    {
      metadata: { name: "w", annotations: { "endpoints.kubernetes.io/over-capacity": "x" } },
      addressType: "IPv4",
      endpoints: [{ addresses: ["01.2.3.4"] }],
    },
  ],
  [
    "autoscaler",
    "/apis/autoscaling/v2/namespaces/${ns}/horizontalpodautoscalers",
    {
      metadata: { name: "w" },
      spec: {
        maxReplicas: 1,
        scaleTargetRef: { kind: "X", name: "y" },
        metrics: [
          { type: "Resource", resource: { name: "cpu", target: { type: "Utilization", averageUtilization: 1 } } },
        ],
      },
    },
  ],
  [
    "webhooks",
    "/apis/admissionregistration.k8s.io/v1/validatingwebhookconfigurations",
    {
      metadata: { name: "w" },
      webhooks: [
        {
          name: "a.b.c",
          admissionReviewVersions: ["v1"],
          sideEffects: "None",
          clientConfig: { url: "https://x.example" },
          rules: [{ operations: ["*"], apiGroups: ["*"], apiVersions: ["*"], resources: ["*/*"] }],
          failurePolicy: "Fail",
        },
      ],
    },
  ],
];

/** Warnings for objects with deprecated or unusual fields, when created, changed and applied. */
export const warnings: Topic = {
  name: "warned",
  probes: [
    ...warned.flatMap(([name, path, object]) => [
      one(
        `${name}/new`,
        post(`${path}?dryRun=All`, object),
        post(`${path}?dryRun=All&fieldValidation=Strict`, object),
        post(`${path}?dryRun=All&fieldValidation=Ignore`, { ...object, bogus: 1 }),
      ),
    ]),
    ...warned
      .filter(([, path]) => !path.includes("webhookconfigurations"))
      .map(([name, path, object]) =>
        one(
          `${name}/changed`,
          quiet(post(path, object)),
          patch(`${path}/w?dryRun=All`, "merge", { metadata: { labels: { x: "y" } } }),
          put(`${path}/w?dryRun=All`, object),
          quiet(remove(`${path}/w?gracePeriodSeconds=0`)),
        ),
      ),
    ...kindFixtures.map((fixture) =>
      one(
        `kinds/${fixture.name}`,
        post(`${fixture.collection}?dryRun=All`, objectOf(fixture, fixture.rich, "w")),
        get(`${fixture.collection}?limit=1`, { ignore: ["/body", "/items", "/metadata"] }),
      ),
    ),
  ],
};
