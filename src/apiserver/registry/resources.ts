import type { ListMeta } from "../../meta/list.js";
import type { FieldError } from "../errors/field-error.js";
import type { GroupResource } from "../errors/status.js";
import type { Encoding } from "../http/encoding.js";
import type { Printer, Strategy } from "../kinds/shared/strategy.js";
import type { ApiObject } from "../objects/api-object.js";
import type { Schema } from "../schema/schema.js";
import type { Version } from "../storage/mvcc.js";

/** A kind by its full name. */
export interface GroupVersionKind {
  readonly group: string;
  readonly version: string;
  readonly kind: string;
}

/** A subresource as it is served. */
export interface ServedSubresource {
  readonly name: string;
  readonly kind: GroupVersionKind;
  readonly verbs: readonly string[];
  readonly patchTypes: readonly string[];
}

/** Turns objects of one resource into other versions where that takes asking a webhook. */
export interface ObjectConverter {
  /** Makes stored versions readable; `fresh` asks the webhook for what it was asked before as well. Rejects with the failure to answer with. */
  prepare(versions: readonly Version[], fresh?: boolean): Promise<void>;
  /** A prepared version as `Version.json` would have it in the resource's own version; `undefined` if it is stored in that one. */
  text(version: Version): string | undefined;
  /** The object, of the resource's version, as it is stored. */
  toStored(object: ApiObject): Promise<ApiObject>;
  /** An object in the form in which it is stored, in the resource's version. */
  fromStored(object: ApiObject): Promise<ApiObject>;
  /** The object in another version as the webhook makes it, through the resource's own: unknown fields and all. */
  convert(object: ApiObject, apiVersion: string): Promise<ApiObject>;
}

/** A group with its versions in order of preference. */
export interface ServedGroup {
  readonly group: string;
  /** Versions, the preferred one first. */
  readonly versions: string[];
}

/** Reaction of the server to unknown and duplicate fields. */
export type FieldValidation = "Ignore" | "Warn" | "Strict";

/** Kinds of patches. */
export type PatchKind = "json" | "merge" | "strategic" | "apply";

/** A patch as its Content-Type names it. */
export interface PatchType {
  readonly kind: PatchKind;
  readonly encoding: Encoding;
}

/** An object in the form in which it is stored. */
export interface StoredForm {
  readonly object: ApiObject;
  /** Version of that form; `undefined` for a kind with one stored form. */
  readonly storedAs: string | undefined;
}

/** The body of a write. */
export interface ObjectBody {
  readonly bytes: Uint8Array;
  readonly encoding: Encoding;
  readonly mode: FieldValidation;
}

/** The result of a patch, not yet read as an object of the resource. */
export interface PatchedBody {
  readonly kind: PatchKind;
  readonly object: ApiObject;
  /** Name in the path. */
  readonly name: string;
  /** Makes the 422 of a patch whose result is wrong. */
  fail(why: string): Error;
}

/** A patched object after it was read. */
export interface ReadPatch {
  /** Paths of its unknown fields. */
  readonly unknown: readonly string[];
  /** Converts the object into the resource's version, in place. Throws 400 where that cannot be. */
  finish?(nowMs: number): void;
}

/** Rules of a scale subresource. */
export interface ScaleRules {
  /** Path of the desired replicas. */
  readonly replicas: readonly string[];
  /** Path of the actual replicas. */
  readonly current: readonly string[];
  readonly printer: Printer;
  /** Replicas that stand for missing ones while a Scale is written; absent where missing means 0. */
  readonly missing?: number;
  /** Returns the label selector as text. */
  selector(object: ApiObject): unknown;
  /** Checks the replicas of an object that is read. Throws 500. */
  checkRead(replicas: unknown): void;
  /** Checks a Scale before it is written. Throws 409 and 422. */
  checkWrite(resource: GroupVersionResource, scale: ApiObject, existing: ApiObject): void;
  /** Returns the error for a Scale that could not be decoded. */
  decodeFailure(error: unknown): unknown;
  /** Checks an apply before it is merged. Throws 500. */
  checkApply(live: ApiObject, config: ApiObject): void;
  /** Checks an apply after it was merged. Throws 500. */
  checkApplied(): void;
}

/** A resource by its full name. */
export interface GroupVersionResource {
  readonly group: string;
  readonly version: string;
  readonly resource: string;
}

/** The part of a request that operations on resources need. */
export interface ResourceContext {
  readonly services: {
    readonly resources: {
      find(group: string, version: string, resource: string): ServedResource | undefined;
      group(name: string): ServedGroup | undefined;
    };
  };
  warn(text: string): void;
}

