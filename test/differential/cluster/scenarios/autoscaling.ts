import { act, create, patch, type Scenario, template } from "../scenario.js";

type Step = Scenario["steps"][number];

const requests = { resources: { requests: { cpu: "100m", memory: "64Mi" } } };
const web = (image: string, replicas = 1, container: object = requests): Step =>
  create(
    "Deployment",
    "web",
    {
      spec: {
        replicas,
        selector: { matchLabels: { app: "web" } },
        template: template("web", `${image}:1`, {}, container),
      },
    },
    // A pod's usage counts once a whole measurement began after the pod became ready.
    20_000,
  );
const cpu = (averageUtilization: number): object => ({
  type: "Resource",
  resource: { name: "cpu", target: { type: "Utilization", averageUtilization } },
});
const autoscaler = (spec: object, waitMs: number): Step =>
  create(
    "HorizontalPodAutoscaler",
    "web",
    {
      spec: {
        minReplicas: 1,
        maxReplicas: 5,
        scaleTargetRef: { apiVersion: "apps/v1", kind: "Deployment", name: "web" },
        metrics: [cpu(50)],
        ...spec,
      },
    },
    waitMs,
  );
const image = (name: string): object => ({
  spec: { template: { spec: { containers: [{ name: "main", image: `${name}:2`, ...requests }] } } },
});
const down = (window: number): object => ({
  scaleDown: { stabilizationWindowSeconds: window, policies: [{ type: "Pods", value: 1, periodSeconds: 30 }] },
});

/** Autoscalers with usage that a metrics API reports. */
export const autoscaling: readonly Scenario[] = [
  { name: "hpa-up", steps: [web("busy"), autoscaler({}, 120_000)] },
  { name: "hpa-tolerance", steps: [web("calm", 2), autoscaler({}, 40_000)] },
  {
    name: "hpa-own-tolerance",
    steps: [web("calm", 2), autoscaler({ maxReplicas: 3, behavior: { scaleUp: { tolerance: "0.01" } } }, 60_000)],
  },
  { name: "hpa-down", steps: [web("idle", 4), autoscaler({ behavior: down(0) }, 180_000)] },
  {
    name: "hpa-down-policies",
    steps: [
      web("idle", 5),
      autoscaler(
        {
          behavior: {
            scaleDown: {
              stabilizationWindowSeconds: 0,
              selectPolicy: "Min",
              policies: [
                { type: "Pods", value: 2, periodSeconds: 60 },
                { type: "Percent", value: 20, periodSeconds: 30 },
              ],
            },
          },
        },
        120_000,
      ),
    ],
  },
  { name: "hpa-stabilized", steps: [web("idle", 4), autoscaler({}, 60_000)] },
  {
    name: "hpa-up-disabled",
    steps: [web("busy"), autoscaler({ behavior: { scaleUp: { selectPolicy: "Disabled" } } }, 40_000)],
  },
  {
    name: "hpa-up-percent",
    steps: [
      web("busy", 2),
      autoscaler(
        {
          maxReplicas: 8,
          behavior: { scaleUp: { policies: [{ type: "Percent", value: 50, periodSeconds: 600 }] } },
        },
        60_000,
      ),
    ],
  },
  { name: "hpa-no-requests", steps: [web("busy", 1, {}), autoscaler({}, 40_000)] },
  {
    name: "hpa-memory",
    steps: [
      web("busy", 2),
      autoscaler(
        {
          metrics: [
            { type: "Resource", resource: { name: "memory", target: { type: "AverageValue", averageValue: "20Mi" } } },
          ],
        },
        60_000,
      ),
    ],
  },
  {
    name: "hpa-container",
    steps: [
      web("busy", 2),
      autoscaler(
        {
          metrics: [
            {
              type: "ContainerResource",
              containerResource: {
                name: "cpu",
                container: "main",
                target: { type: "Utilization", averageUtilization: 60 },
              },
            },
          ],
        },
        60_000,
      ),
    ],
  },
  {
    name: "hpa-two-metrics",
    steps: [
      web("busy", 2),
      autoscaler(
        {
          metrics: [
            cpu(90),
            { type: "Resource", resource: { name: "memory", target: { type: "Utilization", averageUtilization: 60 } } },
          ],
        },
        100_000,
      ),
    ],
  },
  {
    name: "hpa-unknown-metric",
    steps: [
      web("busy", 2),
      autoscaler(
        {
          metrics: [
            cpu(90),
            { type: "Pods", pods: { metric: { name: "hits" }, target: { type: "AverageValue", averageValue: "1" } } },
          ],
        },
        40_000,
      ),
    ],
  },
  {
    name: "hpa-limits",
    steps: [
      web("idle", 1),
      autoscaler({ minReplicas: 3 }, 60_000),
      patch("HorizontalPodAutoscaler", "web", { spec: { minReplicas: 1, maxReplicas: 2 } }, 60_000),
      act("pause the autoscaler", (stage) => patch("Deployment", "web", { spec: { replicas: 0 } }).run(stage), 30_000),
    ],
  },
  {
    name: "hpa-load-ends",
    steps: [web("busy"), autoscaler({ behavior: down(0) }, 90_000), patch("Deployment", "web", image("idle"), 240_000)],
  },
  {
    name: "hpa-up-least-policy",
    steps: [
      web("busy", 2),
      autoscaler(
        {
          maxReplicas: 8,
          behavior: {
            scaleUp: {
              selectPolicy: "Min",
              policies: [
                { type: "Pods", value: 1, periodSeconds: 600 },
                { type: "Percent", value: 100, periodSeconds: 600 },
              ],
            },
          },
        },
        60_000,
      ),
    ],
  },
  {
    name: "hpa-container-missing",
    steps: [
      web("busy", 2),
      autoscaler(
        {
          metrics: [
            {
              type: "ContainerResource",
              containerResource: {
                name: "cpu",
                container: "other",
                target: { type: "Utilization", averageUtilization: 50 },
              },
            },
          ],
        },
        40_000,
      ),
    ],
  },
  {
    name: "hpa-resource-unknown",
    steps: [
      web("busy", 2),
      autoscaler(
        {
          metrics: [
            { type: "Resource", resource: { name: "disk", target: { type: "AverageValue", averageValue: "1" } } },
          ],
        },
        40_000,
      ),
    ],
  },
  {
    name: "hpa-pods-pending",
    steps: [
      web("busy", 2, { resources: { requests: { cpu: "100" } } }),
      autoscaler({}, 40_000),
      patch("HorizontalPodAutoscaler", "web", { spec: { minReplicas: 3 } }, 40_000),
    ],
  },
  {
    name: "hpa-selector-of-none",
    steps: [
      act("create a Deployment without pods", (stage) =>
        create("Deployment", "web", {
          spec: { replicas: 2, paused: true, selector: { matchLabels: { app: "web" } }, template: template("web") },
        }).run(stage),
      ),
      autoscaler({}, 40_000),
    ],
  },
];
