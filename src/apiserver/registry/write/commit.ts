import { NotLoadedError } from "../../../internal/lazy-module.js";
import type { ApiObject } from "../../objects/api-object.js";
import type { Version } from "../../storage/bucket.js";
import type { ServedResource, StoredForm } from "../resources.js";
import type { RegistryContext } from "../services.js";
import { answerStored, commitStored, storedForm } from "../stored-version.js";
import { checkStoredSize, TooLargeError } from "./size-limit.js";

/** Commits an object at the next revision, and adds it to the Protobuf cache if it has readers. Throws if the object is too large. */
export function commit(context: RegistryContext, resource: ServedResource, key: string, form: StoredForm): Version {
  try {
    return commitOnce(context, resource, key, form);
  } catch (error) {
    const { metadata } = form.object;
    if (!(error instanceof TooLargeError) || metadata?.managedFields === undefined) throw error;
    // Like a kube-apiserver: without its own notes about managers, the object may fit.
    delete metadata.managedFields;
    return commitOnce(context, resource, key, form);
  }
}

function commitOnce(context: RegistryContext, resource: ServedResource, key: string, form: StoredForm): Version {
  const { store, protobuf } = context.services;
  const check = (json: string): void => checkStoredSize(context, resource, { key, form, json });
  const version = commitStored(store, resource, { key, form, check });
  // Encode the object now, so that a list of thousands doesn't have to encode each of them.
  if (resource.protobuf && resource.toStorage === undefined && protobuf.wants(resource))
    protobuf.warm(resource, version);
  return version;
}

/** Removes an object and returns the revision of the deletion. Watches get its last state with that revision. */
export function deleteVersion(context: RegistryContext, resource: ServedResource, key: string): number {
  const { store } = context.services;
  store.commit(store.bucket(resource.bucket), key, () => undefined);
  const { revision } = store;
  const { deletesAlong } = resource.strategy.deletion ?? {};
  if (deletesAlong === undefined) return revision;
  const along = store.bucket(deletesAlong);
  const other = along.get(key)?.json;
  if (other !== undefined && ((JSON.parse(other) as ApiObject).metadata?.finalizers ?? []).length === 0)
    store.commit(along, key, () => undefined);
  return revision;
}

/** A stored object that is about to be replaced. */
export interface Replaced {
  readonly key: string;
  readonly current: Version;
}

/** Stores an object that the server itself has changed. Returns `undefined` if it was modified concurrently. */
export async function storeChanged(
  context: RegistryContext,
  resource: ServedResource,
  { key, current }: Replaced,
  object: ApiObject,
): Promise<ApiObject | undefined> {
  const form = await storedForm(resource, object);
  for (;;) {
    if (context.services.store.bucket(resource.bucket).get(key) !== current) return undefined;
    try {
      return await answerStored(resource, object, form, commit(context, resource, key, form));
    } catch (error) {
      if (!(error instanceof NotLoadedError)) throw error;
      await error.load();
    }
  }
}
