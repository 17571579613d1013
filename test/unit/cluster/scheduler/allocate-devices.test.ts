import { describe, expect, it } from "vitest";
import { createAllocator } from "../../../../src/cluster/scheduler/devices/allocate.js";
import type {
  AllocationResult,
  Device,
  DeviceClaim,
  DeviceClass,
  DeviceRequest,
  ExactDeviceRequest,
  ResourceClaim,
  ResourceSlice,
  ResourceSliceSpec,
} from "../../../../src/kinds/resource/v1.js";

const driver = "gpu.example.com";
const node = { metadata: { name: "node-1", labels: { zone: "a" } } };

const classes: Record<string, DeviceClass["spec"]> = {
  gpu: { config: [{ opaque: { driver, parameters: { shared: false } } }] },
  large: {
    selectors: [{ cel: { expression: `device.capacity["${driver}"].memory.compareTo(quantity("20Gi")) >= 0` } }],
  },
};

/** Returns a slice with all devices of a pool that is local to the node. */
function slice(devices: Device[], spec: Partial<ResourceSliceSpec> = {}): ResourceSlice {
  const pool = { name: "pool", generation: 1, resourceSliceCount: 1 };
  const place = spec.allNodes || spec.nodeSelector || spec.perDeviceNodeSelection ? {} : { nodeName: "node-1" };
  return { metadata: { name: "slice" }, spec: { driver, pool, devices, ...place, ...spec } };
}

const gpu = (name: string, device: Partial<Device> = {}): Device => ({ name, ...device });
const exact = (name: string, wanted: Partial<ExactDeviceRequest> = {}): DeviceRequest => ({
  name,
  exactly: { deviceClassName: "gpu", ...wanted },
});
const select = (expression: string): Partial<ExactDeviceRequest> => ({ selectors: [{ cel: { expression } }] });

let claims = 0;
function claim(requests: DeviceRequest[], devices: Partial<DeviceClaim> = {}): ResourceClaim {
  return { metadata: { namespace: "default", name: `claim-${claims++}` }, spec: { devices: { requests, ...devices } } };
}

/** Returns a claim that uses devices of the pool. */
function user(devices: string[], adminAccess?: boolean): ResourceClaim {
  const results = devices.map((device) => ({ request: "r", driver, pool: "pool", device, adminAccess }));
  return { ...claim([]), status: { allocation: { devices: { results } } } };
}

function allocate(
  wanted: ResourceClaim[],
  slices: ResourceSlice[],
  others: ResourceClaim[] = [],
): AllocationResult[] | undefined {
  const deviceClass = (name: string): DeviceClass | undefined =>
    classes[name] && { metadata: { name }, spec: classes[name] };
  let shares = 0;
  const uuid = (): string => `share-${shares++}`;
  return createAllocator(wanted, { slices, claims: others, deviceClass, uuid })(node);
}

/** Returns the chosen devices of each claim, such as `a=gpu-0`. */
function chosen(...input: Parameters<typeof allocate>): string[][] | undefined {
  return allocate(...input)?.map(({ devices }) =>
    devices!.results!.map(({ request, device }) => `${request}=${device}`),
  );
}

const three = [gpu("gpu-0"), gpu("gpu-1"), gpu("gpu-2")];
const numa = (...nodes: number[]): Device[] =>
  nodes.map((int, index) => gpu(`gpu-${index}`, { attributes: { numa: { int } } }));
const matchNuma = { constraints: [{ matchAttribute: `${driver}/numa` }] };
const distinctNuma = { constraints: [{ distinctAttribute: `${driver}/numa` }] };
const taint = { key: "broken", effect: "NoSchedule" as const };
const half = [{ counterSet: "gpu", counters: { memory: { value: "20Gi" } } }];
const whole = [{ counterSet: "gpu", counters: { memory: { value: "40Gi" } } }];
const parts = [
  gpu("whole", { consumesCounters: whole }),
  gpu("half-0", { consumesCounters: half }),
  gpu("half-1", { consumesCounters: half }),
];
const divided = (): ResourceSlice[] => {
  const pool = { name: "pool", generation: 1, resourceSliceCount: 2 };
  const sharedCounters = [{ name: "gpu", counters: { memory: { value: "40Gi" } } }];
  return [slice(parts, { pool }), slice([], { pool, sharedCounters })];
};
const tenGi: Partial<Device> = { capacity: { memory: { value: "10Gi" } } };
const sharedGpu = (name: string, device: Partial<Device> = {}): Device =>
  gpu(name, { ...tenGi, allowMultipleAllocations: true, ...device });
const memory = (name: string, amount: string): DeviceRequest =>
  exact(name, { capacity: { requests: { memory: amount } } });
