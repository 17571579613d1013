import type { Service } from "../../kinds/core/v1.js";
import type { GroupResource } from "../errors/status.js";
import { alreadyExists, conflict, MODIFIED, notFound, rawError, throwInvalid } from "../errors/status.js";
import type { StrategyContext } from "../kinds/strategy.js";
import type { ApiObject } from "../objects/api-object.js";
import { givenEmptyFields, recordGivenEmpty, sameInMemory } from "../objects/given-empty.js";
import { copyJson, formatTime, metaOf, sameJson } from "../objects/metadata.js";
import { resourceAttributes } from "../rbac/attributes.js";
import { authorizeCreation, refusal } from "../rbac/refusal.js";
import type { Version } from "../storage/mvcc.js";
import { parseResourceVersion, parseUintError } from "../storage/resource-version.js";
import { admit, validateAdmission } from "./admission.js";
import { allocateService } from "./allocate-service.js";
import { keyOf, readObject, requestedKey } from "./read.js";
import type { ServedResource, StoredForm } from "./resources.js";
import type { AdmissionAttributes, RegistryContext } from "./services.js";
import { restoreAllButStatus } from "./status-metadata.js";
import { storageKey } from "./storage-key.js";
import { getStored } from "./stored-objects.js";
import { answerStored, commitStored, storedForm } from "./stored-version.js";

/** Options of a write, already checked. */
export interface WriteOptions {
  readonly dryRun: boolean;
  /** Who owns the written fields. */
  readonly manager: string;
  /** The options as the object admission plugins see. */
  readonly raw?: Readonly<Record<string, unknown>>;
}

/** What a write answers with. */
export interface Written {
  readonly object: ApiObject;
  readonly created: boolean;
  /** What holds the object from now on; absent for a dry run and for what is gone. */
  readonly version?: Version;
}

/** The resource as errors name it. */
export function groupResourceOf(resource: ServedResource): GroupResource {
  return { group: resource.group, resource: resource.resource };
}

/** What strategies may know of the request. */
export function strategyContext(context: RegistryContext): StrategyContext {
  const { services } = context;
  const namespaceLabels = (name: string): Readonly<Record<string, string>> | undefined => {
    const namespace = getStored(services, "/namespaces", name);
    return namespace === undefined ? undefined : (namespace.metadata?.labels ?? {});
  };
  const { verb, resource, subresource, group, version, namespace } = context.info;
  const denied: StrategyContext["denied"] = (expected) =>
    refusal(
      services.authorizer,
      resourceAttributes(context.user, expected.verb, { group, version, resource, namespace, ...expected }),
    );
  const allocate: StrategyContext["allocate"] = (service, old) =>
    allocateService(services, service as Service, old as Service | undefined, context.query.get("dryRun") === "All");
  return {
    nowMs: services.clock.now(),
    user: context.user,
    verb,
    subresource,
    denied,
    allocate,
    uuid: services.uuid,
    namespaceLabels,
    warn: (text) => context.warn(text),
  };
}

/** Writes an object, or only says what would be written. Whatever was checked before holds until it is written. */
async function write(
  context: RegistryContext,
  resource: ServedResource,
  key: string,
  object: ApiObject,
  form: StoredForm,
  created: boolean,
  dryRun: boolean,
): Promise<Written> {
  const version = dryRun ? undefined : commit(context, resource, key, form);
  return {
    object: await answerStored(resource, object, form, version),
    created,
    ...(version === undefined ? {} : { version }),
  };
}

function commit(context: RegistryContext, resource: ServedResource, key: string, form: StoredForm): Version {
  const { store, protobuf } = context.services;
  const { object } = form;
  if (!resource.protobuf || resource.toStorage !== undefined) return commitStored(store, resource, key, form);
  // The object is at hand now; a list of thousands that had to parse each would take long.
  const revision = store.revision + 1;
  protobuf.expect(resource, revision, {
    ...object,
    metadata: { ...object.metadata, resourceVersion: String(revision) },
  });
  const version = commitStored(store, resource, key, form);
  protobuf.warm(resource, version);
  return version;
}

