import { describe, expect, it } from "vitest";
import { imageLocality } from "../../../../src/cluster/scheduler/plugins/image-locality.js";
import {
  planVolumes,
  readClaims,
  type VolumeReader,
  volumeBinding,
} from "../../../../src/cluster/scheduler/plugins/volume-binding.js";
import { nodeVolumeLimits } from "../../../../src/cluster/scheduler/plugins/volume-limits.js";
import { filterNodes } from "../../../../src/cluster/scheduler/select-node.js";
import { podInfo } from "../../../../src/cluster/scheduler/snapshot/node-info.js";
import type { PersistentVolume, PersistentVolumeClaim, Pod } from "../../../../src/kinds/core/v1.js";
import { cluster, nodeTerm, pod } from "./snapshots.js";

const selectedNode = "volume.kubernetes.io/selected-node";
const bound = { "pv.kubernetes.io/bind-completed": "yes" };

function claim(name: string, size: string, more: { spec?: object; annotations?: Record<string, string> } = {}) {
  const { spec = {}, annotations = {} } = more;
  const requests = { storage: size };
  return {
    metadata: { name, namespace: "default", uid: `uid-${name}`, annotations },
    spec: { storageClassName: "late", accessModes: ["ReadWriteOnce"], resources: { requests }, ...spec },
  } as PersistentVolumeClaim;
}

function volume(name: string, size: string, node?: string, spec: object = {}): PersistentVolume {
  const required = node && { nodeSelectorTerms: [nodeTerm("kubernetes.io/hostname", "In", node)] };
  return {
    metadata: { name, uid: `uid-${name}` },
    spec: {
      storageClassName: "late",
      capacity: { storage: size },
      accessModes: ["ReadWriteOnce"],
      ...(required && { nodeAffinity: { required } }),
      ...spec,
    },
    status: { phase: "Available" },
  } as unknown as PersistentVolume;
}

interface Storage {
  claims?: PersistentVolumeClaim[];
  volumes?: PersistentVolume[];
  provisioner?: string;
  storageCapacity?: boolean;
  capacities?: object[];
  limits?: Record<string, number>;
  attachments?: object[];
}

function reader({ claims = [], volumes = [], provisioner = "example.com/disk", ...more }: Storage): VolumeReader {
  const drivers = Object.entries(more.limits ?? {}).map(([name, count]) => ({
    name,
    nodeID: "a",
    allocatable: { count },
  }));
  return {
    claim: (_, name) => claims.find(({ metadata }) => metadata?.name === name),
    volume: (name) => volumes.find(({ metadata }) => metadata?.name === name),
    volumes: () => volumes,
    storageClass: (name) =>
      name === "late" ? { metadata: { name }, provisioner, volumeBindingMode: "WaitForFirstConsumer" } : undefined,
    driver: () => ({ spec: { storageCapacity: more.storageCapacity } }),
    capacities: () => (more.capacities ?? []) as ReturnType<VolumeReader["capacities"]>,
    csiNode: (name) => (name === "a" ? ({ spec: { drivers } } as ReturnType<VolumeReader["csiNode"]>) : undefined),
    attachments: () => (more.attachments ?? []) as ReturnType<VolumeReader["attachments"]>,
  };
}

function user(...names: string[]): Pod {
  return pod({ volumes: names.map((name) => ({ name, persistentVolumeClaim: { claimName: name } })) });
}

const none = "kubernetes.io/no-provisioner";
const elsewhere = "node(s) didn't match PersistentVolume's node affinity";
const missing = "node(s) unavailable due to one or more pvc(s) bound to non-existent pv(s)";
const unavailable = "node(s) didn't find available persistent volumes to bind";
const tooSmall = "node(s) did not have enough free storage";
const everywhere = { storageClassName: "late", nodeTopology: {} };
const onA = { storageClassName: "late", nodeTopology: { matchLabels: { "kubernetes.io/hostname": "a" } } };

