import { whenReady } from "../../internal/when-ready.js";
import { equalJson } from "../internal/json-value.js";
import type { ApiObject } from "../objects/api-object.js";
import { copyJson, metaOf, orderedMetadata, storedJson } from "../objects/metadata.js";
import type { Unprinted, Version } from "../storage/bucket.js";
import type { MvccStore } from "../storage/mvcc.js";
import { keepWritten, keptObject } from "./decoded-version.js";
import { readObject } from "./read.js";
import type { ServedResource, StoredForm } from "./resources.js";
import { apiVersionOf } from "./resources.js";
import { writtenObject } from "./written-object.js";

/** Converts an object to its stored form. Rejects if a conversion webhook fails. */
export function storedForm(resource: ServedResource, object: ApiObject): StoredForm | Promise<StoredForm> {
  const storedAs = resource.storageVersion;
  if (resource.converter !== undefined)
    return resource.converter.toStored(object).then((converted) => ({ object: converted, storedAs }));
  if (resource.toStorage === undefined) return { object, storedAs };
  const stored = copyJson(object);
  resource.toStorage(stored);
  return { object: stored, storedAs };
}

/** An object that is about to be written. */
export interface StoredWrite {
  readonly key: string;
  readonly form: StoredForm;
  /** Called with the stored text, unless that is certainly small; may throw to prevent the write. */
  readonly check?: ((json: string) => void) | undefined;
}

/** Writes an object at the next revision. */
export function commitStored(store: MvccStore, resource: ServedResource, { key, form, check }: StoredWrite): Version {
  const bucket = store.bucket(resource.bucket);
  const encode = (revision: number): string | Unprinted => {
    const written = bucket.watchers.shareObjects ? writtenObject(resource, form.object, revision) : undefined;
    if (written !== undefined) return written;
    const json = storedJson(form.object, revision, resource.sortedMetadata);
    check?.(json);
    return json;
  };
  return store.commit(bucket, key, encode, {
    storedAs: form.storedAs,
    written: (version) => keepWritten(resource, version, form.object),
  });
}

/** True if the version already holds this object in this form. */
export function isStored({ object, storedAs }: StoredForm, version: Version): boolean {
  const { kind: _kind, apiVersion: _apiVersion, ...bare } = object;
  return storedAs === version.storedAs && equalJson(bare, JSON.parse(version.json!));
}

/**
 * Returns the response of a write; `version` is `undefined` for a dry run. A custom resource in a version other than
 * the stored one is read back, which drops fields that the stored version doesn't have.
 */
export function answerStored(
  resource: ServedResource,
  object: ApiObject,
  form: StoredForm,
  version: Version | undefined,
): ApiObject | Promise<ApiObject> {
  const kept = version === undefined ? undefined : keptObject(resource, version);
  if (kept !== undefined) return kept;
  if (form.storedAs === undefined || form.storedAs === resource.version) {
    // kube-apiserver responds with what it reads back.
    resource.fillRead(object);
    if (version !== undefined) metaOf(object).resourceVersion = String(version.revision);
    return ordered(resource, object);
  }
  if (version !== undefined)
    return whenReady(resource.converter?.prepare([version]), () => readObject(resource, version));
  if (resource.converter !== undefined)
    return resource.converter.fromStored(form.object).then((converted) => ordered(resource, converted));
  const back = copyJson(form.object);
  resource.fromStorage?.(back, form.storedAs);
  back.apiVersion = apiVersionOf(resource);
  return ordered(resource, back);
}

/** Returns the object with its metadata fields in the usual order. */
function ordered(resource: ServedResource, object: ApiObject): ApiObject {
  object.metadata = orderedMetadata(metaOf(object), resource.sortedMetadata);
  return object;
}
