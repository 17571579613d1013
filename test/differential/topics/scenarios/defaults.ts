import type { Topic } from "../../probe.js";
import { core, get, type Json, marked, one, patch, post, put, quiet, remove, watch } from "./steps.js";

const nodes = "/api/v1/nodes";
const node = (more: Json = {}): Json => ({ apiVersion: "v1", kind: "Node", metadata: { name: "node-${ns}" }, ...more });
const template = { metadata: { labels: { a: "b" } }, spec: { containers: [{ name: "c", image: "i" }] } };
const set = (kind: string, spec: Json): Json => ({
  apiVersion: "apps/v1",
  kind,
  metadata: { name: "set" },
  spec: { selector: { matchLabels: { a: "b" } }, template, ...spec },
});
const apps = "/apis/apps/v1/namespaces/${ns}";
const pod = (spec: Json): Json => ({
  apiVersion: "v1",
  kind: "Pod",
  metadata: { name: "fields" },
  spec: { containers: [{ name: "c", image: "i", resources: { limits: { cpu: "1" } } }], ...spec },
});
const resource = (more: Json = {}): Json => ({ containerName: "c", resource: "limits.cpu", ...more });

const kinds = [
  ["ReplicaSet", "replicasets", {}],
  ["StatefulSet", "statefulsets", { serviceName: "s" }],
  ["Deployment", "deployments", {}],
] as const;

/** Defaults set by the server, and their field managers. */
export const defaultScenarios: Topic = {
  name: "defaults",
  probes: [
    ...(
      [
        undefined,
        {},
        { capacity: {} },
        { capacity: { cpu: "1" } },
        { allocatable: {} },
        { capacity: { cpu: "1" }, allocatable: {} },
        { capacity: { cpu: "1" }, allocatable: { cpu: "500m" } },
        { allocatable: null },
      ] as const
    ).flatMap((status) => [
      one(
        `node/create ${JSON.stringify(status)}`,
        post(nodes, node(status === undefined ? {} : { status })),
        get(`${nodes}/node-\${ns}`),
        quiet(remove(`${nodes}/node-\${ns}`)),
      ),
      one(
        `node/status ${JSON.stringify(status)}`,
        quiet(post(nodes, node())),
        put(`${nodes}/node-\${ns}/status`, node(status === undefined ? {} : { status })),
        get(`${nodes}/node-\${ns}`),
        patch(`${nodes}/node-\${ns}/status`, "merge", { status: { capacity: { memory: "1Gi" } } }),
        patch(
          `${nodes}/node-\${ns}/status?fieldManager=m&force=true`,
          "apply",
          node(status === undefined ? {} : { status }),
        ),
        quiet(remove(`${nodes}/node-\${ns}`)),
      ),
      one(
        `node/update ${JSON.stringify(status)}`,
        quiet(post(nodes, node({ status: { capacity: { cpu: "2" } } }))),
        put(
          `${nodes}/node-\${ns}`,
          node({ ...(status === undefined ? {} : { status }), spec: { podCIDR: "10.1.0.0/24" } }),
        ),
        patch(`${nodes}/node-\${ns}`, "merge", { metadata: { labels: { a: "b" } } }),
        patch(
          `${nodes}/node-\${ns}?fieldManager=m`,
          "apply",
          node({ metadata: { name: "node-${ns}", labels: { c: "d" } } }),
        ),
        quiet(remove(`${nodes}/node-\${ns}`)),
      ),
    ]),
    ...kinds.flatMap(([kind, plural, more]) =>
      [0, 1, undefined].map((replicas) =>
        one(
          `watch/${plural} ${String(replicas)}`,
          marked(post(`${apps}/${plural}`, set(kind, { ...more, ...(replicas === undefined ? {} : { replicas }) }))),
          watch(`${apps}/${plural}`, "&resourceVersion=0&allowWatchBookmarks=true"),
          watch(
            `${apps}/${plural}`,
            "&sendInitialEvents=true&allowWatchBookmarks=true&resourceVersionMatch=NotOlderThan",
          ),
          patch(`${apps}/${plural}/set`, "merge", { spec: { replicas: 0 } }),
          watch(`${apps}/${plural}`, "&resourceVersion=${rv}&allowWatchBookmarks=true"),
          quiet(remove(`${apps}/${plural}/set`)),
          watch(
            `${apps}/${plural}`,
            "&sendInitialEvents=true&allowWatchBookmarks=true&resourceVersionMatch=NotOlderThan",
            { headers: { accept: "application/vnd.kubernetes.protobuf" } },
          ),
        ),
      ),
    ),
    ...[
      resource(),
      resource({ divisor: "0" }),
      resource({ divisor: "1" }),
      resource({ divisor: "1m" }),
      resource({ divisor: null }),
      resource({ divisor: 0 }),
      resource({ divisor: "" }),
    ].flatMap((resourceFieldRef) =>
      [
        [
          "env",
          {
            containers: [
              {
                name: "c",
                image: "i",
                resources: { limits: { cpu: "1" } },
                env: [{ name: "A", valueFrom: { resourceFieldRef } }],
              },
            ],
          },
        ],
        ["volume", { volumes: [{ name: "v", downwardAPI: { items: [{ path: "p", resourceFieldRef }] } }] }],
        [
          "projected",
          {
            volumes: [
              { name: "v", projected: { sources: [{ downwardAPI: { items: [{ path: "p", resourceFieldRef }] } }] } },
            ],
          },
        ],
      ].map(([where, spec]) =>
        one(
          `divisor/${where as string} ${JSON.stringify(resourceFieldRef)}`,
          post(`${core}/pods`, pod(spec as Json)),
          put(`${core}/pods/fields`, pod({ ...(spec as Json), activeDeadlineSeconds: 5 })),
          patch(`${core}/pods/fields`, "merge", { metadata: { labels: { a: "b" } } }),
          quiet(remove(`${core}/pods/fields?gracePeriodSeconds=0`)),
          patch(`${core}/pods/applied?fieldManager=m`, "apply", {
            ...pod(spec as Json),
            metadata: { name: "applied" },
          }),
          patch(`${core}/pods/applied?fieldManager=m`, "apply", {
            ...pod(spec as Json),
            metadata: { name: "applied", labels: { x: "y" } },
          }),
          quiet(remove(`${core}/pods/applied?gracePeriodSeconds=0`)),
        ),
      ),
    ),
  ],
};
