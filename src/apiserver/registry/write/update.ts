import { pushAll } from "../../../internal/push-all.js";
import { whenReady } from "../../../internal/when-ready.js";
import { invalidField } from "../../errors/field-error.js";
import { conflict, modifiedMessage, notFound, throwInvalid } from "../../errors/status.js";
import type { ApiObject } from "../../objects/api-object.js";
import { equalButTimes } from "../../objects/equal-but-times.js";
import { copyJson, metaOf } from "../../objects/metadata.js";
import { rerunUntilDecided } from "../../rbac/decisions.js";
import type { Version } from "../../storage/bucket.js";
import { keptObject } from "../decoded-version.js";
import { readObject, requestedKey } from "../read.js";
import type { ServedResource } from "../resources.js";
import { groupResourceOf } from "../resources.js";
import type { RegistryContext } from "../services.js";
import { deleteVersion } from "./commit.js";
import { createPlan } from "./create.js";
import { countGeneration } from "./generation.js";
import type { WriteOptions, WritePlan, WriteState, Written } from "./state.js";
import { runSteps, startWrite } from "./state.js";
import { restoreAllButStatus } from "./status-metadata.js";
import * as steps from "./steps.js";
import { createStrategyContext } from "./strategy-context.js";

/** Steps of an update by PUT, patch or apply. */
const updatePlan: WritePlan = {
  steps: [
    steps.dedupeOwners,
    checkVersion,
    steps.trackManagers,
    steps.mutatingAdmission,
    checkTyped,
    restoreIdentity,
    prepare,
    restoreLifetime,
    validate,
    warn,
    steps.validatingAdmission,
    steps.fitRequest,
    decideDeletion,
    steps.fitStored,
    keepUnchangedManagers,
    steps.makeStoredForm,
    checkCurrent,
    finishDeletion,
    skipUnchanged,
    steps.store,
  ],
  last: checkCurrent,
};

/** An update by PUT, patch or apply. */
export interface Update {
  readonly resource: ServedResource;
  readonly namespace: string;
  readonly name: string;
  /** Subresource that is written; `""` for the object itself. */
  readonly subresource: string;
  readonly options: WriteOptions;
  /** Returns the new object for the stored one, which is `undefined` if the object is to be created. */
  transform(existing: ApiObject | undefined): ApiObject | Promise<ApiObject>;
  /** True to create a missing object regardless of the strategy. */
  readonly allowCreate?: boolean;
  /** UID that the stored object must have. */
  readonly uid?: string | undefined;
  /** True to treat a missing resourceVersion as the latest, regardless of the strategy. */
  readonly unconditional?: boolean;
  /** True if `transform` doesn't modify the stored object; otherwise it gets a copy. */
  readonly leavesExisting?: boolean;
  /** True if `transform` already updates `managedFields`. */
  readonly managed?: boolean;
  /**
   * Returns what admission sees of an object if that isn't the object itself, such as its Scale. `transform` then runs
   * mutating admission.
   */
  readonly shown?: (object: ApiObject) => ApiObject;
}

const retries = 10;

/** Updates an object; retries if it was modified concurrently. */
export async function updateObject(context: RegistryContext, update: Update): Promise<Written> {
  const loading = update.resource.load?.();
  if (loading !== undefined) await loading;
  for (let attempt = 0; ; attempt += 1) {
    const tried = tryUpdate(context, update);
    const written = tried instanceof Promise ? await tried : tried;
    if (written !== "retry") return written;
    if (attempt === retries) throw conflict(groupResourceOf(update.resource), update.name, modifiedMessage);
  }
}

function tryUpdate(context: RegistryContext, update: Update): Outcome | Promise<Outcome> {
  const { resource, namespace, name, leavesExisting } = update;
  const key = requestedKey(resource, namespace, name);
  const current = context.services.store.bucket(resource.bucket).get(key);
  return whenReady(readCurrent(update, current), (existing) =>
    whenReady(
      update.transform(existing === undefined || leavesExisting === true ? existing : copyJson(existing)),
      (object) => writeObject(context, update, { key, current, existing, object }),
    ),
  );
}

