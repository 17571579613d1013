import type { Probe, Topic } from "../../probe.js";
import { objectOf } from "../fuzz.js";
import { kindFixtures } from "../kinds.js";
import type { Json } from "./steps.js";
import {
  apply,
  configMap,
  configMaps,
  container,
  core,
  deployment,
  deployments,
  get,
  jobs,
  lease,
  leases,
  one,
  patch,
  pod,
  pods,
  post,
  put,
  quiet,
  remove,
  secret,
  secrets,
  service,
  services,
} from "./steps.js";

const strategic = (path: string, body: unknown) => patch(`${path}?dryRun=All`, "strategic", body);
const inPod = (spec: Json): Json => ({ spec: { template: { spec } } });
const full = deployment(
  "full",
  {},
  {
    containers: [
      {
        ...container,
        args: ["a", "b"],
        env: [
          { name: "A", value: "1" },
          { name: "B", value: "2" },
        ],
        ports: [{ containerPort: 80 }, { containerPort: 81, protocol: "UDP" }],
        volumeMounts: [
          { name: "v", mountPath: "/a" },
          { name: "v", mountPath: "/b" },
        ],
        envFrom: [{ prefix: "x", secretRef: { name: "s" } }],
      },
      { name: "d", image: "j" },
    ],
    volumes: [
      { name: "v", emptyDir: {} },
      { name: "w", configMap: { name: "c" } },
    ],
    hostAliases: [{ ip: "1.1.1.1", hostnames: ["a"] }],
    imagePullSecrets: [{ name: "p" }, { name: "q" }],
    tolerations: [{ key: "a" }, { key: "b" }],
    nodeSelector: { a: "b", c: "d" },
    topologySpreadConstraints: [{ maxSkew: 1, topologyKey: "z", whenUnsatisfiable: "DoNotSchedule" }],
  },
);
const strategicPatches: readonly unknown[] = [
  inPod({ containers: [{ name: "c", $patch: "replace", image: "z" }] }),
  inPod({ containers: [{ $patch: "replace" }] }),
  inPod({
    containers: [
      {
        name: "c",
        env: [
          { name: "A", $patch: "delete" },
          { name: "C", value: "3" },
        ],
      },
    ],
  }),
  inPod({ containers: [{ name: "c", env: [{ $patch: "replace" }, { name: "Z", value: "1" }] }] }),
  inPod({ containers: [{ name: "c", ports: [{ containerPort: 80, $patch: "delete" }] }] }),
  inPod({ containers: [{ name: "c", ports: [{ containerPort: 80, protocol: "UDP" }] }] }),
  inPod({ containers: [{ name: "c", volumeMounts: [{ mountPath: "/a", readOnly: true }] }] }),
  inPod({ containers: [{ name: "c", volumeMounts: [{ mountPath: "/a", $patch: "delete" }] }] }),
  inPod({ containers: [{ name: "c", envFrom: [{ prefix: "y" }] }] }),
  inPod({ containers: [{ name: "c", args: ["z"] }] }),
  inPod({ containers: [{ name: "c", "$deleteFromPrimitiveList/args": ["a"] }] }),
  inPod({ containers: [{ name: "c", args: null }] }),
  inPod({ "$setElementOrder/containers": [{ name: "d" }, { name: "c" }] }),
  inPod({ "$setElementOrder/containers": [{ name: "d" }, { name: "c" }], containers: [{ name: "c", image: "q" }] }),
  inPod({ "$setElementOrder/containers": [{ name: "d" }], containers: [{ name: "c", image: "q" }] }),
  inPod({
    "$setElementOrder/containers": [{ name: "e" }, { name: "c" }, { name: "d" }],
    containers: [{ name: "e", image: "q" }],
  }),
  inPod({ "$setElementOrder/containers": ["c"] }),
  inPod({ "$setElementOrder/containers": "x" }),
  inPod({ "$setElementOrder/imagePullSecrets": [{ name: "q" }, { name: "p" }] }),
  inPod({ imagePullSecrets: [{ name: "p", $patch: "delete" }] }),
  inPod({ volumes: [{ name: "w", $retainKeys: ["name", "emptyDir"], emptyDir: {} }] }),
  inPod({ volumes: [{ name: "w", emptyDir: {}, configMap: null }] }),
  inPod({ volumes: [{ name: "w", $retainKeys: ["name"] }] }),
  inPod({ volumes: [{ name: "w", $retainKeys: "name" }] }),
  inPod({
    volumes: [
      { name: "w", $retainKeys: ["name", "secret"], secret: { secretName: "s" } },
      { name: "n", emptyDir: {} },
    ],
  }),
  inPod({ nodeSelector: { $patch: "replace", z: "y" } }),
  inPod({ nodeSelector: { $patch: "delete" } }),
  inPod({ nodeSelector: { a: null } }),
  inPod({ nodeSelector: { $retainKeys: ["a"], a: "x" } }),
  inPod({ tolerations: [{ key: "z" }] }),
  inPod({ tolerations: [{ key: "a", $patch: "delete" }] }),
  inPod({ tolerations: [{ $patch: "replace" }] }),
  inPod({ hostAliases: [{ ip: "1.1.1.1", hostnames: ["b"] }] }),
  inPod({ hostAliases: [{ ip: "1.1.1.1", $patch: "delete" }] }),
  inPod({ topologySpreadConstraints: [{ topologyKey: "z", maxSkew: 2 }] }),
  inPod({ topologySpreadConstraints: [{ topologyKey: "z", $patch: "delete" }] }),
  { spec: { strategy: { $retainKeys: ["type"], type: "Recreate" } } },
  { spec: { strategy: { type: "Recreate" } } },
  { spec: { strategy: { type: "Recreate", rollingUpdate: null } } },
  { spec: { $patch: "replace", replicas: 3 } },
  { $patch: "replace" },
  { $patch: "delete" },
  { $patch: "merge" },
  { $patch: 1 },
  { spec: { $patch: "merge", replicas: 3 } },
  { spec: { selector: { matchLabels: { $patch: "replace", a: "b" } } } },
  { metadata: { "$deleteFromPrimitiveList/finalizers": ["x.example/y"], finalizers: ["x.example/z"] } },
  { metadata: { "$setElementOrder/finalizers": ["x.example/z", "x.example/y"], finalizers: ["x.example/z"] } },
  { metadata: { labels: { $patch: "replace", n: "m" } } },
  { metadata: { labels: { $patch: "delete" } } },
  { metadata: { annotations: null, labels: null } },
  { metadata: { ownerReferences: [{ uid: "u1", $patch: "delete" }] } },
  { metadata: { ownerReferences: [{ uid: "u2", apiVersion: "v1", kind: "Pod", name: "p2" }] } },
  { metadata: { ownerReferences: [{ apiVersion: "v1", kind: "Pod", name: "p2" }] } },
  { metadata: { "$deleteFromPrimitiveList/finalizers": "x" } },
  { metadata: { "$deleteFromPrimitiveList/finalizers": [1] } },
  { metadata: { "$bogus/finalizers": [] } },
  { metadata: { finalizers: ["x.example/y", "x.example/q"] } },
];
const jsonPatches: readonly unknown[] = [
  [{ op: "move", from: "/spec/template/spec/containers/0", path: "/spec/template/spec/containers/1" }],
  [{ op: "copy", from: "/spec/template/spec/containers/0/env/0", path: "/spec/template/spec/containers/1/env" }],
  [{ op: "copy", from: "/spec/template/spec/containers/0/env", path: "/spec/template/spec/containers/1/env" }],
  [{ op: "add", path: "/spec/template/spec/containers/-", value: { name: "z", image: "z" } }],
  [{ op: "remove", path: "/spec/template/spec/containers/-1" }],
  [{ op: "replace", path: "/spec/template/spec/containers/-1/image", value: "n" }],
  [
    { op: "test", path: "/spec/template/spec/nodeSelector", value: { c: "d", a: "b" } },
    { op: "remove", path: "/spec/template/spec/nodeSelector/a" },
  ],
  [{ op: "test", path: "/spec/replicas", value: 1.0 }],
  [{ op: "test", path: "/spec/none", value: null }],
  [{ op: "test", path: "/spec/none" }],
  [{ op: "remove", path: "/spec/template/spec/containers/7" }],
  [{ op: "add", path: "/spec/template/spec/containers/3", value: { name: "z" } }],
  [{ op: "replace", path: "/spec/template/spec/containers", value: {} }],
  [{ op: "add", path: "/spec/replicas/x", value: 1 }],
  [{ op: "remove", path: "/spec/selector" }],
  [{ op: "add", path: "/metadata/labels/a~1b", value: "x" }],
  [{ op: "replace", path: "/metadata/annotations/none", value: "x" }],
  [{ op: "copy", from: "", path: "/spec/x" }],
  [{ op: "move", from: "/spec", path: "/spec/template" }],
  [{ op: "add", path: "/spec/template/spec/containers/0/env/1", value: { name: "N", value: "1" } }],
  [{ op: "replace", path: "/status/replicas", value: 4 }],
  [
    { op: "test", path: "/metadata/name", value: "full" },
    { op: "test", path: "/metadata/name", value: "other" },
    { op: "remove", path: "/spec" },
  ],
  [
    { op: "add", path: "/spec/paused", value: true },
    { op: "copy", from: "/spec/paused", path: "/spec/template/spec/hostIPC" },
    { op: "replace", path: "/spec/paused", value: false },
  ],
  [{ path: "/spec/replicas", value: 1 }],
  [{ op: "add", value: 1 }],
  [{ op: null, path: "/x" }],
  [{ op: "replace", path: null, value: 1 }],
  [{ op: "remove", path: 1 }],
];

