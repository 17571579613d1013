import type { NodeSelectorTerm } from "../../../kinds/core/v1.js";
import { labelValueErrors } from "../../objects/selectors.js";

/** Replacements of deprecated node labels. */
export const labelReplacements: Readonly<Record<string, string>> = {
  "beta.kubernetes.io/arch": "kubernetes.io/arch",
  "beta.kubernetes.io/os": "kubernetes.io/os",
  "failure-domain.beta.kubernetes.io/region": "topology.kubernetes.io/region",
  "failure-domain.beta.kubernetes.io/zone": "topology.kubernetes.io/zone",
  "beta.kubernetes.io/instance-type": "node.kubernetes.io/instance-type",
};

/** Returns a warning if a field uses a deprecated node label. */
export function nodeLabelWarnings(label: string, at: string): string[] {
  return Object.hasOwn(labelReplacements, label)
    ? [`${at}: ${label} is deprecated; use "${labelReplacements[label]!}"`]
    : [];
}

/** Returns the warnings of a node selector term. `values`: also warn about values that no label can have. */
export function nodeTermWarnings(term: NodeSelectorTerm, at: string, values = false): string[] {
  return (term.matchExpressions ?? []).flatMap(({ key, values: given = [] }, index) => {
    const path = `${at}.matchExpressions[${String(index)}]`;
    const valueWarnings = given.flatMap((value, place) =>
      labelValueErrors(value).map((problem) => `${path}.values[${String(place)}]: ${value} is invalid, ${problem}`),
    );
    return [...nodeLabelWarnings(key, `${path}.key`), ...(values ? valueWarnings : [])];
  });
}
