import type { ObjectMeta } from "../../../meta/object.js";
import type { Schema } from "../../schema/schema.js";

/** Names under which a custom resource is served. */
export interface DefinitionNames {
  plural: string;
  singular?: string | undefined;
  shortNames?: string[] | undefined;
  kind: string;
  listKind?: string | undefined;
  categories?: string[] | undefined;
}

/** A column of a custom resource's Table. */
export interface DefinitionColumn {
  readonly name: string;
  readonly type: string;
  readonly format?: string | undefined;
  readonly description?: string | undefined;
  readonly priority?: number | undefined;
  readonly jsonPath: string;
}

/** One version of a custom resource. */
export interface DefinitionVersion {
  readonly name: string;
  readonly served: boolean;
  readonly storage: boolean;
  readonly deprecated?: boolean | undefined;
  readonly deprecationWarning?: string | null | undefined;
  readonly schema?: { readonly openAPIV3Schema?: Schema | undefined } | undefined;
  readonly subresources?:
    | {
        readonly status?: object | undefined;
        readonly scale?:
          | {
              readonly specReplicasPath: string;
              readonly statusReplicasPath: string;
              readonly labelSelectorPath?: string | undefined;
            }
          | undefined;
      }
    | undefined;
  readonly additionalPrinterColumns?: DefinitionColumn[] | undefined;
  readonly selectableFields?: { readonly jsonPath: string }[] | undefined;
}

/** A condition of a definition. */
export interface DefinitionCondition {
  type: string;
  status: string;
  lastTransitionTime?: string | undefined;
  reason?: string | undefined;
  message?: string | undefined;
}

/** Conversion between versions. */
export interface DefinitionConversion {
  strategy: string;
  webhook?:
    | {
        clientConfig?:
          | {
              url?: string | undefined;
              caBundle?: string | undefined;
              service?:
                | { namespace: string; name: string; path?: string | undefined; port?: number | undefined }
                | undefined;
            }
          | undefined;
        conversionReviewVersions?: string[] | null | undefined;
      }
    | undefined;
}

/** The parts of a CustomResourceDefinition that the server uses. */
export interface Definition {
  apiVersion?: string | undefined;
  kind?: string | undefined;
  metadata?: ObjectMeta | undefined;
  spec: {
    group: string;
    names: DefinitionNames;
    scope: "Namespaced" | "Cluster";
    versions: DefinitionVersion[];
    conversion?: DefinitionConversion | undefined;
    preserveUnknownFields?: boolean | undefined;
  };
  status?:
    | {
        conditions?: DefinitionCondition[] | null | undefined;
        acceptedNames?: DefinitionNames | undefined;
        storedVersions?: string[] | null | undefined;
      }
    | undefined;
}

/** Finalizer that keeps a definition until all its objects are gone. */
export const cleanupFinalizer = "customresourcecleanup.apiextensions.k8s.io";

/** Bucket of the definitions themselves. */
export const definitionsBucket = "apiextensions.k8s.io/customresourcedefinitions";

/** Returns a condition by its type. */
export function findCondition(definition: Definition, type: string): DefinitionCondition | undefined {
  return definition.status?.conditions?.find((condition) => condition.type === type);
}

/** True if a condition exists and is true. */
export function isTrue(definition: Definition, type: string): boolean {
  return findCondition(definition, type)?.status === "True";
}

/** Sets a condition in place; its time changes only with the status. */
export function setCondition(definition: Definition, condition: DefinitionCondition, time: string): void {
  const status = (definition.status ??= {});
  const conditions = (status.conditions ??= []);
  const old = conditions.find((one) => one.type === condition.type);
  if (old === undefined) {
    conditions.push({
      type: condition.type,
      status: condition.status,
      lastTransitionTime: time,
      ...(condition.reason === undefined ? {} : { reason: condition.reason }),
      ...(condition.message === undefined ? {} : { message: condition.message }),
    });
    return;
  }
  if (old.status !== condition.status) old.lastTransitionTime = time;
  Object.assign(old, { status: condition.status, reason: condition.reason ?? "", message: condition.message ?? "" });
}

/** Returns the bucket of a definition's objects. */
export function bucketOf(definition: Definition): string {
  return `${definition.spec.group}/${definition.spec.names.plural}`;
}

/** Returns the version in which objects are stored. */
export function storageVersionOf(definition: Definition): string {
  return definition.spec.versions.find((version) => version.storage)?.name ?? "";
}