/** Latest version of an object. Throws 404. */
export function getVersion(
  context: RegistryContext,
  resource: ServedResource,
  namespace: string,
  name: string,
): Version {
  const version = context.services.store.bucket(resource.bucket).get(requestedKey(resource, namespace, name));
  if (version === undefined) throw notFound(groupResourceOf(resource), name);
  return version;
}

/** Takes out owners that are named twice, with a warning. */
export function dedupOwners(context: RegistryContext, object: ApiObject): void {
  const owners = object.metadata?.ownerReferences;
  if (owners === undefined || owners.length < 2) return;
  const kept: typeof owners = [];
  const twice = new Set<string>();
  for (const owner of owners) {
    if (kept.some((one) => sameJson(one, owner))) twice.add(owner.uid);
    else kept.push(owner);
  }
  if (twice.size === 0) return;
  object.metadata!.ownerReferences = kept;
  context.warn(
    `.metadata.ownerReferences contains duplicate entries; API server dedups owner references in 1.20+, and may reject such requests as early as 1.24; please fix your requests; duplicate UID(s) observed: ${[...twice].join(", ")}`,
  );
}

/** Gives an object a name from its prefix. */
function generateName(context: RegistryContext, object: ApiObject): void {
  const meta = metaOf(object);
  if ((meta.name ?? "") === "" && meta.generateName !== undefined && meta.generateName !== "")
    meta.name = meta.generateName.slice(0, 58) + context.services.suffix();
}

/** Fills in what every new object gets, lets the kind prepare it, and checks it. */
export function beforeCreate(context: RegistryContext, resource: ServedResource, object: ApiObject): void {
  const { strategy } = resource;
  let meta = metaOf(object);
  meta.uid = context.services.uuid();
  meta.creationTimestamp = formatTime(context.services.clock.now());
  generateName(context, object);
  const about = strategyContext(context);
  strategy.prepareForCreate?.(object, about);
  meta = metaOf(object);
  if (strategy.generations === true || strategy.generations === "fixed") meta.generation = 1;
  const own = strategy.validate?.(object, about) ?? [];
  const errors = resource.errorsOfNew(object, own);
  throwInvalid(resource.kindInErrors(object.kind === undefined ? {} : { kind: object.kind }), meta.name ?? "", errors);
  for (const warning of strategy.warnings?.(object, undefined) ?? []) context.warn(warning);
}

/** The options as admission sees them: those of a patch are told as what the patch comes to. */
function admissionOptions(
  kind: "CreateOptions" | "UpdateOptions",
  { raw }: WriteOptions,
): { readonly options?: Readonly<Record<string, unknown>> } {
  if (raw === undefined) return {};
  const { force: _force, ...kept } = raw;
  return { options: { ...kept, kind } };
}

/** Creates an object that has been decoded and defaulted. */
export async function createObject(
  context: RegistryContext,
  resource: ServedResource,
  namespace: string,
  object: ApiObject,
  options: WriteOptions,
): Promise<Written> {
  const { store, fieldManagement } = context.services;
  const meta = metaOf(object);
  const rv = meta.resourceVersion;
  if (!options.dryRun) delete meta.resourceVersion;
  delete meta.deletionTimestamp;
  delete meta.deletionGracePeriodSeconds;
  delete meta.selfLink;
  if (resource.namespaced) meta.namespace = namespace;
  else delete meta.namespace;
  dedupOwners(context, object);
  await fieldManagement.update({
    resource,
    live: undefined,
    object,
    manager: options.manager,
    subresource: "",
    nowMs: context.services.clock.now(),
  });
  const attributes: AdmissionAttributes = {
    operation: "CREATE",
    resource,
    subresource: "",
    namespace,
    name: meta.name ?? "",
    object,
    old: undefined,
    dryRun: options.dryRun,
    ...(options.raw === undefined ? {} : { options: options.raw }),
  };
  await admit(context, attributes);
  beforeCreate(context, resource, object);
  // Preparing the object may have made its metadata anew.
  const name = metaOf(object).name ?? "";
  await validateAdmission(context, { ...attributes, name });
  const key = keyOf(resource, namespace, name);
  resource.fitStored(object);
  const form = await storedForm(resource, object);
  if (!options.dryRun && rv !== undefined && /^\d+$/.test(rv) && Number(rv) !== 0)
    throw rawError("resourceVersion should not be set on objects to be created");
  const existing = store.bucket(resource.bucket).get(key);
  if (existing !== undefined)
    throw alreadyExists(
      groupResourceOf(resource),
      name,
      (JSON.parse(existing.json!) as ApiObject).metadata?.deletionTimestamp != null,
      (metaOf(object).generateName ?? "") !== "",
    );
  return write(context, resource, key, object, form, true, options.dryRun);
}

