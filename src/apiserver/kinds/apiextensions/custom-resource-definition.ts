import { formatTime } from "../../objects/metadata.js";
import type { KindDefinition } from "../shared/kind-definition.js";
import { defineBuiltin } from "../shared/kind-definition.js";
import { cleanupFinalizer, type Definition, setCondition } from "./definition.js";
import { definitionWarnings } from "./definition-warnings.js";
import { validateDefinition, validateDefinitionStatus, validateDefinitionUpdate } from "./validate-definition.js";

const apiPrefix = "io.k8s.apiextensions-apiserver.pkg.apis.apiextensions.v1";

function storageVersions(definition: Definition): string[] {
  // Go prints a missing list as null.
  return ((definition.spec.versions as Definition["spec"]["versions"] | null) ?? [])
    .filter((version) => version.storage)
    .map((version) => version.name);
}

function fillIn(definition: Definition): void {
  const spec = definition.spec as Definition["spec"] | undefined;
  if (spec === undefined) return;
  const [stored] = storageVersions(definition);
  if (definition.status !== undefined && (definition.status.storedVersions ?? []).length === 0 && stored !== undefined)
    definition.status.storedVersions = [stored];
  const { names } = spec;
  if (names.kind !== "") {
    if ((names.singular ?? "") === "") names.singular = names.kind.toLowerCase();
    if ((names.listKind ?? "") === "") names.listKind = `${names.kind}List`;
  }
  spec.conversion ??= { strategy: "None" };
}

export const customResourceDefinition: KindDefinition = defineBuiltin<Definition>({
  resource: "apiextensions.k8s.io/customresourcedefinitions",
  requiresVersionOnUpdate: true,
  generation: { counts: "fromOne" },
  metadata: { plainFinalizers: true },
  defaults: {
    [`${apiPrefix}.CustomResourceDefinition`]: fillIn,
    [`${apiPrefix}.ServiceReference`]: (service: { port?: number | undefined }) => {
      service.port ??= 443;
    },
  },
  prepare: {
    create(definition) {
      const stored = storageVersions(definition);
      definition.status = {
        conditions: null,
        acceptedNames: { plural: "", kind: "" },
        storedVersions: stored.length === 0 ? null : [stored[0]!],
      };
    },
    update(definition) {
      const [version] = storageVersions(definition);
      const status = (definition.status ??= {});
      const stored = status.storedVersions ?? [];
      if (version !== undefined && !stored.includes(version)) status.storedVersions = [...stored, version];
    },
  },
  validate: {
    create: validateDefinition,
    update: validateDefinitionUpdate,
    status: validateDefinitionStatus,
    checksEnums: true,
  },
  warnings: definitionWarnings,
  deletion: {
    begin(definition, nowMs) {
      const metadata = (definition.metadata ??= {});
      if (metadata.deletionTimestamp != null) return "proceed";
      metadata.deletionTimestamp = formatTime(nowMs);
      if (metadata.finalizers?.includes(cleanupFinalizer) !== true)
        metadata.finalizers = [...(metadata.finalizers ?? []), cleanupFinalizer];
      const message = "CustomResourceDefinition marked for deletion; CustomResource deletion will begin soon";
      setCondition(
        definition,
        { type: "Terminating", status: "True", reason: "InstanceDeletionPending", message },
        formatTime(nowMs),
      );
      return "store";
    },
  },
});