/** Returns slices of two devices that claims share. The counters suffice for one of them. */
const sharedParts = (): ResourceSlice[] => {
  const pool = { name: "pool", generation: 1, resourceSliceCount: 2 };
  const sharedCounters = [{ name: "gpu", counters: { memory: { value: "40Gi" } } }];
  const devices = ["half-0", "half-1"].map((name) => sharedGpu(name, { consumesCounters: whole }));
  return [slice(devices, { pool }), slice([], { pool, sharedCounters })];
};
/** Returns a claim that uses a share of a device. */
function sharer(device: string, amount: string): ResourceClaim {
  const result = { request: "r", driver, pool: "pool", device, shareID: `share-${claims++}` };
  return {
    ...claim([]),
    status: { allocation: { devices: { results: [{ ...result, consumedCapacity: { memory: amount } }] } } },
  };
}
const alternatives: DeviceRequest = {
  name: "a",
  firstAvailable: [
    { name: "many", deviceClassName: "gpu", count: 3 },
    { name: "one", deviceClassName: "gpu" },
  ],
};

describe("devices are allocated", () => {
  it.each<[string, ResourceClaim[], ResourceSlice[], ResourceClaim[], string[][] | undefined]>([
    ["in the order of the slice", [claim([exact("a", { count: 2 })])], [slice(three)], [], [["a=gpu-0", "a=gpu-1"]]],
    ["without those in use", [claim([exact("a")])], [slice(three)], [user(["gpu-0"])], [["a=gpu-1"]]],
    [
      "to two claims of a pod",
      [claim([exact("a")]), claim([exact("b")])],
      [slice(three)],
      [],
      [["a=gpu-0"], ["b=gpu-1"]],
    ],
    [
      "to no claim if one lacks a device",
      [claim([exact("a", { count: 2 })]), claim([exact("b", { count: 2 })])],
      [slice(three)],
      [],
      undefined,
    ],
    [
      "by attributes",
      [claim([exact("a", select(`device.attributes["${driver}"].numa == 1`))])],
      [slice(numa(0, 1))],
      [],
      [["a=gpu-1"]],
    ],
    [
      "by versions",
      [claim([exact("a", select(`device.attributes["${driver}"].v.isGreaterThan(semver("1.2.0"))`))])],
      [
        slice([
          gpu("gpu-0", { attributes: { v: { version: "1.1.9" } } }),
          gpu("gpu-1", { attributes: { v: { version: "1.10.0" } } }),
        ]),
      ],
      [],
      [["a=gpu-1"]],
    ],
    [
      "by the capacity that a class wants",
      [claim([exact("a", { deviceClassName: "large" })])],
      [
        slice([
          gpu("gpu-0", { capacity: { memory: { value: "10Gi" } } }),
          gpu("gpu-1", { capacity: { memory: { value: "20Gi" } } }),
        ]),
      ],
      [],
      [["a=gpu-1"]],
    ],
    [
      "by the domain of an attribute",
      [claim([exact("a", select(`"other.example.com" in device.attributes && !("x" in device.attributes)`))])],
      [slice([gpu("gpu-0"), gpu("gpu-1", { attributes: { "other.example.com/x": { bool: true } } })])],
      [],
      [["a=gpu-1"]],
    ],
    [
      "with another choice for an earlier request",
      [claim([exact("a"), exact("b", select(`device.attributes["${driver}"].numa == 0`))])],
      [slice(numa(0, 1))],
      [],
      [["a=gpu-1", "b=gpu-0"]],
    ],
    [
      "as all that match",
      [claim([exact("a", { allocationMode: "All" })])],
      [slice(three)],
      [],
      [["a=gpu-0", "a=gpu-1", "a=gpu-2"]],
    ],
    [
      "as all, unless one is in use",
      [claim([exact("a", { allocationMode: "All" })])],
      [slice(three)],
      [user(["gpu-1"])],
      undefined,
    ],
    [
      "as all, unless none matches",
      [claim([exact("a", { allocationMode: "All", ...select("false") })])],
      [slice(three)],
      [],
      undefined,
    ],
    [
      "by the first alternative that fits",
      [claim([alternatives])],
      [slice(three)],
      [user(["gpu-0"])],
      [["a/one=gpu-1"]],
    ],
    [
      "with a common attribute",
      [claim([exact("a", { count: 2 })], matchNuma)],
      [slice(numa(0, 1, 1))],
      [],
      [["a=gpu-1", "a=gpu-2"]],
    ],
    [
      "with different attributes",
      [claim([exact("a", { count: 2 })], distinctNuma)],
      [slice(numa(0, 0, 1))],
      [],
      [["a=gpu-0", "a=gpu-2"]],
    ],
    ["without those that lack the attribute", [claim([exact("a")], matchNuma)], [slice(three)], [], undefined],
    [
      "without tainted ones",
      [claim([exact("a")])],
      [slice([gpu("gpu-0", { taints: [taint] }), gpu("gpu-1", { taints: [{ ...taint, effect: "None" }] })])],
      [],
      [["a=gpu-1"]],
    ],
    [
      "with taints that are tolerated",
      [claim([exact("a", { tolerations: [{ key: "broken", operator: "Exists" }] })])],
      [slice([gpu("gpu-0", { taints: [taint] })])],
      [],
      [["a=gpu-0"]],
    ],
    [
      "to administrators while others use them",
      [claim([exact("a", { adminAccess: true })])],
      [slice(three)],
      [user(["gpu-0"])],
      [["a=gpu-0"]],
    ],
    ["while an administrator uses them", [claim([exact("a")])], [slice(three)], [user(["gpu-0"], true)], [["a=gpu-0"]]],
    [
      "from slices of the node's labels",
      [claim([exact("a")])],
      [
        slice(three, {
          nodeSelector: { nodeSelectorTerms: [{ matchExpressions: [{ key: "zone", operator: "In", values: ["a"] }] }] },
        }),
      ],
      [],
      [["a=gpu-0"]],
    ],
    ["from slices of all nodes", [claim([exact("a")])], [slice(three, { allNodes: true })], [], [["a=gpu-0"]]],
    [
      "by the node of each device",
      [claim([exact("a")])],
      [
        slice([gpu("gpu-0", { nodeName: "node-2" }), gpu("gpu-1", { allNodes: true })], {
          perDeviceNodeSelection: true,
        }),
      ],
      [],
      [["a=gpu-1"]],
    ],
    ["as parts that fit together", [claim([exact("a", { count: 2 })])], divided(), [], [["a=half-0", "a=half-1"]]],
    ["as a part next to another one", [claim([exact("a")])], divided(), [user(["half-0"])], [["a=half-1"]]],
    ["not as parts of a device that is in use", [claim([exact("a")])], divided(), [user(["whole"])], undefined],
    [
      "to two claims that share one",
      [claim([memory("a", "6Gi")]), claim([memory("b", "4Gi")])],
      [slice([sharedGpu("gpu-0"), sharedGpu("gpu-1")])],
      [],
      [["a=gpu-0"], ["b=gpu-0"]],
    ],
    [
      "to two requests that exceed the capacity of one",
      [claim([memory("a", "6Gi"), memory("b", "5Gi")])],
      [slice([sharedGpu("gpu-0"), sharedGpu("gpu-1")])],
      [],
      [["a=gpu-0", "b=gpu-1"]],
    ],
    [
      "next to the shares of other claims",
      [claim([memory("a", "4Gi")])],
      [slice([sharedGpu("gpu-0"), sharedGpu("gpu-1")])],
      [sharer("gpu-0", "4Gi"), sharer("gpu-0", "3Gi")],
      [["a=gpu-1"]],
    ],
    [
      "once per request, even if they can be shared",
      [claim([exact("a", { count: 2, capacity: { requests: { memory: "1Gi" } } })])],
      [slice([sharedGpu("gpu-0")])],
      [],
      undefined,
    ],
    [
      "as all that have enough capacity left",
      [claim([exact("a", { allocationMode: "All", capacity: { requests: { memory: "4Gi" } } })])],
      [slice([sharedGpu("gpu-0"), sharedGpu("gpu-1")])],
      [sharer("gpu-0", "7Gi")],
      [["a=gpu-1"]],
    ],
    [
      "by a capacity that claims don't share",
      [claim([memory("a", "6Gi")])],
      [slice([gpu("gpu-0"), gpu("gpu-1", { capacity: { memory: { value: "4Gi" } } }), gpu("gpu-2", tenGi)])],
      [],
      [["a=gpu-2"]],
    ],
    [
      "as several shares that use the counters of one device",
      [claim([memory("a", "4Gi"), memory("b", "4Gi")])],
      sharedParts(),
      [],
      [["a=half-0", "b=half-0"]],
    ],
    [
      "as a share of a part whose counters are used already",
      [claim([memory("a", "4Gi")])],
      sharedParts(),
      [sharer("half-0", "4Gi")],
      [["a=half-0"]],
    ],
    [
      "not as a part whose counters the shares of another one use",
      [claim([memory("a", "8Gi")])],
      sharedParts(),
      [sharer("half-0", "4Gi")],
      undefined,
    ],
    ["not from another node", [claim([exact("a")])], [slice(three, { nodeName: "node-2" })], [], undefined],
    [
      "not from a pool without all of its slices",
      [claim([exact("a")])],
      [slice(three, { pool: { name: "pool", generation: 1, resourceSliceCount: 2 } })],
      [],
      undefined,
    ],
    [
      "from the newest generation of a pool",
      [claim([exact("a")])],
      [slice(three), slice([gpu("new")], { pool: { name: "pool", generation: 2, resourceSliceCount: 1 } })],
      [],
      [["a=new"]],
    ],
    [
      "not from a pool with two devices of one name",
      [claim([exact("a")])],
      [slice([gpu("gpu-0"), gpu("gpu-0")])],
      [],
      undefined,
    ],
    [
      "for at most 32 results of a claim",
      [claim([exact("a", { allocationMode: "All" })])],
      [slice(Array.from({ length: 40 }, (_, index) => gpu(`gpu-${index}`)))],
      [],
      undefined,
    ],
  ])("%s", (_, wanted, slices, others, expected) => {
    expect(chosen(wanted, slices, others)).toEqual(expected);
  });
});

