import {
  crash,
  create,
  image,
  onNodesOf,
  ownTaint,
  patch,
  patchNode,
  remove,
  type Scenario,
  wait,
  web,
  workload,
} from "../scenario.js";

const always = { restartPolicy: "Always" };
const stay = (name: string, more: object = {}): object => ({ name, image: "stay:1", ...more });
const jobPod = (name: string): object => ({
  metadata: { labels: { app: "job" } },
  spec: { restartPolicy: "Never", terminationGracePeriodSeconds: 1, containers: [{ name: "main", image: name }] },
});

const tainted = "taint-before-pods";
const taint = (key: string): object => ({ key, effect: "NoExecute" });
const taintedPod = (spec: object): object => {
  const { nodeSelector, tolerations } = onNodesOf(tainted);
  const limited = Object.entries({ slow: 20, fast: 4 }).map(([key, tolerationSeconds]) => ({
    key,
    operator: "Exists",
    effect: "NoExecute",
    tolerationSeconds,
  }));
  const containers = [{ name: "main", image: "web:1" }];
  return { spec: { nodeSelector, containers, tolerations: [...tolerations, ...limited], ...spec } };
};

/** Features that users combine: ordinals with partitions, surges, suspension by index, sidecars. */
export const userFeatures: readonly Scenario[] = [
  {
    name: "stateful-ordinals-partition",
    steps: [
      create(
        "StatefulSet",
        "db",
        workload(
          "db",
          {
            serviceName: "db",
            replicas: 3,
            ordinals: { start: 2 },
            updateStrategy: { rollingUpdate: { partition: 3 } },
          },
          "db:1",
        ),
        10_000,
      ),
      patch("StatefulSet", "db", image("db:2"), 10_000),
      patch("StatefulSet", "db", { spec: { ordinals: { start: 3 } } }, 12_000),
      patch(
        "StatefulSet",
        "db",
        { spec: { replicas: 1, updateStrategy: { rollingUpdate: { partition: 0 } } } },
        12_000,
      ),
    ],
  },
  {
    name: "daemon-surge-changed",
    nodes: 2,
    steps: [
      create(
        "DaemonSet",
        "web",
        web({ updateStrategy: { type: "OnDelete" }, minReadySeconds: 2 }, "web:1", onNodesOf("daemon-surge-changed")),
        8_000,
      ),
      patch("DaemonSet", "web", image("web:2")),
      patch(
        "DaemonSet",
        "web",
        { spec: { updateStrategy: { type: "RollingUpdate", rollingUpdate: { maxSurge: "100%", maxUnavailable: 0 } } } },
        12_000,
      ),
      patchNode("daemon-surge-changed-2", { metadata: { labels: { pool: "none" } } }),
    ],
  },
  {
    name: "job-indexed-suspended",
    steps: [
      create("Job", "job", {
        spec: {
          suspend: true,
          completions: 4,
          parallelism: 2,
          completionMode: "Indexed",
          backoffLimitPerIndex: 1,
          template: jobPod("stay:1"),
        },
      }),
      patch("Job", "job", { spec: { suspend: false, template: { metadata: { labels: { tier: "batch" } } } } }),
      crash("app=job", 0, 8_000),
      patch("Job", "job", { spec: { suspend: true } }, 8_000),
      patch("Job", "job", { spec: { suspend: false, parallelism: 3 } }, 8_000),
      crash("app=job", 1, 15_000),
      crash("app=job", 1, 15_000),
    ],
  },
  {
    name: "sidecars-of-finished-pod",
    steps: [
      create(
        "Pod",
        "web",
        {
          metadata: { name: "web", labels: { app: "web" } },
          spec: {
            restartPolicy: "Never",
            initContainers: [
              stay("proxy", always),
              stay("log", { ...always, lifecycle: { preStop: { sleep: { seconds: 2 } } } }),
              { name: "init", image: "exit-0:1" },
              { name: "stubborn", image: "stubborn:1", ...always },
            ],
            containers: [{ name: "main", image: "exit-3:1" }],
            terminationGracePeriodSeconds: 4,
          },
        },
        20_000,
      ),
    ],
  },
  {
    name: "sidecar-crashes",
    steps: [
      create(
        "Pod",
        "web",
        {
          metadata: { name: "web", labels: { app: "web" } },
          spec: {
            restartPolicy: "OnFailure",
            initContainers: [{ name: "proxy", image: "exit-1:1", ...always }],
            containers: [{ name: "main", image: "exit-42:1" }],
          },
        },
        9_000,
      ),
    ],
  },
  {
    name: "taint-before-pods",
    nodes: 1,
    steps: [
      create("Pod", "ended", taintedPod({ restartPolicy: "Never", containers: [{ name: "main", image: "exit-0:1" }] })),
      create("Pod", "deleted", taintedPod({})),
      create("Pod", "planned", taintedPod({})),
      patchNode(`${tainted}-1`, { spec: { taints: [ownTaint(tainted), taint("slow")] } }, 6_000),
      remove("Pod", "deleted", {}, 3_000),
      patchNode(`${tainted}-1`, { spec: { taints: [ownTaint(tainted), taint("slow"), taint("fast")] } }, 3_000),
      create("Pod", "late", taintedPod({}), 8_000),
      wait(15_000),
    ],
  },
];
