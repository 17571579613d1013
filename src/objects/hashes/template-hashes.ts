import type { PodTemplateSpec } from "../../kinds/core/v1.js";
import type { DeepReadonly } from "../../meta/object.js";
import { dumpTyped } from "./go-dump.js";

/** Characters of generated names: no vowels, and no digits that look like letters. */
const alphabet = "bcdfghjklmnpqrstvwxz2456789";

/**
 * Returns the hash of a pod template that kube-controller-manager 1.36 gives it: the label `pod-template-hash` of a
 * ReplicaSet, and the end of its name, and those of the ControllerRevisions of a DaemonSet. `collisionCount` is that of
 * the workload's status. The template must have the fields that the API server has defaulted. The hash depends on the
 * fields that this version of Kubernetes knows, so other versions give the same template another one. Throws a
 * `RangeError` for an invalid quantity, or one of more than 1,000 characters.
 *
 * @example
 * ```ts
 * import { Deployment } from "kubestream/kinds/apps/v1";
 * import { connect } from "kubestream/node";
 * import { podTemplateHash } from "kubestream/objects";
 *
 * const client = await connect();
 * const web = await client.resource(Deployment).namespace("default").get("web");
 * console.log(`web-${podTemplateHash(web.spec!.template, web.status?.collisionCount)}`); // name of its ReplicaSet
 * ```
 */
export function podTemplateHash(template: DeepReadonly<PodTemplateSpec>, collisionCount?: number): string {
  const bytes = new TextEncoder().encode(dumpTyped(template, "v1.PodTemplateSpec"));
  const count = new DataView(new ArrayBuffer(8));
  count.setInt32(0, collisionCount ?? 0, true);
  let hash = fnvStart;
  for (const each of [bytes, collisionCount === undefined ? [] : new Uint8Array(count.buffer)])
    for (const byte of each) hash = Math.imul(hash ^ byte, fnvPrime);
  return nameOf(hash);
}

/**
 * Returns the hash that kube-controller-manager gives to the ControllerRevision of a StatefulSet. `data` is that of the
 * revision, `collisionCount` that of the workload's status.
 *
 * @example
 * ```ts
 * import { controllerRevisionHash } from "kubestream/objects";
 *
 * console.log(controllerRevisionHash({ spec: { template: { $patch: "replace" } } }));
 * ```
 */
export function controllerRevisionHash(data: DeepReadonly<object>, collisionCount = 0): string {
  let hash = fnvStart;
  for (const byte of new TextEncoder().encode(`${goJson(data)}${collisionCount}`))
    hash = Math.imul(hash, fnvPrime) ^ byte;
  return nameOf(hash);
}

/** Constants of the hash FNV with 32 bits. */
const [fnvStart, fnvPrime] = [0x811c9dc5, 0x01000193];

function nameOf(hash: number): string {
  return Array.from(String(hash >>> 0), (digit) => alphabet[digit.charCodeAt(0) % alphabet.length]).join("");
}

/** Returns JSON as Go writes it: with sorted members, and escapes for what HTML gives a meaning. */
function goJson(value: unknown): string {
  const sorted = JSON.stringify(value, (_, member: unknown) => {
    if (typeof member !== "object" || member === null || Array.isArray(member)) return member;
    return Object.fromEntries(Object.entries(member).sort(([a], [b]) => (a < b ? -1 : 1)));
  });
  return sorted.replace(/[<>&\u2028\u2029]/g, (each) => `\\u${each.charCodeAt(0).toString(16).padStart(4, "0")}`);
}
