import type { NameRule } from "../../objects/validate-metadata.js";

/** A part of the metadata that clients can write. */
export type MetadataMember = "labels" | "annotations" | "finalizers" | "ownerReferences";

/** All parts of the metadata that clients can write. */
export const ALL_METADATA: readonly MetadataMember[] = ["labels", "annotations", "finalizers", "ownerReferences"];

/** Rules for names and metadata. */
export interface MetadataRules {
  /** Default: a DNS subdomain. */
  readonly name?: NameRule;
  /** Whether `metadata.generateName` goes unchecked: only the generated name must be valid. */
  readonly anyPrefix?: true;
  /** Whether finalizers without a domain are valid. */
  readonly plainFinalizers?: true;
  /** Whether metadata is validated only once the kind's own rules have passed. */
  readonly validatedLast?: true;
  /** Times that the kind's own update rules check labels and annotations again; each check repeats its causes. Default: 1. */
  readonly checksOnUpdate?: 0 | 1 | 2;
  /** Writes whose checks are those of a new object instead of a changed one: all, or those of the object itself. Default: none. */
  readonly checkedAsNew?: "everywhere" | "object";
  /** Parts that writes through `/status` cannot change. Default: none. */
  readonly keptByStatus?: readonly MetadataMember[];
  /** Annotations that stand for fields of the server's own form of the object: metadata alone is shown without them. */
  readonly internalAnnotations?: readonly string[];
}
