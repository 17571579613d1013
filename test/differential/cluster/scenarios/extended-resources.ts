import { type Container, Node, Pod, type PodSpec } from "../../../../src/kinds/core/v1.js";
import { type Device, DeviceClass, ResourceClaim } from "../../../../src/kinds/resource/v1.js";
import { claim, deviceClass, devices, one, ownName } from "../device-steps.js";
import { act, create, onNodesOf, patch, remove, type Scenario, type ScenarioStep } from "../scenario.js";

/** Returns the name of the extended resource of a scenario. */
const gpu = (namespace: string): string => `${ownName(namespace)}/gpu`;
/** Returns the name of the resource that the scenario's class has without naming one. */
const implicit = (namespace: string): string => `deviceclass.resource.kubernetes.io/${ownName(namespace)}`;

/** The class of the scenario's devices with an extended resource. */
const gpuClass = (waitMs?: number, prefix?: string): ScenarioStep =>
  deviceClass(waitMs, {
    ...(prefix !== undefined && { prefix }),
    spec: (driver) => ({ extendedResourceName: `${driver}/gpu` }),
  });

const list = (count: number): Device[] => Array.from({ length: count }, (_, index) => ({ name: `gpu-${index}` }));

/** Container that requests devices. */
const using =
  (name: string, count: number, more: Partial<Container> = {}, resource = gpu) =>
  (namespace: string): Container => ({
    name,
    image: "web:1",
    resources: count === 0 ? {} : { limits: { [resource(namespace)]: String(count) } },
    ...more,
  });

type MakeContainer = ReturnType<typeof using>;

/** Creates a pod whose containers request devices. */
const pod = (
  scenario: string,
  name: string,
  containers: readonly MakeContainer[],
  { init = [], spec = {}, waitMs }: { init?: readonly MakeContainer[]; spec?: Partial<PodSpec>; waitMs?: number } = {},
): ScenarioStep =>
  act(
    `create pod ${name}`,
    ({ client, namespace }) =>
      client
        .resource(Pod)
        .namespace(namespace)
        .create({
          metadata: { name },
          spec: {
            ...onNodesOf(scenario),
            initContainers: init.map((make) => make(namespace)),
            containers: containers.map((make) => make(namespace)),
            terminationGracePeriodSeconds: 1,
            ...spec,
          } as PodSpec,
        }),
    waitMs,
  );

/** Lets a node of the scenario offer devices itself, such as by a device plugin. */
const offer = (scenario: string, node: number, count: number): ScenarioStep =>
  act(`offer ${count} devices on node ${node}`, ({ client, namespace }) => {
    const amounts = { [gpu(namespace)]: String(count) };
    return client
      .resource(Node)
      .subresource("status")
      .patch(`${scenario}-${node}`, {
        type: "strategic",
        patch: { status: { capacity: amounts, allocatable: amounts } },
      });
  });

/** Changes the name of the extended resource of the scenario's class. */
const rename = (name: string | null): ScenarioStep =>
  act(
    `name the extended resource ${String(name)}`,
    ({ client, namespace }) =>
      client.resource(DeviceClass).patch(ownName(namespace), {
        type: "merge",
        patch: { spec: { extendedResourceName: name && `${ownName(namespace)}/${name}` } } as object,
      }),
    10_000,
  );

/** Creates the claim for the extended resources of a pod as if an earlier scheduler had done so. */
const earlierClaim = (name: string): ScenarioStep =>
  act(
    `create an earlier claim for ${name}`,
    async ({ client, namespace }) => {
      const { metadata } = await client.resource(Pod).namespace(namespace).get(name);
      const owner = { apiVersion: "v1", kind: "Pod", name, uid: metadata!.uid!, controller: true };
      const exactly = { deviceClassName: ownName(namespace) };
      await client
        .resource(ResourceClaim)
        .namespace(namespace)
        .create({
          metadata: {
            generateName: `${name}-extended-resources-`,
            annotations: { "resource.kubernetes.io/extended-resource-claim": "true" },
            ownerReferences: [owner],
          },
          spec: { devices: { requests: [{ name: "container-0-request-0", exactly }] } },
        });
    },
    3_000,
  );

/** Writes a condition of the device of the only claim, such as its driver does. */
const prepare = (type: string, waitMs: number): ScenarioStep =>
  act(
    `set the condition ${type} of the device`,
    async ({ client, namespace }) => {
      const claims = client.resource(ResourceClaim).namespace(namespace);
      const { items } = await claims.list();
      const lastTransitionTime = "2026-01-01T00:00:00Z";
      const conditions = [{ type, status: "True", reason: "Driver", message: "by the driver", lastTransitionTime }];
      const status = { devices: [{ driver: ownName(namespace), pool: "first", device: "gpu-0", conditions }] };
      await claims
        .subresource("status")
        .patch(items[0]!.metadata!.name!, { type: "merge", patch: { status } as object });
    },
    waitMs,
  );

