import type { Container, PodSpec } from "../../../../kinds/core/v1.js";
import { addQuantities, compareQuantities, formatQuantity, parseQuantity } from "../../../../meta/quantity.js";

type Resources = Record<string, string>;

/** Defaults pod-level requests and huge page limits from the containers, if the pod specifies some resources itself. */
export function podResourceDefaults(spec: PodSpec): void {
  const { resources } = spec;
  if (resources === undefined) return;
  const { limits = {}, requests } = resources;
  if (Object.keys(limits).length > 0 || Object.keys(requests ?? {}).length > 0) {
    const found = aggregateResources(spec, "limits");
    const next: Resources = { ...limits };
    for (const [name, value] of Object.entries(found))
      if (name.startsWith("hugepages-") && requests?.[name] === undefined) next[name] ??= value;
    if (Object.keys(next).length > 0) resources.limits = next;
  }
  const stated = resources.limits ?? {};
  if (Object.keys(stated).length === 0) return;
  const next: Resources = { ...resources.requests };
  for (const [name, value] of Object.entries(aggregateResources(spec, "requests")))
    if (name === "cpu" || name === "memory") next[name] ??= value;
  for (const [name, value] of Object.entries(stated))
    if (name === "cpu" || name === "memory" || name.startsWith("hugepages-")) next[name] ??= value;
  if (Object.keys(next).length > 0) resources.requests = next;
}

/**
 * Returns the total resources of a pod's containers: the sum of those that run at once, or the largest init container.
 */
export function aggregateResources(spec: PodSpec, kind: "limits" | "requests"): Resources {
  const total: Resources = {};
  const sidecars: Resources = {};
  const starting: Resources = {};
  for (const container of spec.containers ?? []) add(total, container, kind);
  for (const container of spec.initContainers ?? []) {
    if (container.restartPolicy === "Always") {
      add(total, container, kind);
      add(sidecars, container, kind);
      raise(starting, sidecars);
    } else {
      const needed = { ...sidecars };
      add(needed, container, kind);
      raise(starting, needed);
    }
  }
  raise(total, starting);
  return total;
}

function add(to: Resources, container: Container, kind: "limits" | "requests"): void {
  for (const [name, value] of Object.entries(container.resources?.[kind] ?? {})) {
    const before = to[name];
    to[name] =
      before === undefined ? value : formatQuantity(addQuantities(parseQuantity(before), parseQuantity(value)));
  }
}

function raise(to: Resources, other: Resources): void {
  for (const [name, value] of Object.entries(other)) {
    const before = to[name];
    if (before === undefined || compareQuantities(value, before) > 0) to[name] = value;
  }
}