/** Patches of rich objects. */
export const patchScenarios: Topic = {
  name: "s-patch",
  setup: [
    post(deployments, {
      ...full,
      metadata: {
        name: "full",
        labels: { l: "m" },
        annotations: { o: "p" },
        finalizers: ["x.example/y"],
        ownerReferences: [{ apiVersion: "v1", kind: "Pod", name: "p1", uid: "u1" }],
      },
    }),
    post(
      services,
      service("s", {
        spec: {
          ports: [
            { name: "a", port: 80 },
            { name: "b", port: 81, protocol: "UDP" },
          ],
          selector: { a: "b" },
          externalIPs: ["8.8.8.8", "8.8.4.4"],
        },
      }),
    ),
    post(`${core}/serviceaccounts`, {
      metadata: { name: "sa" },
      secrets: [{ name: "a" }, { name: "b" }],
      imagePullSecrets: [{ name: "a" }],
    }),
    post(configMaps, configMap("c", { data: { a: "1" }, binaryData: { b: "AAEC" } })),
    post(`/apis/batch/v1/namespaces/\${ns}/cronjobs`, {
      metadata: { name: "cj" },
      spec: {
        schedule: "* * * * *",
        jobTemplate: { spec: { template: { spec: { restartPolicy: "Never", containers: [container] } } } },
      },
    }),
  ],
  probes: [
    ...strategicPatches.map((body, at) =>
      one(`strategic/${String(at)} ${JSON.stringify(body).slice(0, 100)}`, strategic(`${deployments}/full`, body)),
    ),
    ...jsonPatches.map((body, at) =>
      one(
        `json/${String(at)} ${JSON.stringify(body).slice(0, 100)}`,
        patch(`${deployments}/full?dryRun=All`, "json", body),
      ),
    ),
    ...(
      [
        [`${services}/s`, { spec: { ports: [{ port: 80, $patch: "delete" }] } }],
        [`${services}/s`, { spec: { ports: [{ port: 81, name: "c" }] } }],
        [`${services}/s`, { spec: { ports: [{ port: 90, name: "z" }] } }],
        [`${services}/s`, { spec: { "$setElementOrder/ports": [{ port: 81 }, { port: 80 }] } }],
        [`${services}/s`, { spec: { "$deleteFromPrimitiveList/externalIPs": ["8.8.8.8"] } }],
        [`${services}/s`, { spec: { externalIPs: ["1.2.3.4"] } }],
        [`${services}/s`, { spec: { selector: null } }],
        [`${services}/s`, { spec: { clusterIP: null } }],
        [`${services}/s`, { spec: { clusterIP: "10.0.0.99" } }],
        [`${services}/s`, { spec: { type: "ExternalName", externalName: "x.example", clusterIP: "" } }],
        [`${services}/s`, { spec: { type: "NodePort" } }],
        [`${services}/s`, { spec: { sessionAffinity: "ClientIP" } }],
        [`${services}/s`, { spec: { ipFamilies: ["IPv6"] } }],
        [`${core}/serviceaccounts/sa`, { secrets: [{ name: "c" }] }],
        [`${core}/serviceaccounts/sa`, { secrets: [{ name: "a", $patch: "delete" }] }],
        [`${core}/serviceaccounts/sa`, { secrets: [{ $patch: "replace" }, { name: "z" }] }],
        [`${core}/serviceaccounts/sa`, { imagePullSecrets: [{ name: "b" }] }],
        [`${core}/serviceaccounts/sa`, { "$setElementOrder/secrets": [{ name: "b" }, { name: "a" }] }],
        [`${configMaps}/c`, { data: { $patch: "replace", z: "1" } }],
        [`${configMaps}/c`, { data: { $retainKeys: ["z"], z: "1" } }],
        [`${configMaps}/c`, { binaryData: { b: null, c: "AA==" } }],
        [`${configMaps}/c`, { binaryData: { a: "AA==" } }],
        [`${configMaps}/c`, { $retainKeys: ["metadata"] }],
        [
          `/apis/batch/v1/namespaces/\${ns}/cronjobs/cj`,
          { spec: { jobTemplate: { spec: { template: { spec: { containers: [{ name: "c", image: "new" }] } } } } } },
        ],
        [`/apis/batch/v1/namespaces/\${ns}/cronjobs/cj`, { spec: { suspend: true, schedule: "bad" } }],
      ] as const
    ).map(([path, body], at) =>
      one(
        `kinds/${String(at)} ${JSON.stringify(body).slice(0, 100)}`,
        strategic(path, body),
        patch(`${path}?dryRun=All`, "merge", body),
      ),
    ),
    ...[
      "?fieldValidation=Strict",
      "?fieldValidation=Warn",
      "?fieldValidation=Ignore",
      "?fieldValidation=Bogus",
      "?force=true",
      "?fieldManager=x%0Ay",
      "?dryRun=None",
      "?fieldValidation=Strict&dryRun=All",
    ].flatMap((query) =>
      (["merge", "json", "strategic", "apply"] as const).map((type) =>
        one(
          `query/${type}${query}`,
          patch(
            `${configMaps}/c${query}`,
            type,
            type === "json"
              ? [{ op: "add", path: "/bogus", value: 1 }]
              : type === "apply"
                ? configMap("c", { bogus: 1 })
                : { bogus: 1, data: { a: "1" } },
          ),
        ),
      ),
    ),
  ],
};