type Outcome = Written | "retry";

function writeObject(
  context: RegistryContext,
  update: Update,
  write: Pick<WriteState, "key" | "current" | "existing" | "object">,
): Outcome | Promise<Outcome> {
  const { resource, namespace, name, subresource, options } = update;
  const state = startWrite({
    context,
    resource,
    namespace,
    subresource,
    options,
    named: true,
    managed: update.managed === true,
    unconditional: update.unconditional === true,
    shown: update.shown,
    name,
    key: write.key,
    object: write.object,
    existing: write.existing,
    current: write.current,
  });
  return runSteps(state.existing === undefined ? createPlan : updatePlan, state);
}

/** Returns the object to update, or `undefined` if it may be created. Throws 404, and 409 if the UID differs. */
function readCurrent(
  update: Update,
  current: Version | undefined,
): ApiObject | undefined | Promise<ApiObject | undefined> {
  const { resource, subresource, name } = update;
  if (current !== undefined)
    return whenReady(resource.converter?.prepare([current]), () => readExisting(update, current));
  const allowCreate =
    update.allowCreate === true ||
    (resource.strategy.createOnUpdate === true && (subresource === "" || subresource === "status"));
  if (!allowCreate) throw notFound(groupResourceOf(resource), name);
  return readExisting(update, undefined);
}

function readExisting({ resource, name, uid = "" }: Update, current: Version | undefined): ApiObject | undefined {
  const existing = current === undefined ? undefined : (keptObject(resource, current) ?? readObject(resource, current));
  const found = existing?.metadata?.uid;
  if (uid !== "" && uid !== found)
    throw conflict(
      groupResourceOf(resource),
      name,
      `the UID in the precondition (${uid}) does not match the UID in record (${found ?? ""})`,
    );
  return existing;
}

/** Compares the request's resourceVersion with the stored one. Throws 409, and 422 if the kind requires a version. */
function checkVersion({ resource, name, object, current, unconditional }: WriteState): void {
  const meta = metaOf(object);
  const expected = steps.parseVersion(meta.resourceVersion);
  if (expected === 0) {
    if (resource.strategy.requiresVersionOnUpdate === true && !unconditional)
      throwInvalid({ group: resource.group, kind: resource.resource }, name, [
        invalidField("metadata.resourceVersion", 0, "must be specified for an update"),
      ]);
  } else if (expected !== current!.revision) throw conflict(groupResourceOf(resource), name, modifiedMessage);
}

/** Throws 500 for an object without a type if the store requires one. */
function checkTyped({ resource, object }: WriteState): void {
  resource.checkTyped(object);
}

/** Restores namespace and generation. Sets the version only now: mutating webhooks see the one that the client sent. */
function restoreIdentity({ resource, object, existing, current }: WriteState): void {
  const meta = metaOf(object);
  meta.resourceVersion = String(current!.revision);
  const oldMeta = metaOf(existing!);
  if (resource.namespaced) meta.namespace ??= oldMeta.namespace!;
  else delete meta.namespace;
  if (oldMeta.generation === undefined) delete meta.generation;
  else meta.generation = oldMeta.generation;
}

/** Restores the metadata that describes creation and deletion. */
function restoreLifetime({ object, existing }: WriteState): void {
  const meta = metaOf(object);
  const oldMeta = metaOf(existing!);
  meta.uid ??= oldMeta.uid!;
  if (meta.uid === "") meta.uid = oldMeta.uid!;
  meta.creationTimestamp = oldMeta.creationTimestamp!;
  if (meta.deletionTimestamp == null) delete meta.deletionTimestamp;
  if (oldMeta.deletionTimestamp != null) meta.deletionTimestamp = oldMeta.deletionTimestamp;
  if (oldMeta.deletionGracePeriodSeconds !== undefined)
    meta.deletionGracePeriodSeconds ??= oldMeta.deletionGracePeriodSeconds;
}

