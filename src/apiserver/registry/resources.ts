import type { ListMeta } from "../../meta/list.js";
import type { FieldError } from "../errors/field-error.js";
import type { GroupResource } from "../errors/status.js";
import type { Encoding } from "../http/encoding.js";
import type { Printer, Strategy } from "../kinds/shared/strategy.js";
import type { ApiObject } from "../objects/api-object.js";
import type { Schema } from "../schema/schema.js";
import type { Version } from "../storage/bucket.js";

export interface GroupVersionKind {
  readonly group: string;
  readonly version: string;
  readonly kind: string;
}

/** A served subresource. */
export interface ServedSubresource {
  readonly name: string;
  readonly kind: GroupVersionKind;
  readonly verbs: readonly string[];
  readonly patchTypes: readonly string[];
}

/** Converts objects of one resource between versions by calling a webhook. */
export interface ObjectConverter {
  /**
   * Converts stored versions so that `text` can return them. `fresh` ignores cached conversions. Rejects with the
   * failure to respond with.
   */
  prepare(versions: readonly Version[], fresh?: boolean): Promise<void>;
  /** Returns a prepared version as JSON in the resource's version, or `undefined` if it is stored in that version. */
  text(version: Version): string | undefined;
  /** Converts an object from the resource's version to the stored one. */
  toStored(object: ApiObject): Promise<ApiObject>;
  /** Converts an object from the stored version to the resource's. */
  fromStored(object: ApiObject): Promise<ApiObject>;
  /**
   * Converts an object to another version via the resource's own, as the webhook returns it, unknown fields included.
   */
  convert(object: ApiObject, apiVersion: string): Promise<ApiObject>;
}

/** A group with its versions. */
export interface ServedGroup {
  readonly group: string;
  /** Versions in order of preference. */
  readonly versions: string[];
}

/** Handling of unknown and duplicate fields. */
export type FieldValidation = "Ignore" | "Warn" | "Strict";

export type PatchKind = "json" | "merge" | "strategic" | "apply";

/** Patch kind and encoding of a Content-Type. */
export interface PatchType {
  readonly kind: PatchKind;
  readonly encoding: Encoding;
}

/** An object in its stored form. */
export interface StoredForm {
  readonly object: ApiObject;
  /** Version of that form; `undefined` for kinds with a single stored form. */
  readonly storedAs: string | undefined;
}

/** Body of a write. */
export interface ObjectBody {
  readonly bytes: Uint8Array;
  readonly encoding: Encoding;
  readonly mode: FieldValidation;
  /** Shortens an object that can't be stored, in place, once its unknown fields don't count. Default: keeps all. */
  readonly shorten?: ((object: ApiObject) => void) | undefined;
  /** Stored object whose status is written, frozen. The body may share its members. Default: none. */
  readonly stored?: ApiObject | undefined;
}

/** Result of a patch before it is decoded as an object of the resource. */
export interface PatchedBody {
  readonly kind: PatchKind;
  readonly object: ApiObject;
  /** Name in the path. */
  readonly name: string;
  /** Shortens an object that can't be stored, as for a body. */
  readonly shorten?: ((object: ApiObject) => void) | undefined;
  /** Creates the 422 for a patch with an invalid result. */
  fail(why: string): Error;
}

/** A decoded patch result. */
export interface ReadPatch {
  /** Paths of unknown fields. */
  readonly unknown: readonly string[];
  /** Converts the object to the resource's version, in place. Throws 400 if it can't be converted. */
  finish?(nowMs: number): void;
}

/** Rules of a scale subresource. */
export interface ScaleRules {
  /** Path of the desired replicas. */
  readonly replicas: readonly string[];
  /** Path of the actual replicas. */
  readonly current: readonly string[];
  readonly printer: Printer;
  /** Default for missing replicas while a Scale is written. Default: 0. */
  readonly missing?: number;
  /** Returns the label selector as text. */
  selector(object: ApiObject): unknown;
  /** Checks the replicas of an object that is read. Throws 500. */
  checkRead(replicas: unknown): void;
  /** Checks a Scale before it is written. Throws 409 and 422. */
  checkWrite(resource: GroupVersionResource, scale: ApiObject, existing: ApiObject): void;
  /** Returns the error for a Scale that can't be decoded. */
  decodeFailure(error: unknown): unknown;
  /** Checks an apply before the merge. Throws 500. */
  checkApply(live: ApiObject, config: ApiObject): void;
  /** Checks an apply after the merge. Throws 500. */
  checkApplied(): void;
}

export interface GroupVersionResource {
  readonly group: string;
  readonly version: string;
  readonly resource: string;
}

/** The part of a request that resource operations need. */
export interface ResourceContext {
  readonly services: {
    readonly resources: {
      find(group: string, version: string, resource: string): ServedResource | undefined;
      group(name: string): ServedGroup | undefined;
    };
  };
  warn(text: string): void;
}

/** Operations in which built-in and custom resources differ. The folders `builtin` and `custom` implement them. */
export interface ResourceOperations {
  /** Encodings of requests and responses. */
  readonly encodings: readonly Encoding[];
  /** Path matching: by route, each with its methods, or by verb only. */
  readonly routing: "routes" | "verbs";
  /** Order of metadata fields: as declared in the Go struct, or sorted by name. */
  readonly sortedMetadata: boolean;
  /** Rules of the scale subresource. */
  readonly scale: ScaleRules;

  /** Throws 406 if the routes check the Accept header themselves and it contains none of the offered media types. */
  checkAccept(accept: string, offered: readonly string[]): void;
  /** Returns the error for a subresource that isn't served. */
  unknownSubresource(name: string): Error;
  /** Returns the error for a verb that isn't served. */
  unsupportedVerb(verb: string): Error;
  /** Returns true for an error of the routing itself, because such requests get no deprecation warning. */
  isRoutingError(error: unknown): boolean;
  /** Throws 403 while the kind doesn't accept new objects. */
  checkCreate(name: string): void;

