import { describe, expect, it } from "vitest";
import {
  extendedClaim,
  extendedResources,
  preferredClass,
  resourcesOf,
} from "../../../../src/cluster/scheduler/devices/extended-resources.js";
import { dynamicResources } from "../../../../src/cluster/scheduler/plugins/dynamic-resources.js";
import { nodeResourcesFit } from "../../../../src/cluster/scheduler/plugins/node-resources.js";
import { podInfo } from "../../../../src/cluster/scheduler/snapshot/node-info.js";
import type { Container, Pod } from "../../../../src/kinds/core/v1.js";
import type { DeviceClass } from "../../../../src/kinds/resource/v1.js";
import { cluster, pod, requesting } from "./snapshots.js";

const classOf = (resource: string): DeviceClass => ({ metadata: { name: `class-of-${resource}` }, spec: {} });

let names = 0;
const using = (requests: Record<string, string>, more: Partial<Container> = {}): Container => ({
  name: `c${names++}`,
  image: "web:1",
  resources: { requests },
  ...more,
});
const sidecar = { restartPolicy: "Always" };

/** Returns the requests of a pod's claim by name, and the requests that each container uses. */
function described(initContainers: Container[], containers: Container[], resources: string[]): [object, object] {
  names = 0;
  const named = (list: Container[]): Container[] => list.map((each) => ({ ...each, name: `c${names++}` }));
  const given: Pod = { apiVersion: "v1", kind: "Pod", ...pod() };
  given.spec = { initContainers: named(initContainers), containers: named(containers) };
  const { claim, mappings } = extendedClaim(given, resources, classOf);
  const requests = claim.spec.devices!.requests!.map(({ name, exactly }) => [
    name.replace(/container-(\d+)-request-(\d+)/, "$1.$2"),
    `${exactly!.count} ${exactly!.deviceClassName.slice("class-of-".length)}`,
  ]);
  const uses = mappings.map(
    ({ containerName, requestName, resourceName }) =>
      `${containerName} ${resourceName} ${requestName.replace(/container-(\d+)-request-(\d+)/, "$1.$2")}`,
  );
  return [Object.fromEntries(requests), uses];
}

describe("The claim for a pod's extended resources has", () => {
  it.each<[title: string, init: Container[], containers: Container[], requests: object, uses: string[]]>([
    ["a request for a container", [], [using({ "a/x": "2" })], { "0.0": "2 a/x" }, ["c0 a/x 0.0"]],
    [
      "requests numbered by the sorted names of all resources",
      [],
      [using({ "b/y": "1", cpu: "1", "a/x": "2" })],
      { "0.0": "2 a/x", "0.1": "1 b/y" },
      ["c0 a/x 0.0", "c0 b/y 0.1"],
    ],
    [
      "a request for each container",
      [],
      [using({ "a/x": "2" }), using({}), using({ "a/x": "1" })],
      { "0.0": "2 a/x", "2.0": "1 a/x" },
      ["c0 a/x 0.0", "c2 a/x 2.0"],
    ],
    [
      "no request for an init container that later containers suffice for",
      [using({ "a/x": "2" })],
      [using({ "a/x": "1" }), using({ "a/x": "1" }), using({ "a/x": "1" })],
      { "1.0": "1 a/x", "2.0": "1 a/x", "3.0": "1 a/x" },
      ["c1 a/x 1.0", "c2 a/x 2.0", "c3 a/x 3.0", "c0 a/x 1.0", "c0 a/x 2.0"],
    ],
    [
      "one request for the devices that init containers need in addition",
      [using({ "a/x": "2" }), using({ "a/x": "4" }), using({ "a/x": "3" })],
      [using({ "a/x": "1" })],
      { "1.0": "3 a/x", "3.0": "1 a/x" },
      ["c3 a/x 3.0", "c0 a/x 3.0", "c0 a/x 1.0", "c1 a/x 3.0", "c1 a/x 1.0", "c2 a/x 3.0", "c2 a/x 1.0"],
    ],
    [
      "a request for a sidecar, whose devices only earlier init containers use",
      [using({ "a/x": "1" }), using({ "a/x": "1" }, sidecar), using({ "a/x": "1" })],
      [using({})],
      { "1.0": "1 a/x", "2.0": "1 a/x" },
      ["c1 a/x 1.0", "c0 a/x 1.0", "c2 a/x 2.0"],
    ],
  ])("%s", (_, init, containers, requests, uses) => {
    expect(described(init, containers, ["b/y", "a/x"])).toEqual([requests, uses]);
  });

  it("requests sorted by name", () => {
    const containers = Array.from({ length: 11 }, () => using({ "a/x": "1" }));
    const [requests] = described([], containers, ["a/x"]);
    expect(Object.keys(requests).slice(0, 3)).toEqual(["0.0", "1.0", "10.0"]);
  });

  it("the pod as its controller, and the name of the pod in its own", () => {
    const { metadata } = extendedClaim({ apiVersion: "v1", kind: "Pod", ...pod() }, [], classOf).claim;
    expect(metadata).toMatchObject({
      name: "<extended-resources>",
      generateName: "pod-extended-resources-",
      annotations: { "resource.kubernetes.io/extended-resource-claim": "true" },
      ownerReferences: [{ apiVersion: "v1", kind: "Pod", name: "pod", controller: true }],
    });
    expect(metadata!.ownerReferences![0]).not.toHaveProperty("blockOwnerDeletion");
  });
});

