import { whenReady } from "../../../internal/when-ready.js";
import { rawError } from "../../errors/status.js";
import { parseResourceVersion, wrongVersion } from "../../storage/resource-version.js";
import { answerStored, storedForm } from "../stored-version.js";
import { admissionOptions, admit, validateAdmission } from "./admission.js";
import { commit } from "./commit.js";
import { dropDuplicateOwners } from "./owners.js";
import { leastSize, maxRequestBytes, refuseSize, refuseTooLarge } from "./size-limit.js";
import type { WriteState } from "./state.js";

export function dedupeOwners({ context, object }: WriteState): void {
  dropDuplicateOwners(context, object);
}

/** Least size of an object whose managers may not fit next to it, in bytes. */
const largeObject = 64 * 1024;

/** Records the field manager of the write. */
export function trackManagers(state: WriteState): void | Promise<void> {
  if (state.managed) return undefined;
  const { context, resource, existing, object, options, subresource } = state;
  const sized = { resource, subresource, object, creates: existing === undefined };
  const size = context.unstorableBytes ?? leastSize(sized, maxRequestBytes);
  state.small = size <= maxRequestBytes / 2;
  if (size > maxRequestBytes) {
    // A kube-apiserver drops them when etcd has refused the object, and tries again.
    delete object.metadata?.managedFields;
    return undefined;
  }
  const { fieldManagement, clock } = context.services;
  return fieldManagement.update({
    resource,
    live: existing,
    object,
    manager: options.manager,
    subresource,
    nowMs: clock.now(),
    // The managers of a small object always fit. A dry run shows them in any case.
    room: size > largeObject && !options.dryRun ? maxRequestBytes - size : undefined,
  });
}

export function mutatingAdmission(state: WriteState): void | Promise<void> {
  const { context, resource, subresource, namespace, name, object, existing, options, shown } = state;
  const attributes = {
    operation: existing === undefined ? ("CREATE" as const) : ("UPDATE" as const),
    resource,
    subresource,
    namespace,
    name,
    object,
    old: existing,
    dryRun: options.dryRun,
    options: admissionOptions(options.raw, existing === undefined ? "CreateOptions" : "UpdateOptions"),
  };
  state.attributes = attributes;
  return options.admitted === true || shown !== undefined ? undefined : admit(context, attributes);
}

export function validatingAdmission(state: WriteState): void | Promise<void> {
  const { context, name, object, existing, options, shown } = state;
  if (options.admitted === true) return undefined;
  const attributes = state.attributes!;
  if (shown !== undefined)
    return validateAdmission(context, { ...attributes, object: shown(object), old: shown(existing!) });
  return validateAdmission(context, attributes.name === name ? attributes : { ...attributes, name });
}

/**
 * Throws 500 for an object that can't be stored, before it is encoded. If it was small at first and admission made it large,
 * the commit refuses it.
 */
export function fitRequest(state: WriteState): void {
  const { context, resource, subresource, object, existing } = state;
  const { unstorableBytes } = context;
  // Even a dry run can't show an object that was shortened.
  if (unstorableBytes !== undefined) refuseSize(unstorableBytes);
  if (!state.options.dryRun && !state.small)
    refuseTooLarge({ resource, subresource, object, creates: existing === undefined });
}

/** Applies what a round trip through the store changes. */
export function fitStored({ resource, object }: WriteState): void {
  resource.fitStored(object);
}

/** Converts the object to the stored version. */
export function makeStoredForm(state: WriteState): void | Promise<void> {
  return whenReady(storedForm(state.resource, state.object), (form) => {
    state.form = form;
  });
}

/** Commits the object, or only creates the response of a dry run. */
export function store(state: WriteState): void | Promise<void> {
  const { context, resource, key, object, options, existing } = state;
  const form = state.form!;
  const version = options.dryRun ? undefined : commit(context, resource, key, form);
  return whenReady(answerStored(resource, object, form, version), (answered) => {
    state.outcome = {
      object: answered,
      created: existing === undefined,
      ...(version === undefined ? {} : { version }),
    };
  });
}

/** Parses a `resourceVersion`; 0 if it is empty. Throws 500 if it is invalid. */
export function parseVersion(text = ""): number {
  const version = text === "" ? 0 : parseResourceVersion(text);
  if (version === undefined) throw rawError(wrongVersion(text));
  return version;
}
