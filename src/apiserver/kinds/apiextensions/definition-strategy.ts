import type { ApiObject } from "../../objects/api-object.js";
import { formatTime } from "../../objects/metadata.js";
import type { Strategy } from "../strategy.js";
import { cleanupFinalizer, type Definition, setCondition } from "./definition.js";
import { definitionWarnings } from "./definition-warnings.js";
import { validateDefinition, validateDefinitionStatus, validateDefinitionUpdate } from "./validate-definition.js";

/** What is special about CustomResourceDefinitions, over what all built-in kinds have. */
export function definitionStrategy(base: Strategy): Strategy {
  return {
    ...base,
    defaults(object, nowMs) {
      base.defaults?.(object, nowMs);
      fillIn(object as unknown as Definition);
    },
    prepareForCreate(object, context) {
      base.prepareForCreate?.(object, context);
      const definition = object as unknown as Definition;
      const stored = storageVersions(definition);
      definition.status = {
        conditions: null,
        acceptedNames: { plural: "", kind: "" },
        storedVersions: stored.length === 0 ? null : [stored[0]!],
      };
    },
    prepareForUpdate(object, old, context) {
      base.prepareForUpdate?.(object, old, context);
      const definition = object as unknown as Definition;
      const [version] = storageVersions(definition);
      const status = (definition.status ??= {});
      const stored = status.storedVersions ?? [];
      if (version !== undefined && !stored.includes(version)) status.storedVersions = [...stored, version];
    },
    warnings: (object, old) =>
      definitionWarnings(object as unknown as Definition, old as unknown as Definition | undefined),
    validate: (object) => validateDefinition(object as unknown as Definition),
    validateUpdate: (object, old) =>
      validateDefinitionUpdate(object as unknown as Definition, old as unknown as Definition),
    validateStatusUpdate: (object) => validateDefinitionStatus(object as unknown as Definition),
    beginDelete(object: ApiObject, nowMs: number) {
      const definition = object as unknown as Definition;
      const metadata = (definition.metadata ??= {});
      if (metadata.deletionTimestamp != null) return "proceed";
      metadata.deletionTimestamp = formatTime(nowMs);
      if (metadata.finalizers?.includes(cleanupFinalizer) !== true)
        metadata.finalizers = [...(metadata.finalizers ?? []), cleanupFinalizer];
      setCondition(
        definition,
        {
          type: "Terminating",
          status: "True",
          reason: "InstanceDeletionPending",
          message: "CustomResourceDefinition marked for deletion; CustomResource deletion will begin soon",
        },
        formatTime(nowMs),
      );
      return "store";
    },
  };
}

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
  const webhook = (spec.conversion.webhook as { clientConfig?: { service?: { port?: number } } } | undefined)
    ?.clientConfig?.service;
  if (webhook !== undefined) webhook.port ??= 443;
}