it("an allocation of a share says what it consumes", () => {
  const device = sharedGpu("gpu-0", {
    bindingConditions: ["Attached"],
    bindingFailureConditions: ["Broken"],
    capacity: { memory: { value: "10Gi" }, cores: { value: "8", requestPolicy: { default: "2" } } },
  });
  const [result] = allocate([claim([memory("a", "6Gi")])], [slice([device])])!;
  expect(result!.devices!.results).toEqual([
    {
      request: "a",
      driver,
      pool: "pool",
      device: "gpu-0",
      shareID: "share-0",
      consumedCapacity: { memory: "6Gi", cores: "2" },
      bindingConditions: ["Attached"],
      bindingFailureConditions: ["Broken"],
    },
  ]);
});

it("an allocation has the configuration of the classes and of the requests that were chosen", () => {
  const parameters = (each: number) => ({ opaque: { driver, parameters: { each } } });
  const config = [
    { requests: ["a/one"], ...parameters(1) },
    { requests: ["a/many"], ...parameters(2) },
    { requests: ["a"], ...parameters(3) },
    parameters(4),
  ];
  const [result] = allocate([claim([exact("b"), alternatives], { config })], [slice(three.slice(0, 2))])!;
  expect(result!.devices!.config).toEqual([
    { source: "FromClass", requests: ["b", "a/one"], opaque: { driver, parameters: { shared: false } } },
    { source: "FromClaim", requests: ["a/one"], ...parameters(1) },
    { source: "FromClaim", requests: ["a"], ...parameters(3) },
    { source: "FromClaim", ...parameters(4) },
  ]);
});

