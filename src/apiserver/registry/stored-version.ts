import type { ApiObject } from "../objects/api-object.js";
import { copyJson, metaOf, orderedMetadata, sameJson, storedJson } from "../objects/metadata.js";
import { dropPlainNulls } from "../schema/default-values.js";
import { dropEmpty } from "../schema/drop-empty.js";
import { coerceMetadata, pruneObject } from "../schema/prune.js";
import type { MvccStore, Version } from "../storage/mvcc.js";
import { readObject } from "./read.js";
import type { ServedResource } from "./resources.js";
import { apiVersionOf } from "./resources.js";

/** An object as it goes into the store. */
export interface StoredForm {
  readonly object: ApiObject;
  /** Version that it is in; `undefined` for a kind with one stored form. */
  readonly storedAs: string | undefined;
}

/**
 * Takes out of an object, in place, what storing loses: a built-in kind's empty lists, and what the schema of a custom resource has no place for;
 * what is filled in once it is read is put in.
 */
export function asStored(resource: ServedResource, object: ApiObject): void {
  if (resource.definition !== undefined) dropEmpty(resource.definition, object);
  resource.strategy.fillStored?.(object);
  if (resource.custom === undefined || resource.converter !== undefined) return;
  const { schema } = resource.custom;
  pruneObject(object, schema);
  dropPlainNulls(object, schema);
  coerceMetadata(object, schema);
}

/** The form in which an object is stored. Rejects where a webhook cannot make it. */
export async function storedForm(resource: ServedResource, object: ApiObject): Promise<StoredForm> {
  const storedAs = resource.custom?.storageVersion;
  if (resource.converter !== undefined) return { object: await resource.converter.toStored(object), storedAs };
  if (resource.toStorage === undefined) return { object, storedAs };
  const stored = copyJson(object);
  resource.toStorage(stored);
  return { object: stored, storedAs };
}

/** Writes an object under the next revision. */
export function commitStored(
  store: MvccStore,
  resource: ServedResource,
  key: string,
  { object, storedAs }: StoredForm,
): Version {
  return store.commit(
    store.bucket(resource.bucket),
    key,
    (revision) => storedJson(object, revision, resource.custom !== undefined),
    storedAs,
  );
}

/** Whether a version holds this object already, in this form. */
export function isStored({ object, storedAs }: StoredForm, version: Version): boolean {
  const { kind: _kind, apiVersion: _apiVersion, ...bare } = object;
  return storedAs === version.storedAs && sameJson(bare, JSON.parse(version.json!));
}

/**
 * What a write of `object` is answered with; `version` is absent in a dry run. A custom resource in another version than the stored one is
 * answered as it is read back: what the stored version has no place for is gone.
 */
export async function answerStored(
  resource: ServedResource,
  object: ApiObject,
  form: StoredForm,
  version: Version | undefined,
): Promise<ApiObject> {
  if (resource.custom === undefined || form.storedAs === resource.version) {
    // A real server answers what it reads back: a status that the request had none of comes with its defaults.
    if (resource.custom !== undefined) resource.strategy.defaults?.(object, 0);
    if (version !== undefined) metaOf(object).resourceVersion = String(version.revision);
    return ordered(resource, object);
  }
  if (version !== undefined) {
    await resource.converter?.prepare([version]);
    return readObject(resource, version);
  }
  if (resource.converter !== undefined) return ordered(resource, await resource.converter.fromStored(form.object));
  const back = copyJson(form.object);
  resource.fromStorage?.(back, form.storedAs);
  back.apiVersion = apiVersionOf(resource);
  return ordered(resource, back);
}

/** Puts the metadata in the usual order. */
function ordered(resource: ServedResource, object: ApiObject): ApiObject {
  object.metadata = orderedMetadata(metaOf(object), resource.custom !== undefined);
  return object;
}
