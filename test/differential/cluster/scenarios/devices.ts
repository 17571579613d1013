import type { PodSpec } from "../../../../src/kinds/core/v1.js";
import { type Device, ResourceClaim } from "../../../../src/kinds/resource/v1.js";
import { claim, claimTemplate, deviceClass, devices, one, ownName } from "../device-steps.js";
import { act, create, onNodesOf, patch, remove, type Scenario, type ScenarioStep } from "../scenario.js";

const pod = (
  scenario: string,
  name: string,
  claims: Partial<PodSpec>["resourceClaims"],
  waitMs?: number,
): ScenarioStep =>
  create(
    "Pod",
    name,
    {
      spec: {
        ...onNodesOf(scenario),
        containers: [{ name: "main", image: "web:1" }],
        resourceClaims: claims,
        terminationGracePeriodSeconds: 1,
      },
    },
    waitMs,
  );

const byName = (name: string): PodSpec["resourceClaims"] => [{ name: "gpu", resourceClaimName: name }];
const byTemplate = (name: string): PodSpec["resourceClaims"] => [{ name: "gpu", resourceClaimTemplateName: name }];
const two: Device[] = [{ name: "gpu-0" }, { name: "gpu-1" }];

const memory = (amount: string): object => ({ capacity: { requests: { memory: amount } } });
/** A device that several claims can share. */
const shareable: Device = {
  name: "gpu-0",
  allowMultipleAllocations: true,
  capacity: {
    memory: {
      value: "10Gi",
      requestPolicy: { default: "2Gi", validRange: { min: "2Gi", max: "8Gi", step: "2Gi" } },
    },
    cores: { value: "8", requestPolicy: { default: "1", validValues: ["1", "2", "4"] } },
  },
};
/** A device that its driver prepares once it is allocated. */
const attached: Device = { name: "gpu-0", bindingConditions: ["Attached"], bindingFailureConditions: ["Broken"] };

/** Writes a condition of the device of a claim, such as its driver does. */
const prepare = (name: string, type: string): ScenarioStep =>
  act(
    `set the condition ${type} of the device of ${name}`,
    async ({ client, namespace }) => {
      const lastTransitionTime = "2026-01-01T00:00:00Z";
      const conditions = [{ type, status: "True", reason: "Driver", message: 'by "the" driver', lastTransitionTime }];
      const devices = [{ driver: ownName(namespace), pool: "first", device: "gpu-0", conditions }];
      await client
        .resource(ResourceClaim)
        .namespace(namespace)
        .subresource("status")
        .patch(name, { type: "merge", patch: { status: { devices } } as object });
    },
    15_000,
  );

/** Creates a claim for a part of a device, and a pod that uses it. */
const user = (scenario: string, name: string, exactly: object): ScenarioStep[] => [
  claim(name, [one("a", exactly)], 500),
  pod(scenario, name, byName(name)),
];

/** Scenarios of pods with devices. */
export const deviceScenarios: readonly Scenario[] = [
  {
    name: "devices-shared-claim",
    nodes: 2,
    steps: [
      deviceClass(),
      devices("second", 2, two),
      claim("shared", [one("a")]),
      pod("devices-shared-claim", "first", byName("shared")),
      pod("devices-shared-claim", "second", byName("shared")),
      remove("Pod", "first"),
      remove("Pod", "second"),
    ],
  },
  {
    name: "devices-wait",
    nodes: 2,
    steps: [
      pod("devices-wait", "early", byName("late")),
      claim("late", [one("a", { count: 2 })]),
      deviceClass(6_000),
      devices("first", 1, [{ name: "gpu-0" }]),
      devices("second", 2, two, 10_000),
      claim("more", [one("a")]),
      pod("devices-wait", "more", byName("more")),
      claim("none", [one("a")]),
      pod("devices-wait", "none", byName("none")),
      remove("Pod", "early", {}, 15_000),
    ],
  },
  {
    name: "devices-templates",
    nodes: 2,
    steps: [
      deviceClass(),
      devices("first", 1, two),
      devices("second", 2, two),
      claimTemplate("all", [one("a", { allocationMode: "All" })]),
      create("Deployment", "web", {
        spec: {
          replicas: 2,
          selector: { matchLabels: { app: "web" } },
          template: {
            metadata: { labels: { app: "web" } },
            spec: {
              ...onNodesOf("devices-templates"),
              containers: [{ name: "main", image: "web:1" }],
              resourceClaims: byTemplate("all"),
              terminationGracePeriodSeconds: 1,
            },
          },
        },
      }),
      patch("Deployment", "web", { spec: { replicas: 3 } }),
      patch("Deployment", "web", { spec: { replicas: 1 } }, 15_000),
    ],
  },
  {
    name: "devices-deleted-claim",
    nodes: 1,
    steps: [
      deviceClass(),
      devices("first", 1, two),
      claim("gpu", [one("a")]),
      pod("devices-deleted-claim", "web", byName("gpu")),
      remove("ResourceClaim", "gpu"),
      pod("devices-deleted-claim", "late", byName("gpu")),
      remove("Pod", "web"),
    ],
  },
  {
    name: "devices-bad-selector",
    nodes: 1,
    steps: [
      deviceClass(),
      devices("first", 1, two),
      claim("bad", [one("a", { selectors: [{ cel: { expression: 'device.attributes["x.example.com"].y' } }] })]),
      pod("devices-bad-selector", "web", byName("bad"), 500),
    ],
  },
  {
    name: "devices-capacity",
    nodes: 1,
    steps: [
      deviceClass(),
      devices("first", 1, [shareable]),
      ...user("devices-capacity", "rounded", memory("3Gi")),
      ...user("devices-capacity", "default", {}),
      ...user("devices-capacity", "valid", { capacity: { requests: { memory: "4Gi", cores: "3" } } }),
      ...user("devices-capacity", "late", memory("1")),
      remove("Pod", "rounded", {}, 10_000),
      ...user("devices-capacity", "too-much", memory("9Gi")),
      ...user("devices-capacity", "unknown", { capacity: { requests: { speed: "1" } } }),
    ],
  },
  {
    name: "devices-capacity-two",
    nodes: 1,
    steps: [
      deviceClass(),
      devices("first", 1, [shareable, { ...shareable, name: "gpu-1" }]),
      claim("both", [one("a", memory("6Gi")), one("b", memory("6Gi")), one("c", memory("2Gi"))]),
      pod("devices-capacity-two", "both", byName("both")),
      ...user("devices-capacity-two", "all", { allocationMode: "All", ...memory("2Gi") }),
      ...user("devices-capacity-two", "count", { count: 2 }),
      claim("exclusive", [one("a", { allocationMode: "All" })]),
      pod("devices-capacity-two", "exclusive", byName("exclusive")),
    ],
  },
  {
    name: "devices-binding",
    nodes: 1,
    steps: [
      deviceClass(),
      devices("first", 1, [attached]),
      ...user("devices-binding", "gpu", {}),
      prepare("gpu", "Attached"),
      pod("devices-binding", "second", byName("gpu"), 10_000),
      remove("Pod", "gpu"),
      remove("Pod", "second", {}, 10_000),
      pod("devices-binding", "third", byName("gpu"), 10_000),
      prepare("gpu", "Broken"),
      prepare("gpu", "Attached"),
    ],
  },
];