/** What an update does to an object. */
export interface Update {
  readonly resource: ServedResource;
  readonly namespace: string;
  readonly name: string;
  /** `""`, or the subresource through which the object is written. */
  readonly subresource: string;
  readonly options: WriteOptions;
  /** Makes the new object of the stored one; `undefined` where there is none and one may be made. */
  transform(existing: ApiObject | undefined): ApiObject | Promise<ApiObject>;
  /** Create what does not exist, whatever the kind's rule. */
  readonly allowCreate?: boolean;
  /** UID that the stored object must have. */
  readonly uid?: string | undefined;
  /** Take a missing resourceVersion as the latest, whatever the kind's rule. */
  readonly unconditional?: boolean;
  /** Fields are already managed by `transform`. */
  readonly managed?: boolean;
}

const retries = 10;

/** A version as a number, 0 where there is none. Throws 500 for what is no number. */
function checkVersionText(text = ""): number {
  const version = text === "" ? 0 : parseResourceVersion(text);
  if (version === undefined) throw rawError(parseUintError(text));
  return version;
}

/** Changes an object; tries again when another write comes between. */
export async function updateObject(context: RegistryContext, update: Update): Promise<Written> {
  for (let attempt = 0; ; attempt += 1) {
    const written = await tryUpdate(context, update);
    if (written !== undefined) return written;
    if (attempt === retries) throw conflict(groupResourceOf(update.resource), update.name, MODIFIED);
  }
}