/** Scenarios of pods that get extended resources from devices. */
export const extendedResourceScenarios: readonly Scenario[] = [
  {
    name: "extended-basic",
    nodes: 2,
    steps: [
      gpuClass(),
      devices("second", 2, list(3)),
      pod("extended-basic", "first", [using("main", 2)]),
      pod("extended-basic", "second", [using("main", 2)]),
      pod("extended-basic", "implicit", [using("main", 1, {}, implicit)]),
      remove("Pod", "first"),
      remove("Pod", "implicit", {}, 10_000),
      pod("extended-basic", "too-many", [using("main", 33)]),
    ],
  },
  {
    name: "extended-containers",
    nodes: 1,
    steps: [
      gpuClass(),
      devices("first", 1, list(9)),
      pod("extended-containers", "many", [using("a", 1), using("b", 2), using("c", 0), using("d", 1, {}, implicit)], {
        init: [
          using("before", 1, { image: "exit-0:1" }),
          using("sidecar", 1, { restartPolicy: "Always" }),
          using("most", 4, { image: "exit-0:1" }),
          using("more", 5, { image: "exit-0:1" }),
        ],
        waitMs: 15_000,
      }),
      remove("Pod", "many"),
      pod("extended-containers", "done", [using("main", 9, { image: "exit-0:1" })], {
        spec: { restartPolicy: "Never" },
      }),
      pod("extended-containers", "next", [using("main", 9)], { waitMs: 10_000 }),
    ],
  },
  {
    name: "extended-late",
    nodes: 1,
    steps: [
      pod("extended-late", "web", [using("main", 1)]),
      deviceClass(6_000),
      rename("gpu"),
      devices("first", 1, list(1), 10_000),
      rename("other"),
      pod("extended-late", "late", [using("main", 1)]),
      rename(null),
      remove("Pod", "web"),
    ],
  },
  {
    name: "extended-offered",
    nodes: 2,
    steps: [
      gpuClass(),
      offer("extended-offered", 1, 1),
      devices("first", 1, list(2)),
      devices("second", 2, list(1)),
      ...[1, 2].map((node, index) =>
        pod("extended-offered", `web-${index}`, [using("main", 1)], {
          spec: { nodeSelector: { "kubernetes.io/hostname": `extended-offered-${node}` } },
        }),
      ),
      pod("extended-offered", "anywhere", [using("main", 1)]),
      remove("Pod", "web-0"),
    ],
  },
  {
    name: "extended-and-claim",
    nodes: 1,
    steps: [
      gpuClass(),
      devices("first", 1, list(2)),
      claim("own", [one("a")]),
      pod("extended-and-claim", "web", [using("main", 1)], {
        spec: { resourceClaims: [{ name: "gpu", resourceClaimName: "own" }] },
      }),
      pod("extended-and-claim", "late", [using("main", 2)]),
      remove("Pod", "web", {}, 10_000),
    ],
  },
  {
    name: "extended-offered-and-claim",
    nodes: 1,
    steps: [
      gpuClass(),
      offer("extended-offered-and-claim", 1, 1),
      devices("first", 1, list(2)),
      claim("own", [one("a")]),
      pod("extended-offered-and-claim", "web", [using("main", 1)], {
        spec: { resourceClaims: [{ name: "gpu", resourceClaimName: "own" }] },
      }),
    ],
  },
  {
    name: "extended-classes",
    nodes: 1,
    steps: [
      gpuClass(2_000, "b-"),
      gpuClass(2_000, "c-"),
      gpuClass(2_000, "a-"),
      devices("first", 1, list(2)),
      pod("extended-classes", "web", [using("main", 1)]),
    ],
  },
  {
    name: "extended-quota",
    nodes: 1,
    steps: [
      gpuClass(),
      devices("first", 1, list(2)),
      create("ResourceQuota", "few", { spec: { hard: { "count/resourceclaims.resource.k8s.io": "1" } } }),
      pod("extended-quota", "web", [using("main", 1)]),
      pod("extended-quota", "late", [using("main", 1)]),
      remove("Pod", "web", {}, 15_000),
    ],
  },
  {
    name: "extended-device-quota",
    nodes: 1,
    steps: [
      gpuClass(),
      devices("first", 1, list(4)),
      act("create a quota of devices", (stage) => {
        const { namespace } = stage;
        const hard = {
          [`requests.${gpu(namespace)}`]: "2",
          [`requests.${implicit(namespace)}`]: "3",
          [`${ownName(namespace)}.deviceclass.resource.k8s.io/devices`]: "3",
        };
        return create("ResourceQuota", "few", { spec: { hard } }).run(stage);
      }),
      claim("own", [one("a")]),
      pod("extended-device-quota", "web", [using("main", 1)]),
      pod("extended-device-quota", "refused", [using("main", 1)]),
      pod("extended-device-quota", "implicit", [using("main", 1, {}, implicit)]),
      claim("refused", [one("a")]),
      remove("Pod", "web", {}, 15_000),
      remove("ResourceClaim", "own"),
      remove("Pod", "implicit", {}, 15_000),
    ],
  },
  {
    name: "extended-deployment",
    nodes: 1,
    steps: [
      gpuClass(),
      devices("first", 1, list(2)),
      act("create Deployment web", (stage) =>
        create("Deployment", "web", {
          spec: {
            replicas: 3,
            selector: { matchLabels: { app: "web" } },
            template: {
              metadata: { labels: { app: "web" } },
              spec: {
                ...onNodesOf("extended-deployment"),
                containers: [using("main", 1)(stage.namespace)],
                terminationGracePeriodSeconds: 1,
              },
            },
          },
        }).run(stage),
      ),
      patch("Deployment", "web", { spec: { replicas: 0 } }, 15_000),
      patch("Deployment", "web", { spec: { replicas: 2 } }),
    ],
  },
  {
    name: "extended-binding",
    nodes: 1,
    steps: [
      gpuClass(),
      devices("first", 1, [{ name: "gpu-0", bindingConditions: ["Attached"], bindingFailureConditions: ["Broken"] }]),
      pod("extended-binding", "web", [using("main", 1)]),
      prepare("Broken", 20_000),
      prepare("Attached", 15_000),
      remove("Pod", "web"),
    ],
  },
  {
    name: "extended-earlier-claim",
    nodes: 1,
    steps: [
      gpuClass(),
      pod("extended-earlier-claim", "web", [using("main", 1)]),
      earlierClaim("web"),
      devices("first", 1, list(1), 15_000),
    ],
  },
];
