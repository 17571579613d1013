// Steps of random histories that change devices, and claims for them.
import type { PodResourceClaim } from "../../../../src/kinds/core/v1.js";
import { type Device, DeviceClass, ResourceClaim, ResourceSlice } from "../../../../src/kinds/resource/v1.js";
import { claim, claimTemplate, deviceClass, devices, one, ownName, type Request } from "../device-steps.js";
import { act, create, onNodesOf, remove, type ScenarioStep } from "../scenario.js";
import type { Choices } from "./workloads.js";
import type { DeviceWorld, World } from "./world.js";

const templateName = "device";
const sharedName = "shared";

/**
 * Returns the claims of the pods of a workload: one of its own, one that others use, too, or both. With several nodes, the
 * choice of the node for the shared claim would decide how many pods get both.
 */
export function podClaims(choices: Choices, nodes: number): PodResourceClaim[] {
  const own = { name: "own", resourceClaimTemplateName: templateName };
  const shared = { name: "shared", resourceClaimName: sharedName };
  return choices.pick([[own], [own], [shared], nodes === 1 ? [own, shared] : [own]]);
}

/** Requests devices of a kind. Devices of the two kinds don't compete, so that any order of pods ends alike. */
const ofKind =
  (kind: string, exactly: object): Request =>
  (className) =>
    one("a", {
      ...exactly,
      selectors: [{ cel: { expression: `device.attributes["${className}"].kind == "${kind}"` } }],
    })(className);

/** Requests what a pod needs: a number of devices, or as many parts of one. */
const ofPod = ({ perPod, hasParts }: DeviceWorld): Request =>
  ofKind("gpu", hasParts ? { capacity: { requests: { parts: String(perPod) } } } : { count: perPod });

/** Returns the devices of a node: one for the shared claim, and some, or one with parts, for claims of single pods. */
function deviceList(choices: Choices, { perPod, hasParts }: DeviceWorld): Device[] {
  const count = perPod * choices.below(5);
  const taints = [{ key: "example.com/broken", effect: "NoSchedule" as const }];
  const isTainted = (probability: number): object | false => choices.chance(probability) && { taints };
  const ofPods: Device[] = hasParts
    ? [{ name: "parts", allowMultipleAllocations: true, capacity: { parts: { value: String(count) } } }]
    : Array.from({ length: count }, (_, index) => ({
        name: `gpu-${String(index)}`,
        ...isTainted(perPod === 1 ? 0.1 : 0),
      }));
  return [
    { name: "shared", attributes: { kind: { string: "shared" } }, ...isTainted(0.2) },
    ...ofPods.map((device) => ({ ...device, attributes: { kind: { string: "gpu" } } })),
  ];
}

const sharedClaim = (waitMs?: number): ScenarioStep => claim(sharedName, [ofKind("shared", {})], waitMs);
const poolOf = (node: number): string => `node-${String(node)}`;

/** Creates the devices of all nodes, their class, and what pods need to claim them. */
export function createDevices(world: World): ScenarioStep[] {
  const { choices, nodes } = world;
  const state: DeviceWorld = {
    perPod: 1 + choices.below(2),
    hasParts: choices.chance(0.4),
    generations: Array.from({ length: nodes }, () => 1),
    hasClass: true,
    hasShared: true,
    pods: 0,
  };
  world.devices = state;
  return [
    deviceClass(0),
    claimTemplate(templateName, [ofPod(state)]),
    sharedClaim(0),
    ...Array.from({ length: nodes }, (_, index) =>
      devices(poolOf(index + 1), index + 1, deviceList(choices, state), 0),
    ),
  ].map((step) => ({ ...step, waitMs: 0 }));
}

/** Replaces the devices of a node. */
function replaceDevices({ choices, nodes }: World, state: DeviceWorld): ScenarioStep {
  const node = 1 + choices.below(nodes);
  const list = deviceList(choices, state);
  const pool = { name: poolOf(node), generation: ++state.generations[node - 1]!, resourceSliceCount: 1 };
  return act(
    `replace the devices of node ${String(node)} with ${JSON.stringify(list)}`,
    ({ client, namespace }) =>
      client
        .resource(ResourceSlice)
        .patch(`${poolOf(node)}-${namespace}`, { type: "merge", patch: { spec: { pool, devices: list } } as object }),
    12_000,
  );
}

const removeClass = (): ScenarioStep =>
  act("delete the device class", ({ client, namespace }) => client.resource(DeviceClass).delete(ownName(namespace)));

/** Deletes the generated claims of all pods. Those in use stay until their pods end. */
const removeGeneratedClaims = (): ScenarioStep =>
  act("delete the claims of single pods", async ({ client, namespace }) => {
    const claims = client.resource(ResourceClaim).namespace(namespace);
    for (const { metadata } of (await claims.list()).items)
      if (metadata?.name !== sharedName) await claims.delete(metadata!.name!);
  });

/** Creates a pod without a controller. */
function createPod({ name, choices, nodes }: World, state: DeviceWorld): ScenarioStep {
  const pod = `single-${String(++state.pods)}`;
  return create("Pod", pod, {
    metadata: { name: pod, labels: { app: "single" } },
    spec: {
      ...onNodesOf(name),
      terminationGracePeriodSeconds: 1,
      containers: [{ name: "main", image: "web:1" }],
      resourceClaims: podClaims(choices, nodes),
    },
  });
}

/** Changes devices, claims or their class, or creates a pod that claims devices. */
export function deviceSteps(world: World, state: DeviceWorld): ScenarioStep[] {
  const { choices } = world;
  switch (choices.below(8)) {
    case 0:
    case 1:
      return [replaceDevices(world, state)];
    case 2:
    case 3:
      return [createPod(world, state)];
    case 4:
      if (state.pods === 0) return [createPod(world, state)];
      return [remove("Pod", `single-${String(state.pods--)}`, {}, 10_000)];
    case 5:
      state.hasShared = !state.hasShared;
      return [state.hasShared ? sharedClaim(10_000) : remove("ResourceClaim", sharedName, {}, 8_000)];
    case 6:
      state.hasClass = !state.hasClass;
      return [state.hasClass ? deviceClass(10_000) : removeClass()];
    default:
      return [removeGeneratedClaims()];
  }
}