const dep = (spec: Json, podSpec: Json = {}): Json => ({
  apiVersion: "apps/v1",
  kind: "Deployment",
  metadata: { name: "ssa" },
  spec: { ...spec, ...(Object.keys(podSpec).length === 0 ? {} : { template: { spec: podSpec } }) },
});
const base = (podSpec: Json): Json => ({
  apiVersion: "apps/v1",
  kind: "Deployment",
  metadata: { name: "ssa" },
  spec: { selector: { matchLabels: { a: "b" } }, template: { metadata: { labels: { a: "b" } }, spec: podSpec } },
});
const path = `${deployments}/ssa`;
const gone = quiet(remove(path));
const start = quiet(
  apply(
    path,
    "m1",
    base({ containers: [{ ...container, env: [{ name: "A", value: "1" }], ports: [{ containerPort: 80 }] }] }),
  ),
);
const svc = (ports: unknown, more: Json = {}): Json =>
  service("ssa", { spec: { ports, selector: { a: "b" }, ...more } });

/** Server-side apply with several managers, subresources and kinds. */
export const applyScenarios: Topic = {
  name: "s-apply",
  probes: [
    one(
      "three-managers",
      start,
      apply(path, "m2", dep({ replicas: 3 }, { containers: [{ name: "c", env: [{ name: "B", value: "2" }] }] })),
      apply(path, "m3", dep({ replicas: 4 })),
      apply(path, "m3", dep({ replicas: 4 }), "&force=true"),
      apply(path, "m2", dep({ replicas: 4 }, { containers: [{ name: "c", env: [{ name: "A", value: "9" }] }] })),
      apply(path, "m2", dep({ replicas: 4 })),
      apply(path, "m3", dep({})),
      get(path),
      gone,
    ),
    one(
      "scale-between",
      start,
      apply(path, "m2", dep({ replicas: 3 })),
      put(`${path}/scale?fieldManager=hpa`, {
        apiVersion: "autoscaling/v1",
        kind: "Scale",
        metadata: { name: "ssa" },
        spec: { replicas: 5 },
      }),
      get(path),
      apply(path, "m2", dep({ replicas: 3 })),
      apply(path, "m2", dep({ replicas: 3 }), "&force=true"),
      apply(`${path}/scale`, "s", {
        apiVersion: "autoscaling/v1",
        kind: "Scale",
        metadata: { name: "ssa" },
        spec: { replicas: 6 },
      }),
      apply(
        `${path}/scale`,
        "s",
        { apiVersion: "autoscaling/v1", kind: "Scale", metadata: { name: "ssa" }, spec: { replicas: 6 } },
        "&force=true",
      ),
      patch(`${path}/scale?fieldManager=p`, "merge", { spec: { replicas: 7 } }),
      get(path),
      gone,
    ),
    one(
      "status",
      start,
      apply(`${path}/status`, "c", {
        apiVersion: "apps/v1",
        kind: "Deployment",
        metadata: { name: "ssa", labels: { x: "y" } },
        spec: { replicas: 9 },
        status: { replicas: 1, conditions: [{ type: "Available", status: "True" }] },
      }),
      apply(`${path}/status`, "d", {
        apiVersion: "apps/v1",
        kind: "Deployment",
        metadata: { name: "ssa" },
        status: {
          replicas: 2,
          conditions: [
            { type: "Available", status: "False" },
            { type: "Progressing", status: "True" },
          ],
        },
      }),
      apply(`${path}/status`, "d", {
        apiVersion: "apps/v1",
        kind: "Deployment",
        metadata: { name: "ssa" },
        status: { conditions: [{ type: "Progressing", status: "True" }] },
      }),
      apply(`${path}/status`, "c", {
        apiVersion: "apps/v1",
        kind: "Deployment",
        metadata: { name: "ssa" },
        status: {},
      }),
      get(path),
      gone,
    ),
    one(
      "update-takes",
      start,
      patch(`${path}?fieldManager=u`, "merge", {
        spec: { template: { spec: { containers: [{ name: "c", image: "new", env: [{ name: "A", value: "2" }] }] } } },
      }),
      get(path),
      apply(path, "m1", base({ containers: [{ ...container, env: [{ name: "A", value: "1" }] }] })),
      apply(path, "m1", base({ containers: [{ ...container, env: [{ name: "A", value: "1" }] }] }), "&force=true"),
      gone,
    ),
    one(
      "rename-container",
      start,
      apply(path, "m1", base({ containers: [{ name: "z", image: "i" }] })),
      apply(
        path,
        "m2",
        base({
          containers: [{ name: "z", image: "j", ports: [{ containerPort: 80, protocol: "TCP", hostPort: 90 }] }],
        }),
        "&force=true",
      ),
      apply(path, "m1", base({ containers: [{ name: "z", ports: [{ containerPort: 80 }] }] })),
      gone,
    ),
    one(
      "atomic",
      start,
      apply(
        path,
        "m1",
        base({
          containers: [{ ...container, args: ["a"], command: ["b"] }],
          tolerations: [{ key: "a" }],
          nodeSelector: { a: "b" },
          dnsConfig: { nameservers: ["1.1.1.1"] },
        }),
      ),
      apply(
        path,
        "m2",
        base({
          containers: [{ name: "c", args: ["b"] }],
          tolerations: [{ key: "a" }],
          nodeSelector: { a: "c" },
          dnsConfig: { nameservers: ["1.1.1.1"], searches: ["x"] },
        }),
      ),
      apply(path, "m2", base({ tolerations: [{ key: "a" }, { key: "b" }] }), "&force=true"),
      gone,
    ),
    one(
      "managed-fields",
      start,
      patch(path, "merge", { metadata: { managedFields: [{}] } }),
      apply(path, "m1", dep({ replicas: 2 })),
      patch(path, "json", [{ op: "replace", path: "/metadata/managedFields/0/manager", value: "renamed" }]),
      apply(path, "renamed", dep({ replicas: 2 })),
      patch(path, "merge", {
        metadata: {
          managedFields: [
            {
              manager: "x",
              operation: "Apply",
              apiVersion: "apps/v1",
              fieldsType: "FieldsV1",
              fieldsV1: { "f:spec": { "f:replicas": {} } },
            },
          ],
        },
      }),
      patch(path, "merge", {
        metadata: {
          managedFields: [
            { manager: "x", operation: "Bogus", apiVersion: "apps/v1", fieldsType: "FieldsV1", fieldsV1: {} },
          ],
        },
      }),
      patch(path, "merge", {
        metadata: {
          managedFields: [
            { manager: "x", operation: "Update", apiVersion: "apps/v1", fieldsType: "FieldsV2", fieldsV1: {} },
          ],
        },
      }),
      patch(path, "merge", {
        metadata: {
          managedFields: [
            {
              manager: "x",
              operation: "Update",
              apiVersion: "apps/v1",
              fieldsType: "FieldsV1",
              fieldsV1: { "x:spec": {} },
            },
          ],
        },
      }),
      patch(path, "merge", {
        metadata: {
          managedFields: [
            {
              manager: "y".repeat(129),
              operation: "Update",
              apiVersion: "apps/v1",
              fieldsType: "FieldsV1",
              fieldsV1: {},
            },
          ],
        },
      }),
      patch(path, "merge", {
        metadata: {
          managedFields: [
            {
              manager: "x",
              operation: "Update",
              apiVersion: "bad/version/x",
              fieldsType: "FieldsV1",
              fieldsV1: {},
              subresource: "bogus",
            },
          ],
        },
      }),
      get(path),
      gone,
    ),
    one(
      "versions",
      quiet(
        apply("/apis/autoscaling/v1/namespaces/${ns}/horizontalpodautoscalers/h", "a", {
          apiVersion: "autoscaling/v1",
          kind: "HorizontalPodAutoscaler",
          metadata: { name: "h" },
          spec: {
            maxReplicas: 3,
            scaleTargetRef: { kind: "Deployment", name: "d" },
            targetCPUUtilizationPercentage: 50,
          },
        }),
      ),
      apply("/apis/autoscaling/v2/namespaces/${ns}/horizontalpodautoscalers/h", "b", {
        apiVersion: "autoscaling/v2",
        kind: "HorizontalPodAutoscaler",
        metadata: { name: "h" },
        spec: {
          maxReplicas: 4,
          scaleTargetRef: { kind: "Deployment", name: "d" },
          metrics: [
            { type: "Resource", resource: { name: "cpu", target: { type: "Utilization", averageUtilization: 60 } } },
          ],
        },
      }),
      apply(
        "/apis/autoscaling/v2/namespaces/${ns}/horizontalpodautoscalers/h",
        "b",
        {
          apiVersion: "autoscaling/v2",
          kind: "HorizontalPodAutoscaler",
          metadata: { name: "h" },
          spec: { maxReplicas: 4, scaleTargetRef: { kind: "Deployment", name: "d" } },
        },
        "&force=true",
      ),
      apply("/apis/autoscaling/v1/namespaces/${ns}/horizontalpodautoscalers/h", "a", {
        apiVersion: "autoscaling/v1",
        kind: "HorizontalPodAutoscaler",
        metadata: { name: "h" },
        spec: { maxReplicas: 4, scaleTargetRef: { kind: "Deployment", name: "d" } },
      }),
      get("/apis/autoscaling/v1/namespaces/${ns}/horizontalpodautoscalers/h"),
      get("/apis/autoscaling/v2/namespaces/${ns}/horizontalpodautoscalers/h"),
      quiet(remove("/apis/autoscaling/v2/namespaces/${ns}/horizontalpodautoscalers/h")),
    ),
    one(
      "service",
      ...(
        [
          ["a", svc([{ port: 80, name: "x" }])],
          ["b", svc([{ port: 81, name: "y" }])],
          [
            "b",
            svc([
              { port: 81, name: "y", protocol: "UDP" },
              { port: 80, protocol: "TCP", name: "q" },
            ]),
          ],
          ["a", svc([{ port: 80, name: "x" }], { type: "NodePort" })],
          ["b", svc([{ port: 80, name: "x" }], { type: "LoadBalancer" })],
          ["a", svc([{ port: 80, name: "x" }], { clusterIP: "None" })],
        ] as const
      ).map(([manager, body]) => apply(`${services}/ssa`, manager, body)),
      get(`${services}/ssa`),
      quiet(remove(`${services}/ssa`)),
    ),
    one(
      "pod",
      apply(`${pods}/ssa`, "a", pod("ssa", { containers: [{ ...container, env: [{ name: "A", value: "1" }] }] })),
      apply(`${pods}/ssa`, "a", pod("ssa", { containers: [{ ...container, image: "new" }] })),
      apply(
        `${pods}/ssa`,
        "b",
        pod("ssa", { containers: [{ ...container, image: "other" }], tolerations: [{ key: "k", operator: "Exists" }] }),
      ),
      apply(`${pods}/ssa`, "b", pod("ssa", { activeDeadlineSeconds: 5 })),
      apply(`${pods}/ssa/status`, "k", {
        apiVersion: "v1",
        kind: "Pod",
        metadata: { name: "ssa" },
        status: {
          podIPs: [{ ip: "1.2.3.4" }],
          hostIPs: [{ ip: "1.1.1.1" }],
          conditions: [{ type: "Ready", status: "True" }],
          containerStatuses: [],
        },
      }),
      apply(`${pods}/ssa/ephemeralcontainers`, "e", {
        apiVersion: "v1",
        kind: "Pod",
        metadata: { name: "ssa" },
        spec: { ephemeralContainers: [{ name: "dbg", image: "d" }] },
      }),
      apply(`${pods}/ssa/resize`, "r", {
        apiVersion: "v1",
        kind: "Pod",
        metadata: { name: "ssa" },
        spec: { containers: [{ name: "c", resources: { limits: { cpu: "1" } } }] },
      }),
      get(`${pods}/ssa`),
      quiet(remove(`${pods}/ssa?gracePeriodSeconds=0`)),
    ),
    one(
      "crossing",
      quiet(post(`${configMaps}?fieldManager=kubectl-create`, configMap("ssa", { data: { a: "1", b: "2" } }))),
      apply(`${configMaps}/ssa`, "kubectl", configMap("ssa", { data: { a: "1" } })),
      apply(`${configMaps}/ssa`, "kubectl", configMap("ssa", { data: { a: "2", b: "3" } })),
      put(`${configMaps}/ssa?fieldManager=kubectl`, configMap("ssa", { data: { c: "1" } })),
      apply(`${configMaps}/ssa`, "kubectl", configMap("ssa", { data: { c: "1", d: "2" } })),
      patch(`${configMaps}/ssa?fieldManager=kubectl`, "json", [{ op: "remove", path: "/data/d" }]),
      get(`${configMaps}/ssa`),
      apply(`${configMaps}/ssa`, "kubectl", configMap("ssa")),
      quiet(remove(`${configMaps}/ssa`)),
    ),
    one(
      "dry",
      apply(`${configMaps}/ssa`, "a", configMap("ssa", { data: { a: "1" } }), "&dryRun=All"),
      get(`${configMaps}/ssa`),
      quiet(apply(`${configMaps}/ssa`, "a", configMap("ssa", { data: { a: "1" } }))),
      apply(`${configMaps}/ssa`, "b", configMap("ssa", { data: { a: "2" } }), "&dryRun=All"),
      apply(`${configMaps}/ssa`, "b", configMap("ssa", { data: { a: "2" } }), "&dryRun=All&force=true"),
      apply(`${configMaps}/ssa`, "a", configMap("ssa", {}), "&dryRun=All"),
      get(`${configMaps}/ssa`),
      quiet(remove(`${configMaps}/ssa`)),
    ),
    one(
      "finalizers-and-owners",
      apply(
        `${configMaps}/ssa`,
        "a",
        configMap(
          "ssa",
          {},
          {
            finalizers: ["x.example/a"],
            ownerReferences: [{ apiVersion: "v1", kind: "Pod", name: "p", uid: "u" }],
            labels: { x: "1" },
          },
        ),
      ),
      apply(
        `${configMaps}/ssa`,
        "b",
        configMap(
          "ssa",
          {},
          {
            finalizers: ["x.example/b"],
            ownerReferences: [{ apiVersion: "v1", kind: "Pod", name: "p", uid: "u", controller: true }],
            labels: { x: "2" },
          },
        ),
      ),
      apply(
        `${configMaps}/ssa`,
        "b",
        configMap(
          "ssa",
          {},
          {
            finalizers: ["x.example/b"],
            ownerReferences: [{ apiVersion: "v1", kind: "Pod", name: "q", uid: "v" }],
            annotations: { y: "1" },
          },
        ),
      ),
      remove(`${configMaps}/ssa`),
      apply(`${configMaps}/ssa`, "b", configMap("ssa")),
      apply(`${configMaps}/ssa`, "a", configMap("ssa", {}, { finalizers: ["x.example/c"] })),
      apply(`${configMaps}/ssa`, "a", configMap("ssa")),
      get(`${configMaps}/ssa`),
    ),
    ...(
      [
        ["missing name", {}],
        ["kind", { kind: "Bogus" }],
        ["group", { apiVersion: "bogus/v1" }],
        ["list", { kind: "List", items: [] }],
        ["null", { data: null }],
        ["null-key", { data: { a: null } }],
        ["number", { data: { a: 1 } }],
        ["status", { status: {} }],
        ["resourceVersion", { metadata: { resourceVersion: "1" } }],
        ["resourceVersion0", { metadata: { resourceVersion: "0" } }],
        ["uid", { metadata: { uid: "x" } }],
        ["generateName", { metadata: { generateName: "x" } }],
      ] as const
    ).map(([name, more]) =>
      one(
        `odd/${name}`,
        apply(`${configMaps}/odd`, "a", { ...configMap("odd"), ...more }),
        quiet(remove(`${configMaps}/odd`)),
      ),
    ),
    ...kindFixtures
      .filter(({ collection }) => collection.includes("namespaces/"))
      .map((fixture): Probe => {
        const object = objectOf(fixture, fixture.rich, "kinds");
        const where = `${fixture.collection}/${(object["metadata"] as Json)["name"] as string}`;
        const other = {
          ...objectOf(fixture, fixture.minimal, "kinds"),
          metadata: { name: "kinds", labels: { app: "other" } },
        };
        return one(
          `kinds/${fixture.name}`,
          apply(where, "a", object),
          apply(where, "b", object),
          apply(where, "c", other),
          apply(where, "c", other, "&force=true"),
          apply(where, "a", objectOf(fixture, fixture.minimal, "kinds")),
          quiet(patch(where, "merge", { metadata: { finalizers: null } })),
          quiet(remove(`${where}?gracePeriodSeconds=0`)),
        );
      }),
  ],
};

