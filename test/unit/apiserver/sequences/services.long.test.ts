import type { Json } from "./run-sequences.js";
import { applied, causes, core, named, openSequences, pod, pods, testSequences } from "./run-sequences.js";

const { send } = openSequences();
const daemons = "/apis/apps/v1/namespaces/default/daemonsets";
const counted = "deprecated.daemonset.template.generation";
const daemon = (annotations: Json): Json =>
  named(
    "a",
    { annotations },
    { spec: { selector: { matchLabels: { a: "b" } }, template: { metadata: { labels: { a: "b" } }, spec: pod.spec } } },
  );

testSequences("Services and workloads", send, [
  [
    "a PUT to /status creates a Service",
    [["PUT", `${core}/services/a/status`, named("a", {}, { spec: { ports: [{ port: 80 }] } })]],
    { "/status": 201, "/body/spec/type": "ClusterIP" },
  ],
  [
    "a Service keeps its node ports when allocateLoadBalancerNodePorts becomes false",
    [
      [
        "POST",
        `${core}/services`,
        named("a", {}, { spec: { type: "LoadBalancer", ports: [{ port: 80, nodePort: 30023 }] } }),
      ],
      ["PATCH", `${core}/services/a`, { spec: { allocateLoadBalancerNodePorts: false } }],
    ],
    { "/status": 200, "/body/spec/ports/0/nodePort": 30023 },
  ],
  [
    "node ports are matched by port name on updates",
    [
      [
        "POST",
        `${core}/services`,
        named("a", {}, { spec: { type: "NodePort", ports: [{ port: 80, name: "x", nodePort: 30024 }] } }),
      ],
      ["PUT", `${core}/services/a`, named("a", {}, { spec: { type: "NodePort", ports: [{ port: 81, name: "x" }] } })],
    ],
    { "/status": 200, "/body/spec/ports/0/nodePort": 30024 },
  ],
  [
    "a template with hostNetwork may omit hostPort",
    [
      [
        "POST",
        "/apis/apps/v1/namespaces/default/deployments",
        named(
          "a",
          {},
          {
            spec: {
              selector: { matchLabels: { a: "b" } },
              template: {
                metadata: { labels: { a: "b" } },
                spec: { hostNetwork: true, containers: [{ name: "c", image: "i", ports: [{ containerPort: 82 }] }] },
              },
            },
          },
        ),
      ],
    ],
    { "/status": 201, "/body/spec/template/spec/containers/0/ports/0/hostPort": undefined },
  ],
  [
    "matchLabelKeys and mismatchLabelKeys become selector requirements",
    [
      [
        "POST",
        pods,
        {
          metadata: { name: "p", labels: { a: "1", b: "2" } },
          spec: {
            ...pod.spec,
            affinity: {
              podAffinity: {
                requiredDuringSchedulingIgnoredDuringExecution: [
                  { topologyKey: "zone", labelSelector: {}, matchLabelKeys: ["a", "none"], mismatchLabelKeys: ["b"] },
                ],
              },
            },
          },
        },
      ],
    ],
    {
      "/body/spec/affinity/podAffinity/requiredDuringSchedulingIgnoredDuringExecution/0/labelSelector": {
        matchExpressions: [
          { key: "a", operator: "In", values: ["1"] },
          { key: "b", operator: "NotIn", values: ["2"] },
        ],
      },
    },
  ],
  [
    "a Service without a name is rejected for its address",
    [["POST", `${core}/services`, named("", {}, { spec: { clusterIP: "10.0.0.9", ports: [{ port: -1 }] } })]],
    { [causes("0/field")]: "spec.clusterIPs", [causes("1")]: undefined },
  ],
  [
    "a dry run of a Service without a name is rejected for its name",
    [["POST", `${core}/services?dryRun=All`, named("", {}, { spec: { ports: [{ port: 80 }] } })]],
    { [causes("0/field")]: "metadata.name", [causes("1")]: undefined },
  ],
  [
    "a dry run of a Service returns values outside of the allocation ranges",
    [
      [
        "POST",
        `${core}/services?dryRun=All`,
        named(
          "a",
          {},
          {
            spec: {
              type: "LoadBalancer",
              externalTrafficPolicy: "Local",
              ports: [
                { port: 80, name: "x" },
                { port: 80, name: "y", protocol: "UDP" },
              ],
            },
          },
        ),
      ],
    ],
    {
      "/body/spec/clusterIP": "10.0.0.0",
      "/body/spec/ports/0/nodePort": 32769,
      "/body/spec/ports/1/nodePort": 32769,
      "/body/spec/healthCheckNodePort": 32770,
    },
  ],
  [
    "an unavailable node port is the only reported error",
    [["POST", `${core}/services`, named("a", {}, { spec: { type: "NodePort", ports: [{ port: -1, nodePort: 5 }] } })]],
    { [causes("0/field")]: "spec.ports[0].nodePort", [causes("1")]: undefined },
  ],
  [
    "a duplicate node port is an internal error",
    [
      ["POST", `${core}/services`, named("a", {}, { spec: { type: "NodePort", ports: [{ port: 80, name: "x" }] } })],
      [
        "PATCH",
        `${core}/services/a`,
        {
          spec: {
            ports: [
              { port: 80, name: "x", nodePort: 30040 },
              { port: 81, name: "y", nodePort: 30040 },
            ],
          },
        },
      ],
    ],
    { "/status": 500, "/body/message": "duplicate nodePort: {TCP 30040}" },
  ],
  [
    "a Service created through /status has no cluster IP",
    [
      ["PUT", `${core}/services/a/status`, named("a", {}, { spec: { ports: [{ port: 80 }] } })],
      ["PATCH", `${core}/services/a`, { metadata: { labels: { a: "b" } } }],
    ],
    { "/body/spec/clusterIP": undefined, "/body/spec/ipFamilies": ["IPv4"] },
  ],
  [
    "a headless Service created through /status must specify clusterIPs",
    [["PUT", `${core}/services/a/status`, named("a", {}, { spec: { clusterIP: "None", ports: [{ port: 80 }] } })]],
    { [causes("0/field")]: "spec.clusterIPs", [causes("0/reason")]: "FieldValueRequired" },
  ],
  [
    "an invalid toleration is reported twice in a pod update",
    [
      ["POST", pods, pod],
      ["PATCH", `${pods}/p`, [{ op: "add", path: "/spec/tolerations/-", value: {} }], "application/json-patch+json"],
    ],
    { [causes("0/field")]: "spec.tolerations[2].operator", [causes("1/field")]: "spec.tolerations[2].operator" },
  ],
  [
    "an immutable template is validated in an update",
    [
      [
        "POST",
        "/apis/batch/v1/namespaces/default/jobs",
        named(
          "j",
          {},
          { spec: { template: { spec: { restartPolicy: "Never", containers: [{ name: "c", image: "i" }] } } } },
        ),
      ],
      [
        "PATCH",
        "/apis/batch/v1/namespaces/default/jobs/j",
        { spec: { template: { spec: { containers: [{ name: "c", imagePullPolicy: "x" }] } } } },
        "application/strategic-merge-patch+json",
      ],
    ],
    {
      [causes("0/field")]: "spec.template.spec.containers[0].imagePullPolicy",
      [causes("1/field")]: "spec.template.spec.containers[0].imagePullPolicy",
      [causes("2/field")]: "spec.template",
    },
  ],
  [
    "an invalid second podCIDR of a Node is rejected",
    [
      [
        "POST",
        "/api/v1/nodes",
        named("n", {}, { spec: { podCIDR: "10.1.0.0/24", podCIDRs: ["10.1.0.0/24", "10.1.0.0/24x"] } }),
      ],
    ],
    {
      [causes("0/field")]: "spec.podCIDRs[1]",
      [causes("1/reason")]: "InternalError",
      [causes("2/field")]: "spec.podCIDRs",
      [causes("3")]: undefined,
    },
  ],
  [
    "a DaemonSet rejects a non-numeric template generation",
    [["POST", daemons, daemon({ [counted]: "x" })]],
    { "/status": 400 },
  ],
  [
    "a DaemonSet's template generation is normalized",
    [["POST", daemons, daemon({ [counted]: "+05" })]],
    { "/body/metadata/annotations": { [counted]: "5" } },
  ],
  [
    "a merge patch with a non-numeric template generation is rejected",
    [
      ["POST", daemons, daemon({})],
      ["PATCH", `${daemons}/a`, { metadata: { annotations: { [counted]: "x" } } }],
    ],
    { "/status": 422 },
  ],
  [
    "a strategic patch with a non-numeric template generation is an internal error",
    [
      ["POST", daemons, daemon({})],
      [
        "PATCH",
        `${daemons}/a`,
        { metadata: { annotations: { [counted]: "x" } } },
        "application/strategic-merge-patch+json",
      ],
    ],
    { "/status": 500 },
  ],
  [
    "an apply with a non-numeric template generation is an internal error",
    [
      [
        "PATCH",
        `${daemons}/a?fieldManager=m`,
        { apiVersion: "apps/v1", kind: "DaemonSet", ...daemon({ [counted]: "x" }) },
        applied,
      ],
    ],
    { "/status": 500 },
  ],
]);
