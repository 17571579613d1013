import type { PersistentVolumeClaim, Pod } from "../../../kinds/core/v1.js";
import type { DeepReadonly } from "../../../meta/object.js";
import { claimNames } from "../../controllers/shared/claim-names.js";
import type { NodeInfo } from "../snapshot/node-info.js";
import type { Rejection, SchedulerPlugin } from "./plugin.js";
import type { VolumeReader } from "./volume-binding.js";

const exceeded: Rejection = { reasons: ["node(s) exceed max volume count"], resolvable: true };

/** CSI drivers of volumes, by a name that only one volume has. */
type Drivers = ReadonlyMap<string, string>;

/** Creates the rule that a node can attach only so many volumes of a CSI driver, if its `CSINode` says so. */
export function nodeVolumeLimits(reader: VolumeReader): SchedulerPlugin {
  return {
    name: "NodeVolumeLimits",
    mayHelp: (change) =>
      change.type === "volumeLimit" ||
      (change.type === "pod" && change.now === undefined && claimNames(change.old!).length > 0),
    filter({ pod }) {
      const wanted = driversOf(pod, reader);
      if (wanted.size === 0) return undefined;
      return (info) => {
        const limits = limitsOf(info, reader);
        if (limits.size === 0) return undefined;
        const attached = attachedTo(info, reader);
        const added = [...wanted].filter(([volume]) => !attached.has(volume)).map(([, driver]) => driver);
        return added.some(
          (driver) => count([...attached.values(), ...added], driver) > (limits.get(driver) ?? Infinity),
        )
          ? exceeded
          : undefined;
      };
    },
  };
}

function count(drivers: readonly string[], driver: string): number {
  return drivers.filter((each) => each === driver).length;
}

/** Returns how many volumes of each CSI driver a node can attach. */
function limitsOf({ name }: NodeInfo, reader: VolumeReader): ReadonlyMap<string, number> {
  const drivers = reader.csiNode(name)?.spec.drivers ?? [];
  return new Map(
    drivers.flatMap(({ name: driver, allocatable }) =>
      allocatable?.count === undefined ? [] : [[driver, allocatable.count] as const],
    ),
  );
}

/** Returns the volumes of a node's pods, and those that are attached to it for others. */
function attachedTo({ name, pods }: NodeInfo, reader: VolumeReader): Drivers {
  const attached = new Map([...pods.values()].flatMap(({ pod }) => [...driversOf(pod, reader)]));
  for (const { spec } of reader.attachments()) {
    const csi = spec.nodeName === name ? reader.volume(spec.source.persistentVolumeName ?? "")?.spec?.csi : undefined;
    if (csi !== undefined) attached.set(`${spec.attacher}/${csi.volumeHandle}`, spec.attacher);
  }
  return attached;
}

/** Returns the drivers of a pod's volumes. One that isn't provisioned yet gets the driver of its class. */
function driversOf(pod: DeepReadonly<Pod>, reader: VolumeReader): Drivers {
  const drivers = new Map<string, string>();
  for (const name of claimNames(pod)) {
    const claim = reader.claim(pod.metadata!.namespace!, name);
    const found = claim && driverOf(claim, reader);
    if (found !== undefined) drivers.set(`${found.driver}/${found.volume}`, found.driver);
  }
  return drivers;
}

function driverOf(
  { metadata, spec }: DeepReadonly<PersistentVolumeClaim>,
  reader: VolumeReader,
): { readonly driver: string; readonly volume: string } | undefined {
  const volume = reader.volume(spec?.volumeName ?? "");
  if (volume !== undefined) {
    const { csi } = volume.spec ?? {};
    return csi && { driver: csi.driver, volume: csi.volumeHandle };
  }
  const driver = reader.storageClass(spec?.storageClassName ?? "")?.provisioner;
  return driver === undefined ? undefined : { driver, volume: `${metadata!.namespace}/${metadata!.name}` };
}
