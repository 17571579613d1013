import { whenReady } from "../../../internal/when-ready.js";
import { alreadyExists, rawError, throwInvalid } from "../../errors/status.js";
import type { ApiObject } from "../../objects/api-object.js";
import { formatTime, metaOf } from "../../objects/metadata.js";
import { authorizeCreation } from "../../rbac/refusal.js";
import { keyOf } from "../read.js";
import type { ServedResource } from "../resources.js";
import { groupResourceOf } from "../resources.js";
import type { RegistryContext } from "../services.js";
import { startsAtOne } from "./generation.js";
import type { WriteOptions, WritePlan, WriteState, Written } from "./state.js";
import { runSteps, startWrite } from "./state.js";
import * as steps from "./steps.js";
import { createStrategyContext } from "./strategy-context.js";

/** Steps of a creation by POST, PUT or apply. */
export const createPlan: WritePlan = {
  steps: [
    dropServerFields,
    resolveNamespace,
    steps.dedupeOwners,
    steps.trackManagers,
    steps.mutatingAdmission,
    fillMetadata,
    prepare,
    validate,
    warn,
    resolveName,
    authorizeNamed,
    steps.validatingAdmission,
    steps.fitRequest,
    steps.fitStored,
    steps.makeStoredForm,
    checkAbsent,
    steps.store,
  ],
  last: checkAbsent,
};

/** A decoded and defaulted object to create. */
export interface Creation {
  readonly resource: ServedResource;
  readonly namespace: string;
  readonly object: ApiObject;
  readonly options: WriteOptions;
}

/** Creates an object. Throws 409 if it exists. */
export async function createObject(context: RegistryContext, creation: Creation): Promise<Written> {
  const loading = creation.resource.load?.();
  if (loading !== undefined) await loading;
  const { resource, namespace, object, options } = creation;
  const state = startWrite({
    context,
    resource,
    namespace,
    subresource: "",
    options,
    named: false,
    managed: false,
    unconditional: false,
    shown: undefined,
    name: metaOf(object).name ?? "",
    key: "",
    object,
    existing: undefined,
    current: undefined,
  });
  // A POST never retries: an existing object is a conflict.
  return runSteps(createPlan, state) as Written | Promise<Written>;
}

/** Drops metadata that only the server sets. A dry run keeps what the client sent. */
function dropServerFields(state: WriteState): void {
  const meta = metaOf(state.object);
  const { dryRun } = state.options;
  state.givenVersion = meta.resourceVersion;
  if (!dryRun) delete meta.resourceVersion;
  if (state.named) {
    steps.parseVersion(state.givenVersion);
    if (!dryRun) delete meta.selfLink;
    return;
  }
  delete meta.deletionTimestamp;
  delete meta.deletionGracePeriodSeconds;
  delete meta.selfLink;
}

function resolveNamespace({ resource, object, namespace }: WriteState): void {
  const meta = metaOf(object);
  if (resource.namespaced) meta.namespace = namespace;
  else delete meta.namespace;
}

/** Sets uid, creation time and a generated name. */
function fillMetadata({ context, object }: WriteState): void {
  const meta = metaOf(object);
  meta.uid = context.services.uuid();
  meta.creationTimestamp = formatTime(context.services.clock.now());
  if ((meta.name ?? "") === "" && meta.generateName !== undefined && meta.generateName !== "")
    meta.name = meta.generateName.slice(0, 58) + context.services.suffix();
}

/** Lets the strategy clear the fields that clients may not set. */
function prepare(state: WriteState): void {
  const { context, object } = state;
  const { strategy } = state.resource;
  state.strategyContext = createStrategyContext(context);
  strategy.prepareForCreate?.(object, state.strategyContext);
  if (startsAtOne(strategy)) metaOf(object).generation = 1;
}

function validate({ resource, object, strategyContext }: WriteState): void | Promise<void> {
  const { strategy } = resource;
  const errors = resource.errorsOfNew(object, strategy.validate?.(object, strategyContext!) ?? []);
  const kind = resource.kindInErrors(object.kind === undefined ? {} : { kind: object.kind });
  return whenReady(strategy.verify?.(object) ?? [], (later) =>
    throwInvalid(kind, metaOf(object).name ?? "", later.length === 0 ? errors : [...errors, ...later]),
  );
}

function warn({ context, resource, object }: WriteState): void {
  for (const warning of resource.strategy.warnings?.(object, undefined) ?? []) context.warn(warning);
}

/** Takes the name of a POST from the object. */
function resolveName(state: WriteState): void {
  if (state.named) return;
  state.name = metaOf(state.object).name ?? "";
  state.key = keyOf(state.resource, state.namespace, state.name);
}

/** Throws 403 if a PUT or an apply would create the object and the user isn't allowed to create it. */
function authorizeNamed({ named, context }: WriteState): void | Promise<void> {
  return named ? authorizeCreation(context.services.authorizer, context) : undefined;
}

/** Throws 409 if the object exists; a PUT or an apply starts over then. */
function checkAbsent(state: WriteState): void {
  const { context, resource, key, name, named, options, object, givenVersion: given } = state;
  if (!named && !options.dryRun && given !== undefined && /^\d+$/.test(given) && Number(given) !== 0)
    throw rawError("resourceVersion should not be set on objects to be created");
  const existing = context.services.store.bucket(resource.bucket).get(key);
  if (existing === undefined) return;
  if (named) {
    state.outcome = "retry";
    return;
  }
  throw alreadyExists(
    groupResourceOf(resource),
    name,
    (JSON.parse(existing.json!) as ApiObject).metadata?.deletionTimestamp != null,
    (metaOf(object).generateName ?? "") !== "",
  );
}
