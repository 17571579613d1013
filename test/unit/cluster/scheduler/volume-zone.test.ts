import { expect, it } from "vitest";
import { volumeZone } from "../../../../src/cluster/scheduler/plugins/volumes.js";
import { filterNodes } from "../../../../src/cluster/scheduler/select-node.js";
import { podInfo } from "../../../../src/cluster/scheduler/snapshot/node-info.js";
import { cluster, pod } from "./snapshots.js";

const zone = "topology.kubernetes.io/zone";
const region = "topology.kubernetes.io/region";
const view = cluster({
  east: { labels: { [zone]: "east", [region]: "home" } },
  west: { labels: { [zone]: "west", [region]: "home" } },
  far: { labels: { [zone]: "far" } },
  anywhere: {},
});

it.each([
  ["without labels", {}, ["east", "west", "far", "anywhere"]],
  ["of a zone", { [zone]: "east" }, ["east", "anywhere"]],
  ["of several zones", { [zone]: "east__far" }, ["east", "far", "anywhere"]],
  ["of a region", { [region]: "home" }, ["east", "west", "anywhere"]],
  ["of a zone and a region", { [zone]: "far", [region]: "home" }, ["anywhere"]],
  ["of an older label", { "failure-domain.beta.kubernetes.io/zone": "east" }, ["east", "anywhere"]],
])("a volume %s can be used there, and on nodes without a zone", (_, labels, expected) => {
  const plugin = volumeZone({
    claim: () => ({ spec: { volumeName: "disk" } }),
    volume: () => ({ metadata: { name: "disk", labels } }),
    volumes: () => [],
    storageClass: () => undefined,
    driver: () => undefined,
    capacities: () => [],
    csiNode: () => undefined,
    attachments: () => [],
  });
  const user = podInfo(pod({ volumes: [{ name: "data", persistentVolumeClaim: { claimName: "data" } }] }));
  const { fitting, rejections } = filterNodes(user, { plugins: [plugin], cluster: view });
  expect(fitting.map(({ name }) => name)).toEqual(expected);
  for (const { reasons } of rejections.values()) expect(reasons).toEqual(["node(s) had no available volume zone"]);
});