/** The operations in which built-in and custom resources differ. Folders `builtin` and `custom` implement them. */
export interface ResourceOperations {
  /** Encodings of requests and responses. */
  readonly encodings: readonly Encoding[];
  /** Matching of paths: by route, each with its methods, or by the verb alone. */
  readonly routing: "routes" | "verbs";
  /** Order of the metadata: as declared in the Go struct, or sorted by name. */
  readonly sortedMetadata: boolean;
  /** Rules of the scale subresource. */
  readonly scale: ScaleRules;

  /** Throws 406 where the routes themselves check the Accept header and none of these media types is in it. */
  checkAccept(accept: string, offered: readonly string[]): void;
  /** Returns the error for a subresource that is not served. */
  unknownSubresource(name: string): Error;
  /** Returns the error for a verb that is not served. */
  unsupportedVerb(verb: string): Error;
  /** Returns true for an error of the routing itself: such a request gets no deprecation warning. */
  isRoutingError(error: unknown): boolean;
  /** Throws 403 while nothing can be created. */
  checkCreate(name: string): void;

  /** Decodes a body: checks its type, reports unknown and duplicate fields. Throws 400. */
  decodeBody(body: ObjectBody, context: ResourceContext): ApiObject;
  /** Brings an object into the form of its kind, in place. Returns the paths of unknown fields. Throws 400. */
  decodeObject(object: ApiObject): readonly string[];
  /** Returns the kind of patch that a Content-Type names. Throws 415. */
  patchType(contentType: string | undefined): PatchType;
  /** Reads the result of a patch as an object of the resource, in place. Throws 400, 422 and 500. */
  readPatched(patched: PatchedBody, context: ResourceContext): ReadPatch;
  /** Brings the result of an apply into the form of its kind, in place. Throws 500. */
  decodeApplied(object: ApiObject): void;

  /** Returns the kind as errors of validation name it. */
  kindInErrors(object: { readonly apiVersion?: string; readonly kind?: string }): {
    readonly group: string;
    readonly kind: string;
  };
  /** Throws 500 for an object without `apiVersion` where the store cannot do without. */
  checkTyped(object: ApiObject): void;
  /** Returns all errors of a new object; `own` are those of the kind's own rules. */
  errorsOfNew(object: ApiObject, own: readonly FieldError[]): FieldError[];
  /** Returns the errors of changed metadata. */
  errorsOfChanged(object: ApiObject, old: ApiObject, subresource: string): FieldError[];

  /** Takes out of an object, in place, what storing loses, and fills in what reading fills in. */
  fitStored(object: ApiObject): void;
  /** Returns true if an update changes nothing; `timesOnly`: nothing but times of managed fields. */
  isUnchanged(form: StoredForm, current: Version, timesOnly: boolean): boolean;
  /** Fills in, in place, what reading the stored object fills in. */
  fillRead(object: ApiObject): void;
  /** Returns the form in which a loaded object is stored. */
  loadedForm(object: ApiObject): StoredForm;

  /** True if objects have a Protobuf form. */
  readonly protobuf: boolean;
  /** Returns the metadata of a list. */
  listMetadata(metadata: ListMeta): ListMeta;
  /** Returns an object as an item of a list, changed in place. */
  listItem(object: ApiObject): ApiObject;
  /** Returns a stored object as an item of a list in JSON. */
  itemJson(version: Version): string;
  /** Returns the error for an object that is requested as a list of metadata. */
  notAList(): Error;
  /** Returns a kind as aggregated discovery names it. */
  discoveryKind(kind: GroupVersionKind): GroupVersionKind;
}

/** One resource in one version as it is served: its description, and the operations in which built-in and custom resources differ. */
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
  /** What is special about the kind. */
  readonly strategy: Strategy;
  /** Bucket that holds the objects: `group/resource` of the storage, the same for all versions. */
  readonly bucket: string;
  /** Whether lists and watches go without the watch cache, as Events do. */
  readonly uncached: boolean;
  /** Structural schema of a custom resource in this version. */
  readonly schema?: Schema | undefined;
  /** Version in which the objects of a custom resource are stored; absent for a kind with one stored form. */
  readonly storageVersion?: string;
  /** Warning that every request to this resource gets. */
  readonly deprecation?: string;
  /** Turns a stored object, which is in version `storedAs`, into this version; absent where they differ in `apiVersion` alone. Works in place. */
  fromStorage?(object: ApiObject, storedAs?: string): void;
  /** Turns an object of this version into the stored form. Works in place. */
  toStorage?(object: ApiObject): void;
  /** Set where a webhook turns objects into other versions: what is stored in another one is prepared by it before it is read. */
  readonly converter?: ObjectConverter;
}

/** `apiVersion` of a group and version. */
export function apiVersionOf(kind: { group: string; version: string }): string {
  return kind.group === "" ? kind.version : `${kind.group}/${kind.version}`;
}

/** Returns the resource as errors name it. */
export function groupResourceOf(resource: ServedResource): GroupResource {
  return { group: resource.group, resource: resource.resource };
}