describe("volumes of a pod", () => {
  it.each<[string, Storage, string | string[]]>([
    [
      "give each claim a volume of its own, the smallest claim first",
      {
        claims: [claim("x", "3Gi"), claim("y", "1Gi")],
        volumes: [volume("m", "3Gi"), volume("n", "5Gi")],
        provisioner: none,
      },
      "y=m x=n",
    ],
    [
      "don't suffice if two claims match one volume",
      { claims: [claim("x", "1Gi"), claim("y", "1Gi")], volumes: [volume("m", "3Gi")], provisioner: none },
      [unavailable],
    ],
    [
      "are provisioned for the claims that match none",
      { claims: [claim("x", "1Gi"), claim("y", "1Gi")], volumes: [volume("m", "3Gi")] },
      "x=m y",
    ],
    [
      "stay with the node for which they are provisioned, even if another volume matches",
      { claims: [claim("x", "1Gi", { annotations: { [selectedNode]: "a" } })], volumes: [volume("m", "3Gi")] },
      "x",
    ],
    [
      "aren't provisioned for a second node",
      { claims: [claim("x", "1Gi", { annotations: { [selectedNode]: "b" } })] },
      [unavailable],
    ],
    [
      "that are reserved for a claim precede smaller ones",
      {
        claims: [claim("x", "1Gi")],
        volumes: [volume("m", "1Gi"), volume("n", "5Gi", "a", { claimRef: { namespace: "default", name: "x" } })],
      },
      "x=n",
    ],
    [
      "that are reserved for a claim on another node don't give way to others",
      {
        claims: [claim("x", "1Gi")],
        volumes: [volume("m", "1Gi"), volume("n", "5Gi", "b", { claimRef: { namespace: "default", name: "x" } })],
        provisioner: none,
      },
      [unavailable],
    ],
    [
      "have all reasons of a node",
      {
        claims: [claim("x", "1Gi", { spec: { volumeName: "m" }, annotations: bound }), claim("y", "1Gi")],
        volumes: [volume("m", "1Gi", "b")],
        provisioner: none,
      },
      [elsewhere, unavailable],
    ],
    [
      "have the reason of a missing volume last",
      {
        claims: [claim("x", "1Gi", { spec: { volumeName: "gone" }, annotations: bound }), claim("y", "1Gi")],
        provisioner: none,
      },
      [unavailable, missing],
    ],
    ["need no capacity if the driver reports none", { claims: [claim("x", "1Gi")], storageCapacity: false }, "x"],
    ["need capacity if the driver reports it", { claims: [claim("x", "1Gi")], storageCapacity: true }, [tooSmall]],
    [
      "find capacity on the node",
      { claims: [claim("x", "1Gi")], storageCapacity: true, capacities: [{ ...onA, capacity: "1Gi" }] },
      "x",
    ],
    [
      "don't fit into less capacity",
      { claims: [claim("x", "1Gi")], storageCapacity: true, capacities: [{ ...onA, capacity: "1023Mi" }] },
      [tooSmall],
    ],
    [
      "are limited by the size of the largest volume, if it is known",
      {
        claims: [claim("x", "2Gi")],
        storageCapacity: true,
        capacities: [{ ...everywhere, capacity: "9Gi", maximumVolumeSize: "1Gi" }],
      },
      [tooSmall],
    ],
    [
      "don't find capacity of another class or without topology",
      {
        claims: [claim("x", "1Gi")],
        storageCapacity: true,
        capacities: [
          { ...everywhere, storageClassName: "other", capacity: "9Gi" },
          { storageClassName: "late", capacity: "9Gi" },
        ],
      },
      [tooSmall],
    ],
  ])("%s", (_, storage, expected) => {
    const view = cluster({ a: {}, b: {} });
    const source = reader(storage);
    const claims = readClaims(user(...storage.claims!.map(({ metadata }) => metadata!.name!)), source);
    if ("rejectsAll" in claims) throw new Error(claims.rejectsAll);
    const plan = planVolumes(claims, view.nodes[0]!, source);
    const text =
      "bindings" in plan
        ? [
            ...plan.bindings.map(({ claim: own, volume: chosen }) => `${own.metadata?.name}=${chosen.metadata?.name}`),
            ...plan.provisions.map(({ metadata }) => metadata?.name),
          ].join(" ")
        : plan;
    expect(text).toEqual(expected);
  });

  it("are unbound while their claim names one that the controller hasn't bound yet", () => {
    const source = reader({
      claims: [claim("x", "1Gi", { spec: { volumeName: "m" } })],
      volumes: [volume("m", "1Gi")],
    });
    const { rejectsAll } = filterNodes(podInfo(user("x")), {
      plugins: [volumeBinding(source)],
      cluster: cluster({ a: {} }),
    });
    expect(rejectsAll).toBe("pod has unbound immediate PersistentVolumeClaims");
  });
});