async function tryUpdate(context: RegistryContext, update: Update): Promise<Written | undefined> {
  const { resource, namespace, name, options } = update;
  const { store } = context.services;
  const bucket = store.bucket(resource.bucket);
  const key = requestedKey(resource, namespace, name);
  const current = bucket.get(key);
  const allowCreate =
    update.allowCreate === true ||
    (resource.strategy.allowCreateOnUpdate === true && (update.subresource === "" || update.subresource === "status"));
  if (current === undefined && !allowCreate) throw notFound(groupResourceOf(resource), name);
  if (current !== undefined) await resource.converter?.prepare([current]);
  const existing = current === undefined ? undefined : readObject(resource, current);
  if (update.uid !== undefined && update.uid !== "" && update.uid !== existing?.metadata?.uid) {
    throw conflict(
      groupResourceOf(resource),
      name,
      `StorageError: invalid object, Code: 4, Key: ${storageKey(resource, key, options.dryRun)}, ResourceVersion: 0, AdditionalErrorMsg: Precondition failed: UID in precondition: ${update.uid}, UID in object meta: ${existing?.metadata?.uid ?? ""}`,
    );
  }
  if (existing === undefined) {
    const object = await update.transform(undefined);
    const meta = metaOf(object);
    checkVersionText(meta.resourceVersion);
    if (!options.dryRun) {
      // A trial answers with what was sent; all else is as the store has it.
      delete meta.resourceVersion;
      delete meta.selfLink;
    }
    if (resource.namespaced) meta.namespace = namespace;
    if (update.managed !== true)
      await context.services.fieldManagement.update({
        resource,
        live: undefined,
        object,
        manager: options.manager,
        subresource: update.subresource,
        nowMs: context.services.clock.now(),
      });
    const attributes: AdmissionAttributes = {
      operation: "CREATE",
      resource,
      subresource: update.subresource,
      namespace,
      name,
      object,
      old: undefined,
      dryRun: options.dryRun,
      ...admissionOptions("CreateOptions", options),
    };
    await admit(context, attributes);
    beforeCreate(context, resource, object);
    authorizeCreation(context.services.authorizer, context);
    await validateAdmission(context, attributes);
    resource.fitStored(object);
    const form = await storedForm(resource, object);
    if (bucket.get(key) !== undefined) return undefined;
    return write(context, resource, key, object, form, true, options.dryRun);
  }
  const object = await update.transform(copyJson(existing));
  dedupOwners(context, object);
  const meta = metaOf(object);
  const expected = checkVersionText(meta.resourceVersion);
  if (expected === 0) {
    if (resource.strategy.allowUnconditionalUpdate === false && update.unconditional !== true) {
      throwInvalid({ group: resource.group, kind: resource.resource }, name, [
        {
          type: "FieldValueInvalid",
          field: "metadata.resourceVersion",
          value: 0,
          detail: "must be specified for an update",
        },
      ]);
    }
  } else if (expected !== current!.revision) throw conflict(groupResourceOf(resource), name, MODIFIED);
  meta.resourceVersion = String(current!.revision);
  if (update.managed !== true)
    await context.services.fieldManagement.update({
      resource,
      live: existing,
      object,
      manager: options.manager,
      subresource: update.subresource,
      nowMs: context.services.clock.now(),
    });
  const attributes: AdmissionAttributes = {
    operation: "UPDATE",
    resource,
    subresource: update.subresource,
    namespace,
    name,
    object,
    old: existing,
    dryRun: options.dryRun,
    ...admissionOptions("UpdateOptions", options),
  };
  await admit(context, attributes);
  beforeUpdate(context, resource, object, existing, update.subresource);
  await validateAdmission(context, attributes);
  const gone =
    existing.metadata?.deletionTimestamp != null &&
    (existing.metadata.deletionGracePeriodSeconds ?? 0) === 0 &&
    (metaOf(object).finalizers?.length ?? 0) === 0 &&
    resource.strategy.finalized?.(object) !== false;
  if (!options.dryRun && !gone) delete metaOf(object).selfLink;
  resource.fitStored(object);
  const timesOnly = sameButTimes(object, existing);
  if (timesOnly && existing.metadata?.managedFields !== undefined)
    metaOf(object).managedFields = existing.metadata.managedFields;
  const form = await storedForm(resource, object);
  if (bucket.get(key) !== current) return undefined;
  if (gone) {
    // The answer shows the object as it was sent; the deletion has a revision of its own.
    if (!options.dryRun) deleteVersion(context, resource, key);
    return { object, created: false };
  }
  if (resource.isUnchanged(form, current!, timesOnly)) return { object: existing, created: false, version: current! };
  return write(context, resource, key, object, form, false, options.dryRun);
}

/** Whether nothing differs but the times in `managedFields`: such a write is none. */
function sameButTimes(object: ApiObject, existing: ApiObject): boolean {
  const timeless = (one: ApiObject): unknown => one.metadata?.managedFields?.map(({ time: _time, ...entry }) => entry);
  const without = (one: ApiObject): unknown => ({ ...one, metadata: { ...one.metadata, managedFields: undefined } });
  return sameJson(timeless(object) ?? [], timeless(existing) ?? []) && sameJson(without(object), without(existing));
}

/** Keeps what clients cannot change, lets the kind prepare the object, and checks it. */
export function beforeUpdate(
  context: RegistryContext,
  resource: ServedResource,
  object: ApiObject,
  old: ApiObject,
  subresource: string,
): void {
  const { strategy } = resource;
  resource.checkTyped(object);
  let meta = metaOf(object);
  const oldMeta = metaOf(old);
  if (resource.namespaced) meta.namespace ??= oldMeta.namespace!;
  else delete meta.namespace;
  if (oldMeta.generation === undefined) delete meta.generation;
  else meta.generation = oldMeta.generation;
  const about = strategyContext(context);
  prepareForUpdate(resource, object, old, subresource, about);
  meta = metaOf(object);
  meta.uid ??= oldMeta.uid!;
  if (meta.uid === "") meta.uid = oldMeta.uid!;
  meta.creationTimestamp = oldMeta.creationTimestamp!;
  if (meta.deletionTimestamp == null) delete meta.deletionTimestamp;
  if (oldMeta.deletionTimestamp != null) meta.deletionTimestamp = oldMeta.deletionTimestamp;
  if (oldMeta.deletionGracePeriodSeconds !== undefined)
    meta.deletionGracePeriodSeconds ??= oldMeta.deletionGracePeriodSeconds;
  const errors = resource.errorsOfChanged(object, old, subresource);
  const rule = subresource === "" ? undefined : strategy.subresources?.[subresource];
  const own =
    subresource === "status"
      ? strategy.validateStatusUpdate
      : subresource === ""
        ? strategy.validateUpdate
        : rule?.validate;
  errors.push(...(own?.call(strategy, object, old, about) ?? []));
  throwInvalid(resource.kindInErrors(object), meta.name ?? "", errors);
  if (subresource === "") for (const warning of strategy.warnings?.(object, old) ?? []) context.warn(warning);
}

