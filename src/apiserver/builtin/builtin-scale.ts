import { invalidField } from "../errors/field-error.js";
import { conflict, throwInvalid } from "../errors/status.js";
import { formatAge } from "../kinds/shared/print-age.js";
import type { Printer } from "../kinds/shared/strategy.js";
import { metaOf } from "../objects/metadata.js";
import { selectorText } from "../objects/selector-text.js";
import { validateKubeFinalizers, validateMetadata, validateName } from "../objects/validate-metadata.js";
import type { ScaleRules } from "../registry/resources.js";

const scalePrinter: Printer = {
  columns: [
    { name: "Name", type: "string", format: "", description: "Name of the scaled object", priority: 0 },
    { name: "Desired", type: "integer", format: "", description: "Number of replicas that are wanted", priority: 0 },
    { name: "Available", type: "integer", format: "", description: "Number of replicas there are", priority: 0 },
    { name: "Age", type: "string", format: "", description: "Time since the creation", priority: 0 },
  ],
  cells(object, nowMs) {
    const { replicas = 0 } = (object.spec ?? {}) as { replicas?: number };
    const { replicas: current = 0 } = (object.status ?? {}) as { replicas?: number };
    return [object.metadata?.name ?? "", replicas, current, formatAge(object.metadata?.creationTimestamp, nowMs)];
  },
};

export const builtinScale: ScaleRules = {
  replicas: ["spec", "replicas"],
  current: ["status", "replicas"],
  printer: scalePrinter,
  selector({ kind, spec }) {
    const { selector } = (spec ?? {}) as { selector?: Record<string, unknown> };
    // A ReplicationController selects by a plain map.
    return selectorText(kind === "ReplicationController" ? { matchLabels: { ...selector } } : selector);
  },
  checkRead: () => undefined,
  checkWrite({ group, resource }, scale, existing) {
    const name = existing.metadata?.name ?? "";
    const replicas = (scale.spec as { replicas?: number } | undefined)?.replicas ?? 0;
    throwInvalid({ group: "autoscaling", kind: "Scale" }, name, [
      ...validateName(metaOf(scale), "subdomain"),
      ...validateMetadata(metaOf(scale)),
      ...validateKubeFinalizers(metaOf(scale)),
      ...(replicas < 0 ? [invalidField("spec.replicas", replicas, "must be greater than or equal to 0")] : []),
    ]);
    const uid = scale.metadata?.uid ?? "";
    if (uid !== "" && uid !== existing.metadata?.uid)
      throw conflict(
        { group, resource: `${resource}/scale` },
        name,
        `Precondition failed: UID in precondition: ${uid}, UID in object meta: ${existing.metadata?.uid ?? ""}`,
      );
  },
  decodeFailure: (error) => error,
  checkApply: () => undefined,
  checkApplied: () => undefined,
};