/** Lets the strategy restore the fields that this kind of write may not change, then updates the generation. */
function prepare(state: WriteState): void {
  const { resource, object, subresource } = state;
  const { strategy } = resource;
  const old = state.existing!;
  const strategyContext = createStrategyContext(state.context);
  state.strategyContext = strategyContext;
  if (subresource === "status") {
    restoreAllButStatus(resource, object, old, strategyContext.nowMs);
    return;
  }
  if (subresource === "finalize") {
    // Only this endpoint changes the finalizers in the spec of a namespace.
    if (old.status !== undefined) object.status = copyJson(old.status);
    return;
  }
  if (subresource !== "") {
    const rule = strategy.subresources?.[subresource];
    rule?.prepare?.(object, old, strategyContext.nowMs);
    if (rule?.raisesGeneration === true || subresource === "scale") countGeneration(resource, object, old);
    return;
  }
  if (resource.subresources.has("status")) {
    if (old.status === undefined) delete object.status;
    else object.status = copyJson(old.status);
  }
  if (strategy.generation?.beforePreparation === true) countGeneration(resource, object, old);
  strategy.prepareForUpdate?.(object, old, strategyContext);
  if (strategy.generation?.beforePreparation !== true) countGeneration(resource, object, old);
}

/** Some rules ask the authorizer, so validation can take several runs. */
function validate(state: WriteState): void | Promise<void> {
  return rerunUntilDecided(() => checkChange(state));
}

function checkChange({ resource, object, existing, subresource, strategyContext }: WriteState): void {
  const { strategy } = resource;
  const errors = resource.errorsOfChanged(object, existing!, subresource);
  const own =
    subresource === "status"
      ? strategy.validateStatusUpdate
      : subresource === ""
        ? strategy.validateUpdate
        : strategy.subresources?.[subresource]?.validate;
  pushAll(errors, own?.call(strategy, object, existing!, strategyContext!) ?? []);
  throwInvalid(resource.kindInErrors(object), metaOf(object).name ?? "", errors);
}

function warn({ context, resource, object, existing, subresource }: WriteState): void {
  if (subresource !== "") return;
  for (const warning of resource.strategy.warnings?.(object, existing) ?? []) context.warn(warning);
}

/** Detects an update that removes the last finalizer from an object that is being deleted. */
function decideDeletion(state: WriteState): void {
  const { resource, object, options } = state;
  const old = metaOf(state.existing!);
  state.removesObject =
    old.deletionTimestamp != null &&
    (old.deletionGracePeriodSeconds ?? 0) === 0 &&
    (metaOf(object).finalizers?.length ?? 0) === 0 &&
    resource.strategy.deletion?.finalized?.(object) !== false;
  if (!options.dryRun && !state.removesObject) delete metaOf(object).selfLink;
}

/** Keeps the stored `managedFields` if the update changes nothing but their times. */
function keepUnchangedManagers(state: WriteState): void {
  const { object, existing } = state;
  state.timesOnly = equalButTimes(object, existing!);
  const managers = existing!.metadata?.managedFields;
  if (state.timesOnly && managers !== undefined) metaOf(object).managedFields = managers;
}

/** Starts over if the object was modified concurrently. */
function checkCurrent(state: WriteState): void {
  const { context, resource, key, current } = state;
  if (context.services.store.bucket(resource.bucket).get(key) !== current) state.outcome = "retry";
}

/**
 * Deletes an object that has lost its last finalizer. The response shows the object as sent; the deletion gets its own
 * revision.
 */
function finishDeletion(state: WriteState): void {
  const { context, resource, key, object, options } = state;
  if (!state.removesObject) return;
  if (!options.dryRun) deleteVersion(context, resource, key);
  state.outcome = { object, created: false };
}

/** Ends an update that changes nothing, without a new revision. */
function skipUnchanged(state: WriteState): void {
  const { resource, form, current, existing, timesOnly } = state;
  if (resource.isUnchanged(form!, current!, timesOnly))
    state.outcome = { object: existing!, created: false, version: current! };
}
