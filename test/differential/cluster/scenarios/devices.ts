import type { PodSpec } from "../../../../src/kinds/core/v1.js";
import {
  type Device,
  type DeviceClaim,
  DeviceClass,
  type DeviceRequest,
  type ResourceClaimSpec,
  ResourceSlice,
} from "../../../../src/kinds/resource/v1.js";
import { act, create, onNodesOf, patch, remove, type Scenario, type ScenarioStep, type Stage } from "../scenario.js";

/** Returns the name of a driver or class of the scenario's namespace, so that scenarios don't share devices. */
const ownName = (namespace: string): string => `${namespace}.example.com`;

const deviceClass = (waitMs = 1_000): ScenarioStep =>
  act(
    "create the device class",
    ({ client, namespace }) =>
      client.resource(DeviceClass).create({
        metadata: { name: ownName(namespace), labels: { scenario: namespace } },
        spec: { selectors: [{ cel: { expression: `device.driver == "${ownName(namespace)}"` } }] },
      }),
    waitMs,
  );

/** Returns a step that creates a pool of devices on the node of the scenario with a number. */
const devices = (pool: string, node: number, list: Device[], waitMs?: number): ScenarioStep =>
  act(
    `create the devices of ${pool}`,
    ({ client, namespace }) =>
      client.resource(ResourceSlice).create({
        metadata: { name: `${pool}-${namespace}`, labels: { scenario: namespace } },
        spec: {
          driver: ownName(namespace),
          nodeName: nodeName(namespace, node),
          pool: { name: pool, generation: 1, resourceSliceCount: 1 },
          devices: list,
        },
      }),
    waitMs,
  );

/** Returns the name of a node that only the scenario of a namespace uses. */
const nodeName = (namespace: string, number: number): string => `${namespace.replace(/-\d+$/, "")}-${number}`;

type Request = DeviceRequest | ((className: string) => DeviceRequest);

const one =
  (name: string, exactly: object = {}) =>
  (deviceClassName: string): DeviceRequest => ({
    name,
    exactly: { deviceClassName, ...exactly },
  });

const claimSpec = (
  { namespace }: Stage,
  requests: readonly Request[],
  more: Partial<DeviceClaim> = {},
): ResourceClaimSpec => ({
  devices: {
    requests: requests.map((each) => (typeof each === "function" ? each(ownName(namespace)) : each)),
    ...more,
  },
});

const claim = (name: string, requests: readonly Request[], waitMs?: number): ScenarioStep =>
  act(
    `create the claim ${name}`,
    (stage) => create("ResourceClaim", name, { spec: claimSpec(stage, requests) }).run(stage),
    waitMs,
  );

const claimTemplate = (name: string, requests: readonly Request[]): ScenarioStep =>
  act(
    `create the template ${name}`,
    (stage) => create("ResourceClaimTemplate", name, { spec: { spec: claimSpec(stage, requests) } }).run(stage),
    500,
  );

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
];