  /** Decodes a body: checks its type and reports unknown and duplicate fields. Throws 400. */
  decodeBody(body: ObjectBody, context: ResourceContext): ApiObject;
  /** Converts an object into the form of its kind, in place. Returns the paths of unknown fields. Throws 400. */
  decodeObject(object: ApiObject): readonly string[];
  /** Returns the patch type of a Content-Type. Throws 415. */
  patchType(contentType: string | undefined): PatchType;
  /** Decodes the result of a patch as an object of the resource, in place. Throws 400, 422 and 500. */
  readPatched(patched: PatchedBody, context: ResourceContext): ReadPatch;
  /** Converts the result of an apply into the form of its kind, in place. Throws 500. */
  decodeApplied(object: ApiObject): void;

  /** Returns the kind that validation errors name. */
  kindInErrors(object: { readonly apiVersion?: string | undefined; readonly kind?: string | undefined }): {
    readonly group: string;
    readonly kind: string;
  };
  /** Throws 500 for an object without `apiVersion` if the store requires one. */
  checkTyped(object: ApiObject): void;
  /** Returns all errors of a new object. `own` are the errors from the kind's own rules. */
  errorsOfNew(object: ApiObject, own: readonly FieldError[]): FieldError[];
  /** Returns the errors of changed metadata. */
  errorsOfChanged(object: ApiObject, old: ApiObject, subresource: string): FieldError[];

  /** Applies, in place, what a round trip through the store changes: dropped and defaulted fields. */
  fitStored(object: ApiObject): void;
  /** Returns true if an update changes nothing; with `timesOnly`, nothing but times of managed fields. */
  isUnchanged(form: StoredForm, current: Version, timesOnly: boolean): boolean;
  /** Sets, in place, the defaults that reading a stored object adds. */
  fillRead(object: ApiObject): void;
  /** Returns the form in which a loaded object is stored. */
  loadedForm(object: ApiObject): StoredForm;

  /** True if objects have a Protobuf form. */
  readonly protobuf: boolean;
  /** Returns the metadata of a list. */
  listMetadata(metadata: ListMeta): ListMeta;
  /** Converts an object to an item of a list, in place. */
  listItem(object: ApiObject): ApiObject;
  /** Returns a stored object as a JSON list item. */
  itemJson(version: Version): string;
  /** Returns the error for a single object that is requested as a list of metadata. */
  notAList(): Error;
  /** Returns the kind that aggregated discovery shows. */
  discoveryKind(kind: GroupVersionKind): GroupVersionKind;
}

/**
 * A resource in one served version: its description, and the operations in which built-in and custom resources differ.
 */
export interface ServedResource extends ResourceOperations {
  readonly group: string;
  readonly version: string;
  /** Plural name. */
  readonly resource: string;
  readonly singular: string;
  readonly kind: string;
  readonly listKind: string;
  readonly namespaced: boolean;
  readonly verbs: readonly string[];
  readonly shortNames: readonly string[];
  readonly categories: readonly string[];
  readonly patchTypes: readonly string[];
  readonly subresources: ReadonlyMap<string, ServedSubresource>;
  /** Name of the OpenAPI definition of a built-in kind. */
  readonly definition?: string;
  /** Loads the rules of the kind. Returns `undefined` if they are loaded. Default: they are. */
  load?(): Promise<void> | undefined;
  /** Rules specific to the kind. Throws an error before they are loaded. */
  readonly strategy: Strategy;
  /** Bucket that stores the objects, `group/resource`; the same for all versions. */
  readonly bucket: string;
  /** True if lists and watches bypass the watch cache, as for Events. */
  readonly uncached: boolean;
  /** Features of lists and watches. Default: all. */
  readonly listing?: { readonly initialEvents: boolean; readonly shards: boolean };
  /** Structural schema of a custom resource in this version. */
  readonly schema?: Schema | undefined;
  /** Stored version of a custom resource; `undefined` for kinds with a single stored form. */
  readonly storageVersion?: string;
  /** `group/version` that discovery's hash names. Default: the group's preferred version. */
  readonly hashedVersion?: string;
  /** Warning to add to every request for this resource. */
  readonly deprecation?: string;
  /** Converts a stored object from version `storedAs` to this one, in place. Missing if only `apiVersion` differs. */
  fromStorage?(object: ApiObject, storedAs?: string): void;
  /** Converts an object of this version to the stored form, in place. */
  toStorage?(object: ApiObject): void;
  /** Set if a webhook converts objects; those stored in another version must be prepared before they are read. */
  readonly converter?: ObjectConverter;
}

/** Returns the `apiVersion` of a group and version. */
export function apiVersionOf(kind: { group: string; version: string }): string {
  return kind.group === "" ? kind.version : `${kind.group}/${kind.version}`;
}

/** Returns the group and version of an `apiVersion`. */
export function groupVersionOf(apiVersion: string): { group: string; version: string } {
  const slash = apiVersion.indexOf("/");
  return { group: apiVersion.slice(0, Math.max(slash, 0)), version: apiVersion.slice(slash + 1) };
}

/**
 * Returns false for an object of another kind than the resource's, such as a Scale or an Eviction in a request to a
 * subresource. Decoded objects may have no kind; then they are of the resource's.
 */
export function isOfKind({ kind }: ApiObject, resource: ServedResource): boolean {
  return kind === undefined || kind === resource.kind;
}

/** Returns group and resource for error messages. */
export function groupResourceOf(resource: ServedResource): GroupResource {
  return { group: resource.group, resource: resource.resource };
}