const owner = {
  ownerReferences: [{ apiVersion: "v1", kind: "ConfigMap", name: "o", uid: "u", blockOwnerDeletion: true }],
};
/** Creates, updates and deletions of all types of objects. */
export const writeScenarios: Topic = {
  name: "s-write",
  probes: [
    ...(
      [
        [configMaps, configMap("x")],
        [secrets, secret("x")],
        [leases, lease("x")],
        [deployments, deployment("x")],
        [services, service("x", { spec: { ports: [{ port: 80 }] } })],
        [pods, pod("x")],
      ] as const
    ).flatMap(([collection, object], at) => [
      one(
        `update/${String(at)}`,
        put(`${collection}/x`, object),
        post(collection, object),
        post(collection, object),
        put(`${collection}/x`, { ...object, metadata: { name: "y" } }),
        put(`${collection}/x`, { ...object, metadata: { name: "x", uid: "u" } }),
        put(`${collection}/x`, { ...object, metadata: { name: "x", resourceVersion: "1" } }),
        put(`${collection}/x`, { ...object, metadata: { name: "x", resourceVersion: "x" } }),
        put(`${collection}/x`, { ...object, metadata: { name: "x", namespace: "other" } }),
        put(`${collection}/x`, { ...object, metadata: {} }),
        put(`${collection}/x`, {
          ...object,
          metadata: {
            name: "x",
            generation: 9,
            creationTimestamp: "2001-01-01T00:00:00Z",
            deletionTimestamp: "2001-01-01T00:00:00Z",
            selfLink: "s",
            generateName: "g",
            labels: { a: "b" },
          },
        }),
        put(`${collection}/x`, { ...object, kind: "Bogus" }),
        put(`${collection}/x`, { ...object, apiVersion: "v9" }),
        remove(`${collection}/x?gracePeriodSeconds=0`),
      ),
      one(
        `delete/${String(at)}`,
        ...[
          "?uid=nope",
          "?resourceVersion=1",
          "?uid=nope&resourceVersion=1",
          "?preconditions.uid=x",
          "?gracePeriodSeconds=abc",
          "?propagationPolicy=Orphan&orphanDependents=true",
          "?dryRun=All",
        ].flatMap((query) => [quiet(post(collection, object)), remove(`${collection}/x${query}`)]),
        remove(`${collection}/x?gracePeriodSeconds=0&propagationPolicy=Foreground`),
        get(`${collection}/x`),
        quiet(patch(`${collection}/x`, "merge", { metadata: { finalizers: null } })),
        remove(`${collection}/x`),
      ),
      one(
        `finalizers/${String(at)}`,
        post(collection, { ...object, metadata: { name: "x", finalizers: ["x.example/y", "orphan"], ...owner } }),
        remove(`${collection}/x?propagationPolicy=Background`),
        get(`${collection}/x`),
        remove(`${collection}/x?propagationPolicy=Foreground`),
        remove(`${collection}/x?gracePeriodSeconds=0`),
        patch(`${collection}/x`, "merge", {
          metadata: { labels: { p: "q" }, finalizers: ["x.example/y", "new.example/z"] },
        }),
        patch(`${collection}/x`, "merge", { metadata: { deletionTimestamp: null } }),
        patch(`${collection}/x`, "merge", { metadata: { deletionGracePeriodSeconds: 5 } }),
        put(`${collection}/x`, { ...object, metadata: { name: "x" } }),
        get(`${collection}/x`),
      ),
      one(
        `generate/${String(at)}`,
        ...["gen-", "a.b-", "UPPER", "x".repeat(70), ""].map((generateName) =>
          post(
            `${collection}?dryRun=All`,
            { ...object, metadata: { generateName } },
            { ignore: ["/metadata/name", "/message", "/details/name", "/details/causes"] },
          ),
        ),
      ),
    ]),
    one(
      "pod-grace",
      ...[
        {},
        { gracePeriodSeconds: 0 },
        { gracePeriodSeconds: 5 },
        { gracePeriodSeconds: 60 },
        { gracePeriodSeconds: -5 },
      ].flatMap((options) =>
        ["", "n1"].flatMap((nodeName) => [
          quiet(post(pods, pod("g", nodeName === "" ? {} : { nodeName }))),
          remove(`${pods}/g`, options),
          get(`${pods}/g`),
          remove(`${pods}/g`, { gracePeriodSeconds: 3 }),
          remove(`${pods}/g`, { gracePeriodSeconds: 30 }),
          remove(`${pods}/g`, { gracePeriodSeconds: 0 }),
          get(`${pods}/g`),
        ]),
      ),
    ),
    one(
      "pod-finalizer",
      quiet(post(pods, pod("f", { nodeName: "n1" }, { finalizers: ["x.example/y"] }))),
      remove(`${pods}/f`),
      remove(`${pods}/f?gracePeriodSeconds=0`),
      get(`${pods}/f`),
      patch(`${pods}/f`, "merge", { metadata: { finalizers: null } }),
      get(`${pods}/f`),
    ),
    one(
      "pod-terminal",
      quiet(post(pods, pod("t", { nodeName: "n1" }))),
      quiet(patch(`${pods}/t/status`, "merge", { status: { phase: "Failed" } })),
      remove(`${pods}/t`),
      get(`${pods}/t`),
    ),
    one(
      "collection-pods",
      quiet(post(pods, pod("k1", { nodeName: "n1" }))),
      quiet(post(pods, pod("k2"))),
      remove(pods),
      get(pods),
      remove(`${pods}?gracePeriodSeconds=0`),
      get(pods),
    ),
    ...["", "&dryRun=All", "&fieldValidation=Strict", "&fieldValidation=Ignore"].flatMap((query) =>
      (["json", "protobuf", "cbor"] as const).flatMap((encode) =>
        (["json", "protobuf", "cbor", "yaml"] as const).map((answer) =>
          one(
            `encodings/${encode}-${answer}${query}`,
            post(
              `${configMaps}?x=y${query}`,
              configMap("enc", { data: { a: "1" }, ...(encode === "protobuf" ? {} : { bogus: 1 }), immutable: false }),
              {
                ...(encode === "json" ? {} : { encode }),
                headers: {
                  accept:
                    answer === "json"
                      ? "application/json"
                      : answer === "protobuf"
                        ? "application/vnd.kubernetes.protobuf"
                        : `application/${answer}`,
                },
                ignore: answer === "yaml" ? ["/$text"] : [],
              },
            ),
            quiet(remove(`${configMaps}/enc`)),
          ),
        ),
      ),
    ),
    ...["", "&fieldValidation=Strict", "&fieldValidation=Ignore", "&dryRun=All"].flatMap((query) =>
      ["application/yaml", "application/json"].flatMap((type) =>
        [
          '{"metadata":{"name":"dup"},"data":{"a":"1","a":"2"},"bogus":1,"bogus":2,"Data":{"b":"1"}}',
          '{"metadata":{"name":"dup","name":"dup2","labels":{"x":"1","x":"2"}},"kind":"ConfigMap","kind":"ConfigMap"}',
          '{"metadata":{"name":"dup","unknown":{"deep":1},"ownerReferences":[{"apiVersion":"v1","kind":"Pod","name":"p","uid":"u","zip":1},{"apiVersion":"v1","kind":"Pod","name":"q","uid":"v","zap":1}]}}',
        ].map((raw, at) =>
          one(
            `duplicates/${type}${query} ${String(at)}`,
            { method: "POST", path: `${configMaps}?x=y${query}`, raw, headers: { "content-type": type } },
            quiet(remove(`${configMaps}/dup`)),
            quiet(remove(`${configMaps}/dup2`)),
          ),
        ),
      ),
    ),
    ...["replicationcontrollers", "replicasets", "statefulsets", "deployments"].map((resource) => {
      const collection =
        resource === "replicationcontrollers" ? `${core}/${resource}` : `/apis/apps/v1/namespaces/\${ns}/${resource}`;
      const kind = {
        replicationcontrollers: "ReplicationController",
        replicasets: "ReplicaSet",
        statefulsets: "StatefulSet",
        deployments: "Deployment",
      }[resource]!;
      const selector =
        resource === "replicationcontrollers"
          ? { a: "b" }
          : {
              matchLabels: { a: "b" },
              matchExpressions: [
                { key: "c", operator: "NotIn", values: ["e", "d"] },
                { key: "f", operator: "DoesNotExist" },
              ],
            };
      const scale = (spec: unknown, more: Json = {}): Json => ({
        apiVersion: "autoscaling/v1",
        kind: "Scale",
        metadata: { name: "sc", ...more },
        spec,
      });
      return one(
        `scale/${resource}`,
        post(collection, {
          kind,
          metadata: { name: "sc" },
          spec: {
            selector,
            template: { metadata: { labels: { a: "b" } }, spec: { containers: [container] } },
            ...(resource === "statefulsets" ? { serviceName: "s" } : {}),
          },
        }),
        get(`${collection}/sc/scale`),
        ...[
          scale({ replicas: 3 }),
          scale({}),
          scale({ replicas: -1 }),
          scale({ replicas: 2 }, { resourceVersion: "1" }),
          scale({ replicas: 2 }, { uid: "x" }),
          scale({ replicas: 2 }, { name: "other" }),
          scale({ replicas: 2 }, { labels: { a: "b" } }),
          { ...scale({ replicas: 2 }), apiVersion: "extensions/v1beta1" },
          { ...scale({ replicas: 2 }), kind: "Bogus" },
          { ...scale({ replicas: 2 }), status: { replicas: 9 } },
          scale({ replicas: "x" }),
          scale({ replicas: 4, bogus: 1 }),
        ].map((body) => put(`${collection}/sc/scale`, body)),
        ...(["merge", "strategic"] as const).map((type) =>
          patch(`${collection}/sc/scale`, type, { spec: { replicas: 8 } }),
        ),
        patch(`${collection}/sc/scale`, "json", [{ op: "remove", path: "/spec/replicas" }]),
        patch(`${collection}/sc/scale`, "json", [{ op: "test", path: "/spec/replicas", value: 5 }]),
        apply(`${collection}/sc/scale`, "z", scale({ replicas: 6 })),
        get(`${collection}/sc`),
        get(`${collection}/sc/scale`, { headers: { accept: "application/json;as=Table;v=v1;g=meta.k8s.io" } }),
        get(`${collection}/sc/scale`, { headers: { accept: "application/vnd.kubernetes.protobuf" } }),
        remove(`${collection}/sc/scale`),
        post(`${collection}/sc/scale`, scale({})),
        quiet(remove(`${collection}/sc`)),
      );
    }),
    one(
      "job",
      post(
        jobs,
        { metadata: { name: "j" }, spec: { template: { spec: { restartPolicy: "Never", containers: [container] } } } },
        { ignore: [] },
      ),
      patch(`${jobs}/j`, "merge", { spec: { parallelism: 3 } }),
      patch(`${jobs}/j`, "merge", { spec: { completions: 3 } }),
      patch(`${jobs}/j`, "merge", { spec: { suspend: true } }),
      patch(`${jobs}/j`, "merge", { spec: { template: { spec: { nodeSelector: { a: "b" } } } } }),
      remove(`${jobs}/j`),
      get(`${jobs}/j`),
      quiet(patch(`${jobs}/j`, "merge", { metadata: { finalizers: null } })),
    ),
  ],
};
