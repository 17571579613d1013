import type { ApiObject } from "../../objects/api-object.js";

/** Conversion between the stored version of a kind and another one, in place. */
export interface VersionConversion {
  fromStorage(object: ApiObject): void;
  toStorage(object: ApiObject): void;
}

/** Storage rules of a kind. */
export interface StorageRules {
  /** Bucket of the objects. Default: the kind's own, `group/plural`. */
  readonly bucket?: string | undefined;
  /** `group/version` of stored objects. Default: the group's preferred version. */
  readonly version?: string | undefined;
  /** True if lists and watches bypass the watch cache. */
  readonly uncached?: true | undefined;
  /** Conversions by version. A version without one differs only in its name. */
  readonly conversions?: Readonly<Record<string, VersionConversion>> | undefined;
}
