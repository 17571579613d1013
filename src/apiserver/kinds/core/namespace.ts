import type { Namespace } from "../../../kinds/core/v1.js";
import type { FieldError } from "../../errors/field-error.js";
import { copyJson, formatTime } from "../../objects/metadata.js";
import * as check from "../shared/checks.js";
import type { Propagation } from "../shared/deletion-rules.js";
import { invalid } from "../shared/field-errors.js";
import type { KindDefinition } from "../shared/kind-definition.js";
import { defineBuiltin } from "../shared/kind-definition.js";

const nameLabel = "kubernetes.io/metadata.name";
const unqualifiedFinalizers = new Set(["kubernetes", "orphan", "foregroundDeletion"]);

function finalizerErrors(finalizer: string, field: string): FieldError[] {
  const errors = check.qualifiedName(field, finalizer);
  return finalizer.includes("/") || unqualifiedFinalizers.has(finalizer)
    ? errors
    : [...errors, invalid(field, finalizer, "name is neither a standard finalizer name nor is it fully qualified")];
}

function setNameLabel(namespace: Namespace): void {
  const name = namespace.metadata?.name ?? "";
  if (name !== "") ((namespace.metadata ??= {}).labels ??= {})[nameLabel] = name;
}

function prepareCreate(namespace: Namespace): void {
  namespace.status = { phase: "Active" };
  const finalizers = namespace.spec?.finalizers ?? [];
  if (!finalizers.includes("kubernetes"))
    namespace.spec = { ...namespace.spec, finalizers: [...finalizers, "kubernetes"] };
  setNameLabel(namespace);
}

/** Marks the namespace for deletion. It is removed once `spec.finalizers` is empty. */
function begin(namespace: Namespace, nowMs: number, propagation: Propagation): "proceed" | "store" | "unchanged" {
  const metadata = (namespace.metadata ??= {});
  if (metadata.deletionTimestamp !== undefined) return isFinalized(namespace) ? "proceed" : "unchanged";
  metadata.deletionTimestamp = formatTime(nowMs);
  namespace.status = { ...namespace.status, phase: "Terminating" };
  if (propagation === undefined) return "store";
  const kept = (metadata.finalizers ?? []).filter((name) => name !== "orphan" && name !== "foregroundDeletion");
  if (propagation !== "Background") kept.push(propagation === "Orphan" ? "orphan" : "foregroundDeletion");
  if (kept.length > 0) metadata.finalizers = kept;
  else delete metadata.finalizers;
  return "store";
}

function isFinalized({ spec }: Namespace): boolean {
  return (spec?.finalizers ?? []).length === 0;
}

export const namespace: KindDefinition = defineBuiltin<Namespace>({
  resource: "/namespaces",
  metadata: { name: "label", checksOnUpdate: 2 },
  defaults: {
    "io.k8s.api.core.v1.Namespace": (object: Namespace) => {
      setNameLabel(object);
      (object.status ??= {}).phase ??= "Active";
    },
  },
  prepare: {
    create: prepareCreate,
    update(object, old) {
      const { finalizers } = old.spec ?? {};
      if (finalizers !== undefined) object.spec = { ...object.spec, finalizers };
      else delete object.spec?.finalizers;
    },
  },
  validate: {
    create: ({ spec }) => check.eachItem(spec?.finalizers, "", (each) => finalizerErrors(each, "spec.finalizers")),
    update: () => [],
    status({ metadata, status }) {
      const phase = metadata?.deletionTimestamp === undefined ? "Active" : "Terminating";
      return status?.phase === phase ? [] : [invalid("status.Phase", status?.phase ?? "", `must be '${phase}'`)];
    },
  },
  deletion: { begin, finalized: isFinalized, returnsObject: true, waitsForDependents: true },
  printer: { columns: "Status,Age", cells: ({ status }, age) => [status?.phase ?? "", age] },
  selectableFields: ({ status }) => ({ "status.phase": status?.phase ?? "" }),
  selectsNamespace: false,
  untrackedFields: { finalize: ["status"] },
  subresources: {
    finalize: {
      tables: false,
      prepare(object, old) {
        if (old.status === undefined) delete object.status;
        else object.status = copyJson(old.status);
      },
      validate: ({ spec }) => check.eachItem(spec?.finalizers, "spec.finalizers", finalizerErrors),
    },
  },
});
