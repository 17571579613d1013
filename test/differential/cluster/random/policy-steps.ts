// Steps of random histories that create, change and delete objects that act on workloads.
import { EndpointSlice } from "../../../../src/kinds/discovery/v1.js";
import { act, create, patch, remove, type ScenarioStep } from "../scenario.js";
import { type Choices, scalable } from "./workloads.js";
import type { LiveWorkload, World } from "./world.js";

/** Object of a policy: how it begins, and how it changes. */
interface Policy {
  readonly kind: string;
  readonly fields: (choices: Choices, workload: LiveWorkload, isWide: boolean) => object;
  readonly changes: (choices: Choices, workload: LiveWorkload, isWide: boolean) => object;
  readonly waitMs?: number;
}

const disruptions = (choices: Choices): object =>
  choices.pick<object>([
    { minAvailable: choices.below(4), maxUnavailable: null },
    { maxUnavailable: choices.below(3), minAvailable: null },
    { maxUnavailable: "50%", minAvailable: null },
    { minAvailable: "60%", maxUnavailable: null },
  ]);

const topologyMode = (choices: Choices): object => ({
  "service.kubernetes.io/topology-mode": choices.pick(["Auto", "Auto", "auto", "Disabled"]),
});

/** Families of a Service. The server's addresses are of one family, so some of them are refused. */
const families = (choices: Choices): object =>
  choices.pick<object>([
    {},
    { ipFamilyPolicy: "SingleStack" },
    { ipFamilyPolicy: "PreferDualStack" },
    { ipFamilyPolicy: "PreferDualStack", ipFamilies: ["IPv4"] },
    { ipFamilyPolicy: "PreferDualStack", ipFamilies: ["IPv4", "IPv6"] },
    { ipFamilyPolicy: "RequireDualStack" },
    { ipFamilies: ["IPv6"] },
  ]);

const traffic = (choices: Choices): object =>
  choices.pick<object>([
    {},
    {},
    {},
    { trafficDistribution: "PreferSameZone" },
    { trafficDistribution: "PreferSameNode" },
  ]);

const policies: readonly Policy[] = [
  {
    kind: "PodDisruptionBudget",
    fields: (choices, { app }) => ({
      spec: {
        selector: { matchLabels: { app } },
        ...withoutNull(disruptions(choices)),
        ...(choices.chance(0.3) && { unhealthyPodEvictionPolicy: "AlwaysAllow" }),
      },
    }),
    changes: (choices) => ({ spec: disruptions(choices) }),
  },
  {
    kind: "Service",
    fields: (choices, { app }, isWide) => ({
      ...(isWide && { metadata: { name: `${app}-policy`, annotations: topologyMode(choices) } }),
      spec: {
        selector: { app },
        ports: [{ port: 80 }],
        ...(choices.chance(0.3) && { clusterIP: "None" }),
        ...(choices.chance(0.3) && { publishNotReadyAddresses: true }),
        ...(isWide && { ...families(choices), ...traffic(choices) }),
      },
    }),
    changes: (choices, { app }, isWide) => {
      if (isWide && choices.chance(0.4))
        return choices.chance(0.5)
          ? { metadata: { annotations: topologyMode(choices) } }
          : { spec: choices.chance(0.5) ? families(choices) : traffic(choices) };
      return {
        spec: choices.pick<object>([
          { selector: { app } },
          { selector: { app: "nothing" } },
          { publishNotReadyAddresses: true },
          { ports: [{ port: 81, name: "other", targetPort: 8081 }] },
          { selector: null },
        ]),
      };
    },
  },
  {
    kind: "ResourceQuota",
    fields: (choices) => ({
      spec: {
        hard: { pods: String(2 + choices.below(4)), "count/jobs.batch": "1", persistentvolumeclaims: "3" },
        ...(choices.chance(0.2) && { hard: { pods: "1" }, scopes: ["BestEffort"] }),
      },
    }),
    changes: (choices) => ({ spec: { hard: { pods: String(choices.below(6)) } } }),
    // Refused pods are tried again after a growing time, and both sides shall be past the same attempt.
    waitMs: 8_000,
  },
];

function withoutNull(fields: object): object {
  return Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== null));
}

/** Creates, changes or deletes an object that acts on a workload. */
export function policySteps({ choices, others, isWide }: World, workload: LiveWorkload): ScenarioStep[] {
  const { app, kind } = workload;
  if (choices.chance(0.1))
    return [
      act("delete the slices", ({ client, namespace }) =>
        client.resource(EndpointSlice).namespace(namespace).deleteCollection({}),
      ),
    ];
  if (scalable.includes(kind) && choices.chance(0.15)) return autoscaler(choices, workload);
  const { kind: policy, fields, changes, waitMs } = choices.pick(policies);
  const name = `${app}-policy`;
  const key = `${policy} ${name}`;
  if (!others.has(key)) {
    others.add(key);
    return [create(policy, name, fields(choices, workload, isWide), waitMs)];
  }
  if (choices.chance(0.6)) return [patch(policy, name, changes(choices, workload, isWide), waitMs)];
  others.delete(key);
  return [remove(policy, name, {}, waitMs)];
}

/** Bounds the replicas of a workload with an autoscaler that knows no usage, and removes it, so that it never acts later. */
function autoscaler(choices: Choices, { kind, app }: LiveWorkload): ScenarioStep[] {
  const name = `${app}-scaler`;
  const minReplicas = 1 + choices.below(3);
  const apiVersion = kind === "ReplicationController" ? "v1" : "apps/v1";
  const spec = {
    minReplicas,
    maxReplicas: minReplicas + choices.below(3),
    scaleTargetRef: { apiVersion, kind, name: app },
  };
  return [
    create("HorizontalPodAutoscaler", name, { spec }, 20_000),
    remove("HorizontalPodAutoscaler", name, {}, 3_000),
  ];
}