it("devices may provide requested resources that have a domain, and those of a device class", () => {
  const requests = {
    cpu: 1,
    "hugepages-2Mi": 1,
    "a.example/x": 1,
    "a.example/none": 0,
    "kubernetes.io/x": 1,
    "deviceclass.resource.kubernetes.io/gpu": 1,
  };
  expect(extendedResources(requests)).toEqual(["a.example/x", "deviceclass.resource.kubernetes.io/gpu"]);
});

it("a class provides the resource that it names, and one of its own name", () => {
  const gpu = { metadata: { name: "gpu" }, spec: {} };
  expect(resourcesOf(gpu)).toEqual(["deviceclass.resource.kubernetes.io/gpu"]);
  expect(resourcesOf({ ...gpu, spec: { extendedResourceName: "a/x" } })).toContain("a/x");
});

it("of classes with the same resource, the newest one is preferred, then the first by name", () => {
  const made = (name: string, second: number): DeviceClass => ({
    metadata: { name, creationTimestamp: `2026-01-01T00:00:0${second}Z` },
    spec: {},
  });
  const best = (...classes: DeviceClass[]): string | undefined => preferredClass(classes)?.metadata!.name;
  expect(best()).toBeUndefined();
  expect(best(made("a", 1), made("c", 2), made("b", 2))).toBe("b");
  expect(best(made("b", 2), made("a", 1))).toBe("b");
});

describe("With extended resources of a device class, a node is rejected", () => {
  const resource = "example.com/gpu";
  const reader = { classOfResource: (name: string) => (name === resource ? classOf(name) : undefined) };
  const rejected = (wanted: Pod, allocatable: Record<string, string>, used: Pod[] = []): unknown => {
    const snapshot = cluster({ a: { allocatable, pods: used } });
    const filter = nodeResourcesFit(reader).filter!(podInfo(wanted), snapshot);
    return typeof filter === "function" ? filter(snapshot.nodes[0]!)?.reasons : filter;
  };

  it("for its resources if it offers them itself, but not enough", () => {
    const two = requesting({ [resource]: "2" });
    expect(rejected(two, { [resource]: "2" })).toBeUndefined();
    expect(rejected(two, { [resource]: "2" }, [requesting({ [resource]: "1" })])).toEqual([`Insufficient ${resource}`]);
  });

  it("for its devices if it doesn't offer them itself", () => {
    const two = requesting({ [resource]: "2" });
    expect(rejected(two, {})).toBeUndefined();
    expect(rejected(two, { [resource]: "0" }, [requesting({ [resource]: "1" })])).toBeUndefined();
    expect(rejected(requesting({ "example.com/other": "1" }), {})).toEqual(["Insufficient example.com/other"]);
    const snapshot = cluster({ a: {}, b: { allocatable: { [resource]: "2" } } });
    const filter = dynamicResources({
      ...reader,
      claim: () => undefined,
      extendedClaim: () => undefined,
      isPending: () => false,
      deviceClass: () => undefined,
      allocator: () => () => undefined,
      now: () => 0,
    }).filter!(podInfo({ apiVersion: "v1", kind: "Pod", ...two }), snapshot);
    if (typeof filter !== "function") throw new Error("expected a filter for each node");
    expect(snapshot.nodes.map((node) => filter(node)?.reasons)).toEqual([["cannot allocate all claims"], undefined]);
  });
});
