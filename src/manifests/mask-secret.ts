import type { FieldChange } from "./field-changes.js";
import type { Manifest } from "./manifest.js";

const hidden = "***";
const lastApplied = "kubectl.kubernetes.io/last-applied-configuration";
const secretPaths = /^\.(?:data|stringData)(?:$|\.)/;

/** True for a kind whose values must not be shown. */
export function holdsSecrets({ apiVersion, kind }: Pick<Manifest, "apiVersion" | "kind">): boolean {
  return apiVersion === "v1" && kind === "Secret";
}

/** Returns a copy of a Secret in which `***` replaces the values. */
export function maskSecret<T extends Record<string, unknown>>(secret: T): T {
  const { data, stringData, metadata } = secret as Record<string, unknown>;
  const annotations = (metadata as { annotations?: Record<string, unknown> } | undefined)?.annotations;
  return {
    ...secret,
    ...(data !== undefined && { data: maskValues(data, hidden) }),
    ...(stringData !== undefined && { stringData: maskValues(stringData, hidden) }),
    // kubectl's copy of the manifest has the values, too.
    ...(annotations?.[lastApplied] !== undefined && {
      metadata: { ...(metadata as object), annotations: { ...annotations, [lastApplied]: hidden } },
    }),
  };
}

/** Replaces the values in the changes of a Secret: `*** (before)` and `*** (after)`, which shows that they differ. */
export function maskChanges(changes: readonly FieldChange[]): FieldChange[] {
  return changes.map((change) => {
    if (!secretPaths.test(change.path) && !change.path.startsWith(".metadata.annotations")) return change;
    const mask = (value: unknown, suffix: string): unknown => {
      if (secretPaths.test(change.path)) return maskValues(value, `${hidden} (${suffix})`);
      if (change.path.endsWith(lastApplied)) return hidden;
      return typeof value === "object" && value !== null && lastApplied in value
        ? { ...value, [lastApplied]: hidden }
        : value;
    };
    return {
      ...change,
      ...("before" in change && { before: mask(change.before, "before") }),
      ...("after" in change && { after: mask(change.after, "after") }),
    };
  });
}

function maskValues(value: unknown, text: string): unknown {
  if (typeof value !== "object" || value === null) return text;
  return Object.fromEntries(Object.keys(value).map((key) => [key, text]));
}
