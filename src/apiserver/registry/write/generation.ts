import { equalJson } from "../../internal/json-value.js";
import type { Strategy } from "../../kinds/shared/strategy.js";
import type { ApiObject } from "../../objects/api-object.js";
import { givenEmptyFields, recordGivenEmpty, sameInMemory } from "../../objects/given-empty.js";
import { metaOf } from "../../objects/metadata.js";
import type { ServedResource } from "../resources.js";

/** Returns an object without the fields that don't count for the generation. */
function countedFields(object: ApiObject, ignored: ReadonlySet<string>): object {
  const wanted = Object.fromEntries(Object.entries(object).filter(([key]) => !ignored.has(key)));
  recordGivenEmpty(wanted, givenEmptyFields(object));
  return wanted;
}

/** True if new objects of a kind have the generation 1. */
export function startsAtOne({ generation }: Strategy): boolean {
  return generation !== undefined && generation.counts !== "late";
}

/** Increments the generation of an object, in place, if its desired state has changed. */
export function countGeneration(resource: ServedResource, object: ApiObject, old: ApiObject): void {
  const { strategy } = resource;
  const { generation } = strategy;
  if (generation === undefined || generation.counts === "fixed") return;
  const ignored = new Set([
    "metadata",
    "kind",
    "apiVersion",
    ...(resource.subresources.has("status") ? ["status"] : []),
  ]);
  const keys = new Set([...Object.keys(object), ...Object.keys(old)]);
  const part = generation.metadata;
  let changed = part !== undefined && !equalJson(object.metadata?.[part] ?? {}, old.metadata?.[part] ?? {});
  const plain = (value: unknown): unknown => (Array.isArray(value) && value.length === 0 ? null : value);
  for (const key of keys) if (!ignored.has(key) && !equalJson(plain(object[key]), plain(old[key]))) changed = true;
  if (
    generation.emptyValues === true &&
    !changed &&
    !sameInMemory(countedFields(object, ignored), countedFields(old, ignored))
  )
    changed = true;
  if (changed) metaOf(object).generation = (old.metadata?.generation ?? 0) + 1;
}