const attachable = (name: string, driver = "example.com/disk"): [PersistentVolumeClaim, PersistentVolume] => [
  claim(name, "1Gi", { spec: { volumeName: `pv-${name}` }, annotations: bound }),
  volume(`pv-${name}`, "1Gi", undefined, { csi: { driver, volumeHandle: name } }),
];

describe("limits of a node's volumes", () => {
  const known = [attachable("x"), attachable("y"), attachable("z"), attachable("other", "example.com/other")];
  const storage = {
    claims: [...known.map(([each]) => each), claim("late", "1Gi")],
    volumes: known.map(([, each]) => each),
  };
  const attachment = (name: string): object => ({
    spec: { nodeName: "a", attacher: "example.com/disk", source: { persistentVolumeName: `pv-${name}` } },
  });
  it.each<
    [
      string,
      { pod: string[]; others?: string[][]; limits?: Record<string, number>; attachments?: object[]; fits: string },
    ]
  >([
    ["without a limit, any number fits", { pod: ["x", "y", "z"], fits: "a b" }],
    ["up to the limit, volumes fit", { pod: ["x", "y"], limits: { "example.com/disk": 2 }, fits: "a b" }],
    ["more volumes than the limit don't fit", { pod: ["x", "y", "z"], limits: { "example.com/disk": 2 }, fits: "b" }],
    [
      "volumes of other pods count",
      { pod: ["x"], others: [["y"], ["z"]], limits: { "example.com/disk": 2 }, fits: "b" },
    ],
    [
      "a volume that pods share counts once",
      { pod: ["x"], others: [["x"], ["y"]], limits: { "example.com/disk": 2 }, fits: "a b" },
    ],
    [
      "volumes of other drivers don't count",
      { pod: ["x"], others: [["other"]], limits: { "example.com/disk": 1 }, fits: "a b" },
    ],
    [
      "attached volumes count",
      { pod: ["x"], attachments: [attachment("y")], limits: { "example.com/disk": 1 }, fits: "b" },
    ],
    [
      "an attached volume of a pod counts once",
      { pod: ["x"], others: [["y"]], attachments: [attachment("y")], limits: { "example.com/disk": 2 }, fits: "a b" },
    ],
    [
      "a volume to provision counts for the driver of its class",
      { pod: ["late"], others: [["x"]], limits: { "example.com/disk": 1 }, fits: "b" },
    ],
  ])("%s", (_, { pod: names, others = [], limits = {}, attachments = [], fits }) => {
    const plugins = [nodeVolumeLimits(reader({ ...storage, limits, attachments }))];
    const view = cluster({ a: { pods: others.map((each) => user(...each)) }, b: {} });
    const { fitting, rejections } = filterNodes(podInfo(user(...names)), { plugins, cluster: view });
    expect(fitting.map(({ name }) => name).join(" ")).toBe(fits);
    for (const rejection of rejections.values())
      expect(rejection).toEqual({ reasons: ["node(s) exceed max volume count"], resolvable: true });
  });
});

describe("score of a node's images", () => {
  const mebibyte = 1_024 * 1_024;
  it.each([
    ["is 0 for small images", [20, 0], ["web:1"], [0, 0]],
    ["grows with the size", [523, 223], ["web:1"], [51, 20]],
    ["is limited", [5_000, 0], ["web:1"], [100, 0]],
    ["is shared by the containers", [523, 0], ["web:1", "other:1"], [12, 0]],
    ["finds an image without a tag", [523, 523], ["latest"], [51, 51]],
  ])("%s", (_, sizes, images, expected) => {
    const view = cluster({ a: {}, b: {} });
    for (const [index, size] of sizes.entries()) {
      const { node } = view.nodes[index]!;
      const names = ["web:1", "latest:latest"];
      const status = { ...node.status, images: size === 0 ? [] : [{ names, sizeBytes: size * mebibyte }] };
      view.setNode({ ...node, status } as never);
    }
    const info = podInfo(pod({ containers: images.map((image) => ({ name: image, image })) }));
    expect(imageLocality.score!(info, view.nodes, view)).toEqual(expected);
  });
});
