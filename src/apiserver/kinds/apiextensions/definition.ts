import type { ObjectMeta } from "../../../meta/object.js";
import type { Schema } from "../../schema/schema.js";

/** Names under which a custom resource is served. */
export interface DefinitionNames {
  plural: string;
  singular?: string;
  shortNames?: string[];
  kind: string;
  listKind?: string;
  categories?: string[];
}

/** A column of a custom resource's Table. */
export interface DefinitionColumn {
  readonly name: string;
  readonly type: string;
  readonly format?: string;
  readonly description?: string;
  readonly priority?: number;
  readonly jsonPath: string;
}

/** One version of a custom resource. */
export interface DefinitionVersion {
  readonly name: string;
  readonly served: boolean;
  readonly storage: boolean;
  readonly deprecated?: boolean;
  readonly deprecationWarning?: string | null;
  readonly schema?: { readonly openAPIV3Schema?: Schema };
  readonly subresources?: {
    readonly status?: object;
    readonly scale?: {
      readonly specReplicasPath: string;
      readonly statusReplicasPath: string;
      readonly labelSelectorPath?: string;
    };
  };
  readonly additionalPrinterColumns?: DefinitionColumn[];
  readonly selectableFields?: { readonly jsonPath: string }[];
}

/** A condition of a definition. */
export interface DefinitionCondition {
  type: string;
  status: string;
  lastTransitionTime?: string;
  reason?: string;
  message?: string;
}

/** Conversion between versions. */
export interface DefinitionConversion {
  strategy: string;
  webhook?: {
    clientConfig?: {
      url?: string;
      caBundle?: string;
      service?: { namespace: string; name: string; path?: string; port?: number };
    };
    conversionReviewVersions?: string[] | null;
  };
}

/** The parts of a CustomResourceDefinition that the server uses. */
export interface Definition {
  apiVersion?: string;
  kind?: string;
  metadata?: ObjectMeta;
  spec: {
    group: string;
    names: DefinitionNames;
    scope: "Namespaced" | "Cluster";
    versions: DefinitionVersion[];
    conversion?: DefinitionConversion;
    preserveUnknownFields?: boolean;
  };
  status?: {
    conditions?: DefinitionCondition[] | null;
    acceptedNames?: DefinitionNames;
    storedVersions?: string[] | null;
  };
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

/** Returns the version in which objects are stored. */
export function storageVersionOf(definition: Definition): string {
  return definition.spec.versions.find((version) => version.storage)?.name ?? "";
}
