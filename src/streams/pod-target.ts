import { collectionPath, objectPath } from "../client/resource/paths.js";

/** Pod, by namespace and name. */
export interface PodTarget {
  /** Namespace of the pod. */
  readonly namespace: string;
  /** Name of the pod. */
  readonly name: string;
}

const pods = { group: "", version: "v1", plural: "pods" };

/** Returns the path of a pod's subresource. Throws a `TypeError` for names that can't be part of a path. */
export function podPath(target: PodTarget, subresource: string): string {
  return objectPath(collectionPath(pods, target.namespace), target.name, subresource);
}

/** Describes an action on a pod for messages: `exec in pod "web-0" in "apps"`. */
export function podAction(verb: string, target: PodTarget): string {
  return `${verb} pod ${JSON.stringify(target.name)} in ${JSON.stringify(target.namespace)}`;
}
