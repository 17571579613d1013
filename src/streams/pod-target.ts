import { collectionPath, objectPath } from "../client/resource/paths.js";

/** Which pod, and which of its containers. */
export interface PodTarget {
  /** Namespace of the pod. */
  readonly namespace: string;
  /** Name of the pod. */
  readonly name: string;
}

const pods = { group: "", version: "v1", plural: "pods" };

/** Path of a pod's subresource. Throws a `TypeError` for names that no path can hold. */
export function podPath(target: PodTarget, subresource: string): string {
  return objectPath(collectionPath(pods, target.namespace), target.name, subresource);
}

/** What is done to a pod, for messages: `exec in pod "web-0" in "apps"`. */
export function podAction(verb: string, target: PodTarget): string {
  return `${verb} pod ${JSON.stringify(target.name)} in ${JSON.stringify(target.namespace)}`;
}
