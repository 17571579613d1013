import { copyRoundTrip } from "../kinds/autoscaling/autoscaler-conversion.js";
import type { ApiObject } from "../objects/api-object.js";
import { copyJson, metaOf } from "../objects/metadata.js";
import { TEMPLATE_GENERATION } from "../schema/convert-object.js";
import type { ServedResource } from "./resources.js";

/** What else becomes of an object of some kinds that is written by its status end point, in place. */
const special: Readonly<Record<string, (object: ApiObject, old: ApiObject, nowMs: number) => void>> = {
  "/pods": keepClass,
  "/nodes": dropConfig,
  "apps/daemonsets": keepTemplateGeneration,
  "autoscaling/horizontalpodautoscalers": (object, old) => copyRoundTrip("spec", object, old),
};

/** Restores all but the status of an object that is written through its status, in place. */
export function restoreAllButStatus(resource: ServedResource, object: ApiObject, old: ApiObject, nowMs: number): void {
  for (const key of Object.keys(object))
    if (key !== "status" && key !== "metadata" && key !== "kind" && key !== "apiVersion" && !Object.hasOwn(old, key))
      delete object[key];
  for (const key of Object.keys(old)) if (key !== "status" && key !== "metadata") object[key] = copyJson(old[key]);
  const meta = metaOf(object);
  const before = metaOf(old);
  const { strategy } = resource;
  for (const member of strategy.metadata?.keptByStatus ?? []) {
    if (before[member] === undefined) delete meta[member];
    else Object.assign(meta, { [member]: copyJson(before[member]) });
  }
  strategy.prepareStatus?.(object, old, nowMs);
  special[resource.bucket]?.(object, old, nowMs);
}

/** Where kubelets told of their configuration they do no longer. */
function dropConfig(node: ApiObject, old: ApiObject): void {
  if ((old["status"] as { config?: unknown } | undefined)?.config === undefined)
    delete (node["status"] as { config?: unknown } | undefined)?.config;
}

/** The count of templates stands among the annotations, but belongs to what is wanted. */
function keepTemplateGeneration({ metadata = {} }: ApiObject, { metadata: before = {} }: ApiObject): void {
  const known = before.annotations?.[TEMPLATE_GENERATION];
  if (known !== undefined) (metadata.annotations ??= {})[TEMPLATE_GENERATION] = known;
}

/** The class of a pod is known from the beginning, and old kubelets do not tell it. */
function keepClass(pod: ApiObject, old: ApiObject): void {
  const { qosClass } = (old["status"] ?? {}) as { qosClass?: string };
  if (qosClass === undefined) return;
  const status = (pod["status"] ??= {}) as { qosClass?: string };
  status.qosClass ??= qosClass;
}
