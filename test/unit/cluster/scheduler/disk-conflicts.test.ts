import { expect, it } from "vitest";
import { isWorthRetry } from "../../../../src/cluster/scheduler/plugins/plugin.js";
import { volumeRestrictions } from "../../../../src/cluster/scheduler/plugins/volumes.js";
import { filterNodes } from "../../../../src/cluster/scheduler/select-node.js";
import { podInfo } from "../../../../src/cluster/scheduler/snapshot/node-info.js";
import type { Pod } from "../../../../src/kinds/core/v1.js";
import { cluster, pod } from "./snapshots.js";

const plugin = volumeRestrictions({
  claim: () => undefined,
  volume: () => undefined,
  volumes: () => [],
  storageClass: () => undefined,
  driver: () => undefined,
  capacities: () => [],
  csiNode: () => undefined,
  attachments: () => [],
});
const using = (source: object): Pod => pod({ volumes: [{ name: "data", ...source }] });
const gce = (pdName: string, readOnly?: boolean): object => ({ gcePersistentDisk: { pdName, readOnly } });
const ebs = (volumeID: string): object => ({ awsElasticBlockStore: { volumeID, readOnly: true } });
const iscsi = (iqn: string, lun: number, readOnly?: boolean): object => ({
  iscsi: { targetPortal: "t", iqn, lun, readOnly },
});
const rbd = (image: string, monitors: string[], more: object = {}): object => ({ rbd: { image, monitors, ...more } });

it.each([
  ["another disk of GCE", gce("a"), gce("b"), true],
  ["the same disk of GCE", gce("a"), gce("a"), false],
  ["the same disk of GCE, which one only reads", gce("a"), gce("a", true), false],
  ["the same disk of GCE, which both only read", gce("a", true), gce("a", true), true],
  ["another volume of EBS", ebs("a"), ebs("b"), true],
  ["the same volume of EBS, which both only read", ebs("a"), ebs("a"), false],
  ["another target of iSCSI", iscsi("a", 0), iscsi("b", 0), true],
  ["the same target of iSCSI with another number", iscsi("a", 0), iscsi("a", 1), false],
  ["the same target of iSCSI, which both only read", iscsi("a", 0, true), iscsi("a", 0, true), true],
  ["the same image of RBD, with a common monitor", rbd("a", ["m", "n"]), rbd("a", ["o", "n"]), false],
  ["the same image of RBD, with other monitors", rbd("a", ["m"]), rbd("a", ["n"]), true],
  ["the same image of RBD in another pool", rbd("a", ["m"]), rbd("a", ["m"], { pool: "other" }), true],
  ["another image of RBD", rbd("a", ["m"]), rbd("b", ["m"]), true],
  [
    "the same image of RBD, which both only read",
    rbd("a", ["m"], { readOnly: true }),
    rbd("a", ["m"], { readOnly: true }),
    true,
  ],
  ["a disk of another kind", gce("a"), ebs("a"), true],
  ["no disk", gce("a"), { emptyDir: {} }, true],
])("next to a pod with %s", (_, own, other, fits) => {
  const view = cluster({ one: { pods: [using(other)] }, two: {} });
  const { fitting, rejections } = filterNodes(podInfo(using(own)), { plugins: [plugin], cluster: view });
  expect(fitting.map(({ name }) => name)).toEqual(fits ? ["one", "two"] : ["two"]);
  for (const rejection of rejections.values())
    expect(rejection).toEqual({ reasons: ["node(s) had no available disk"], resolvable: true });
  const change = { type: "pod", old: using(other), now: undefined } as const;
  expect(isWorthRetry(plugin, change, podInfo(using(own)), view)).toBe(!fits);
});