function prepareForUpdate(
  resource: ServedResource,
  object: ApiObject,
  old: ApiObject,
  subresource: string,
  about: StrategyContext,
): void {
  const { strategy } = resource;
  if (subresource === "status") {
    restoreAllButStatus(resource, object, old, about.nowMs);
    return;
  }
  if (subresource === "finalize") {
    // Through this end point alone a namespace's own finalizers can be changed.
    if (old.status !== undefined) object.status = copyJson(old.status);
    return;
  }
  if (subresource !== "") {
    const rule = strategy.subresources?.[subresource];
    rule?.prepare?.(object, old, about.nowMs);
    if (rule?.raisesGeneration === true || subresource === "scale") countGeneration(resource, object, old);
    return;
  }
  if (resource.subresources.has("status")) {
    if (old.status === undefined) delete object.status;
    else object.status = copyJson(old.status);
  }
  if (strategy.countedAsGiven === true) countGeneration(resource, object, old);
  strategy.prepareForUpdate?.(object, old, about);
  if (strategy.countedAsGiven !== true) countGeneration(resource, object, old);
}

/** An object without the fields that are not counted. */
function wantedOf(object: ApiObject, ignored: ReadonlySet<string>): object {
  const wanted = Object.fromEntries(Object.entries(object).filter(([key]) => !ignored.has(key)));
  recordGivenEmpty(wanted, givenEmptyFields(object));
  return wanted;
}

function countGeneration(resource: ServedResource, object: ApiObject, old: ApiObject): void {
  const { strategy } = resource;
  if (strategy.generations !== true && strategy.generations !== "late") return;
  const ignored = new Set([
    "metadata",
    "kind",
    "apiVersion",
    ...(resource.subresources.has("status") ? ["status"] : []),
  ]);
  const keys = new Set([...Object.keys(object), ...Object.keys(old)]);
  const part = strategy.countedMetadata;
  let changed = part !== undefined && !sameJson(object.metadata?.[part] ?? {}, old.metadata?.[part] ?? {});
  const plain = (value: unknown): unknown => (Array.isArray(value) && value.length === 0 ? null : value);
  for (const key of keys) if (!ignored.has(key) && !sameJson(plain(object[key]), plain(old[key]))) changed = true;
  if (strategy.countedEmpties === true && !changed && !sameInMemory(wantedOf(object, ignored), wantedOf(old, ignored)))
    changed = true;
  if (changed) metaOf(object).generation = (old.metadata?.generation ?? 0) + 1;
}

/** Removes an object; its last state, with the revision of the deletion, goes to the watches. Answers that revision. */
export function deleteVersion(context: RegistryContext, resource: ServedResource, key: string): number {
  const { store } = context.services;
  store.commit(store.bucket(resource.bucket), key, () => undefined);
  const { revision } = store;
  if (resource.strategy.deletedAlong === undefined) return revision;
  const along = store.bucket(resource.strategy.deletedAlong);
  const other = along.get(key)?.json;
  if (other !== undefined && ((JSON.parse(other) as ApiObject).metadata?.finalizers ?? []).length === 0)
    store.commit(along, key, () => undefined);
  return revision;
}

/** Stores an object that a server's own procedure has changed, if nobody else was quicker. */
export async function storeChanged(
  context: RegistryContext,
  resource: ServedResource,
  key: string,
  current: Version,
  object: ApiObject,
): Promise<ApiObject> {
  const form = await storedForm(resource, object);
  if (context.services.store.bucket(resource.bucket).get(key) !== current)
    throw conflict(groupResourceOf(resource), object.metadata?.name ?? "", MODIFIED);
  return (await write(context, resource, key, object, form, false, false)).object;
}
