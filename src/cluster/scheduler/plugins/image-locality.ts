import type { Pod } from "../../../kinds/core/v1.js";
import type { DeepReadonly } from "../../../meta/object.js";
import type { NodeInfo } from "../snapshot/node-info.js";
import { bestScore, type SchedulerPlugin } from "./plugin.js";

const mebibyte = 1_024 * 1_024;
/** Size in bytes up to which an image makes no difference. */
const smallest = 23 * mebibyte;
/** Size in bytes of an image for each container from which on a node gets the best score. */
const largest = 1_000 * mebibyte;

/** The rule that a node is better if it has the images of a pod. An image counts more if more nodes have it. */
export const imageLocality: SchedulerPlugin = {
  name: "ImageLocality",
  score({ pod }, nodes, cluster) {
    if (!nodes.some(({ node }) => (node.status?.images ?? []).length > 0)) return undefined;
    const { containers = [], initContainers = [] } = pod.spec ?? {};
    const limit = largest * (containers.length + initContainers.length);
    const images = imagesOf(pod);
    const owners = new Map(
      images.map((image) => [image, cluster.nodes.filter((node) => sizeOn(node, image) !== undefined).length]),
    );
    return nodes.map((node) => {
      const total = images.reduce((sum, image) => {
        const spread = owners.get(image)! / cluster.nodes.length;
        return sum + Math.trunc((sizeOn(node, image) ?? 0) * spread);
      }, 0);
      const counted = Math.min(Math.max(total, smallest), limit);
      return Math.trunc((bestScore * (counted - smallest)) / (limit - smallest));
    });
  },
};

/** Returns the images of a pod's containers and volumes, with their tags. */
function imagesOf({ spec }: DeepReadonly<Pod>): string[] {
  const { containers = [], initContainers = [], volumes = [] } = spec ?? {};
  const names = [
    ...[...initContainers, ...containers].map(({ image }) => image),
    ...volumes.map(({ image }) => image?.reference),
  ];
  return names.flatMap((name) => (name === undefined ? [] : [withTag(name)]));
}

function withTag(name: string): string {
  return name.lastIndexOf(":") <= name.lastIndexOf("/") ? `${name}:latest` : name;
}

/** Returns the size in bytes of an image on a node; `undefined` if the node doesn't have it. */
function sizeOn({ node }: NodeInfo, image: string): number | undefined {
  const found = node.status?.images?.find(({ names }) => names?.includes(image) === true);
  return found && (found.sizeBytes ?? 0);
}
