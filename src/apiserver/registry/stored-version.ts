import type { ApiObject } from "../objects/api-object.js";
import { copyJson, metaOf, orderedMetadata, sameJson, storedJson } from "../objects/metadata.js";
import type { MvccStore, Version } from "../storage/mvcc.js";
import { readObject } from "./read.js";
import type { ServedResource, StoredForm } from "./resources.js";
import { apiVersionOf } from "./resources.js";

/** The form in which an object is stored. Rejects where a webhook cannot make it. */
export async function storedForm(resource: ServedResource, object: ApiObject): Promise<StoredForm> {
  const storedAs = resource.storageVersion;
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
    (revision) => storedJson(object, revision, resource.sortedMetadata),
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
  if (form.storedAs === undefined || form.storedAs === resource.version) {
    // A real server responds with what it reads back.
    resource.fillRead(object);
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
  object.metadata = orderedMetadata(metaOf(object), resource.sortedMetadata);
  return object;
}