it("an allocation of devices that several nodes share is for the nodes that all of them allow", () => {
  const inZone = { key: "zone", operator: "In" as const, values: ["a"] };
  const hasName = { key: "metadata.name", operator: "In" as const, values: ["node-1", "node-2"] };
  const shared = (name: string, term: object): ResourceSlice => ({
    ...slice([gpu(name)], {
      pool: { name, generation: 1, resourceSliceCount: 1 },
      nodeSelector: { nodeSelectorTerms: [term] },
    }),
  });
  const slices = [
    shared("x", { matchExpressions: [inZone] }),
    shared("y", { matchExpressions: [inZone], matchFields: [hasName] }),
  ];
  const [result] = allocate([claim([exact("a", { count: 2 })])], slices)!;
  expect(result!.nodeSelector).toEqual({
    nodeSelectorTerms: [{ matchFields: [hasName], matchExpressions: [inZone] }],
  });
});

it("a selector that fails ends the allocation with its claim and its reason", () => {
  const { metadata, spec } = claim([exact("a", select(`device.attributes["${driver}"].missing == "x"`))]);
  expect(() => allocate([{ metadata: { ...metadata, name: "bad" }, spec }], [slice(three)])).toThrow(
    "claim default/bad: selector #0: CEL runtime error: no such key: missing",
  );
});

it("a claim of more devices than its status can hold is refused, whatever the devices are", () => {
  const many = (name: string): DeviceRequest => exact(name, { count: 16 });
  expect(allocate([claim([many("a"), many("b")])], [slice(three)])).toBeUndefined();
  const { metadata, spec } = claim([many("a"), many("b"), exact("c", { allocationMode: "All" })]);
  expect(() => allocate([{ metadata: { ...metadata, name: "big" }, spec }], [slice(three)])).toThrow(
    "claim default/big: number of requested devices 33 exceeds the claim limit of 32",
  );
});

it("a search for devices that takes too many steps ends", () => {
  const many = Array.from({ length: 40 }, (_, index) =>
    gpu(`gpu-${index}`, { attributes: { numa: { int: index % 2 } } }),
  );
  const wanted = [claim([exact("a", { count: 12 }), exact("b", { ...select("false") })])];
  expect(() => allocate(wanted, [slice(many)])).toThrow("timed out trying to allocate devices");
});
