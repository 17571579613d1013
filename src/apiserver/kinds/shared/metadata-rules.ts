import type { ObjectMeta } from "../../../meta/object.js";
import type { NameRule } from "../../objects/validate-metadata.js";

/** A part of the metadata. */
export type MetadataMember = Exclude<keyof ObjectMeta, "managedFields">;

/** The parts of the metadata that clients can write. */
export const writableMetadata: readonly MetadataMember[] = ["labels", "annotations", "finalizers", "ownerReferences"];

/** The parts that most kinds with protected metadata keep when their status is written. */
export const allMetadata: readonly MetadataMember[] = [...writableMetadata, "deletionTimestamp", "selfLink"];

/** The metadata, except for its managers. */
export const wholeMetadata: readonly MetadataMember[] = [
  ...allMetadata,
  "uid",
  "generateName",
  "deletionGracePeriodSeconds",
];

/** Rules for names and metadata. */
export interface MetadataRules {
  /** Default: a DNS subdomain. */
  readonly name?: NameRule | undefined;
  /** True to skip the validation of `metadata.generateName`: only the generated name must be valid. */
  readonly anyPrefix?: true | undefined;
  /** True if finalizers without a domain are valid. */
  readonly plainFinalizers?: true | undefined;
  /** True if metadata is validated only after the kind's own rules have passed. */
  readonly validatedLast?: true | undefined;
  /**
   * Number of times that the kind's own update rules check labels and annotations again, which repeats the causes.
   * Default: 1.
   */
  readonly checksOnUpdate?: 0 | 1 | 2 | undefined;
  /**
   * Number of times that the kind's own rules for subresources check labels and annotations again. Default: 1, or 0 if
   * `checkedAsNew` is "everywhere".
   */
  readonly checksOfSubresources?: 0 | 2 | undefined;
  /**
   * Writes that are checked like new objects instead of changed ones: all, or those of the object itself. Default:
   * none.
   */
  readonly checkedAsNew?: "everywhere" | "object" | undefined;
  /** Parts that writes through `/status` can't change. Default: none. */
  readonly keptByStatus?: readonly MetadataMember[] | undefined;
  /** Annotations that stand for fields of the internal form. PartialObjectMetadata doesn't show them. */
  readonly internalAnnotations?: readonly string[] | undefined;
}
