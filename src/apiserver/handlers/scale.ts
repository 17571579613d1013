import { builtinOperations } from "../builtin/builtin-operations.js";
import { badRequest } from "../errors/status.js";
import type { ServerResponse } from "../http/http.js";
import { managersAfterScale, scaleManagers } from "../managedfields/scale-managers.js";
import type { ApiObject } from "../objects/api-object.js";
import { copyJson, metaOf } from "../objects/metadata.js";
import { setAt, valueAt } from "../objects/paths.js";
import { getVersion, readObject } from "../registry/read.js";
import type { PatchType, ServedResource } from "../registry/resources.js";
import { apiVersionOf } from "../registry/resources.js";
import { admissionOptions, admit } from "../registry/write/admission.js";
import { updateObject } from "../registry/write/update.js";
import { decodeApplied, decodeFor, readBody, requestEncoding } from "../wire/body.js";
import { negotiateFor, offerOf, respondObject } from "../wire/respond.js";
import type { ParsedWriteOptions } from "../wire/write-options.js";
import { parseWriteOptions } from "../wire/write-options.js";
import type { PreparedPatch } from "./patch.js";
import { patchedObject, patchFailure, preparePatch } from "./patch.js";
import { waitForRequestedVersion } from "./read.js";
import type { HandlerContext } from "./services.js";
import { checkName } from "./write.js";

/** Creates the resource that represents the Scale subresource of a parent. */
function scaleKind(parent: ServedResource): ServedResource {
  const sub = parent.subresources.get("scale")!;
  return {
    ...builtinOperations,
    group: sub.kind.group,
    version: sub.kind.version,
    resource: "scale",
    singular: "",
    kind: "Scale",
    listKind: "",
    namespaced: parent.namespaced,
    verbs: sub.verbs,
    shortNames: [],
    categories: [],
    patchTypes: [],
    subresources: new Map(),
    definition: "io.k8s.api.autoscaling.v1.Scale",
    strategy: { printer: parent.scale.printer },
    bucket: parent.bucket,
    uncached: false,
  };
}

/** Returns the path of the replicas in each version, for field management. */
function replicasByVersion(context: HandlerContext, resource: ServedResource): ReadonlyMap<string, readonly string[]> {
  const paths = new Map<string, readonly string[]>();
  for (const other of context.services.resources.all()) {
    if (other.group === resource.group && other.resource === resource.resource)
      paths.set(apiVersionOf(other), other.scale.replicas);
  }
  return paths;
}

/** Returns the Scale of an object; `writing` allows missing replicas. Throws 500. */
function scaleOf(context: HandlerContext, resource: ServedResource, object: ApiObject, writing = false): ApiObject {
  const { name, namespace, uid, resourceVersion, creationTimestamp, managedFields } = metaOf(object);
  const rules = resource.scale;
  const replicas = valueAt(object, rules.replicas);
  if (!writing) rules.checkRead(replicas);
  const current = valueAt(object, rules.current);
  const selector = rules.selector(object);
  const managers = scaleManagers(managedFields, replicasByVersion(context, resource));
  return {
    kind: "Scale",
    apiVersion: "autoscaling/v1",
    metadata: {
      ...(name === undefined ? {} : { name }),
      ...(namespace === undefined ? {} : { namespace }),
      ...(uid === undefined ? {} : { uid }),
      ...(resourceVersion === undefined ? {} : { resourceVersion }),
      ...(creationTimestamp === undefined ? {} : { creationTimestamp }),
      ...(managers === undefined || managers.length === 0 ? {} : { managedFields: managers }),
    },
    spec: typeof replicas === "number" && replicas !== 0 ? { replicas } : {},
    status: {
      replicas: typeof current === "number" ? current : 0,
      ...(typeof selector === "string" && selector !== "" ? { selector } : {}),
    },
  };
}

/** Returns the Scale to respond with, whose field managers are those of the object. */
function shownScale(scale: ApiObject): ApiObject {
  const { managedFields: _managed, ...metadata } = scale.metadata ?? {};
  return { ...scale, metadata };
}

/** Handles GET, PUT and PATCH of a Scale. */
export function handleScale(context: HandlerContext, resource: ServedResource): Promise<ServerResponse> {
  const { method } = context.request;
  if (method === "GET") return readScale(context, resource);
  if (method === "PUT" || method === "PATCH") return writeScale(context, resource);
  throw resource.unsupportedVerb(context.info.verb);
}

async function readScale(context: HandlerContext, resource: ServedResource): Promise<ServerResponse> {
  const { namespace, pathName } = context.info;
  const negotiated = negotiateFor(context, resource, offerOf(resource, false));
  await waitForRequestedVersion(context, resource);
  const version = getVersion(context, resource, namespace, pathName);
  await resource.converter?.prepare([version], true);
  const scale = scaleOf(context, resource, readObject(resource, version));
  return respondObject(context, { resource: scaleKind(resource), negotiated }, shownScale(scale));
}

/** A write to a Scale. */
interface ScaleWrite {
  readonly context: HandlerContext;
  /** Resource that is scaled. */
  readonly resource: ServedResource;
  /** Resource that represents the Scale. */
  readonly kind: ServedResource;
  readonly body: Uint8Array;
  readonly options: ParsedWriteOptions;
}

/** Returns the new Scale for the current one. */
type ScaleChange = (live: ApiObject) => Promise<ApiObject>;

async function writeScale(context: HandlerContext, resource: ServedResource): Promise<ServerResponse> {
  const { namespace, pathName } = context.info;
  const contentType = context.request.header("content-type");
  const patch = context.request.method === "PATCH" ? resource.patchType(contentType) : undefined;
  const negotiated = negotiateFor(context, resource, offerOf(resource, false));
  const body = await readBody(context);
  const options =
    patch === undefined
      ? parseWriteOptions(context, "UpdateOptions")
      : parseWriteOptions(context, "PatchOptions", patch.kind === "apply" ? "apply" : "other");
  const encoding = patch === undefined ? requestEncoding(contentType, resource.encodings) : patch.encoding;
  if (patch !== undefined) context.audit?.requestPatch(body);
  const write: ScaleWrite = { context, resource, kind: scaleKind(resource), body, options };
  const put = patch === undefined ? decodeScale(write, encoding) : undefined;
  if (put !== undefined) checkName(put, write.kind, namespace, pathName);
  const change = put !== undefined ? putScale(write, put) : patchScale(write, patch!);
  const written = await updateObject(context, {
    resource,
    namespace,
    name: pathName,
    subresource: "scale",
    unconditional: true,
    managed: true,
    uid: put?.metadata?.uid,
    options: { dryRun: options.dryRun, manager: options.manager, raw: options.raw },
    transform: (existing) => scaledObject(write, existing!, change),
    shown: (object) => shownScale(scaleOf(context, resource, object, true)),
  });
  return respondObject(
    context,
    { resource: write.kind, negotiated },
    shownScale(scaleOf(context, resource, written.object)),
  );
}

/** Returns the stored object with replicas, version and managers of the changed Scale. Throws 400, 409 and 422. */
async function scaledObject(write: ScaleWrite, existing: ApiObject, change: ScaleChange): Promise<ApiObject> {
  const { context, resource } = write;
  const { replicas: path, missing, checkWrite } = resource.scale;
  const live = scaleOf(context, resource, existing, true);
  const lacking = missing !== undefined && typeof valueAt(existing, path) !== "number";
  if (lacking) live.spec = { replicas: missing };
  const scale = await change(live);
  await admitScale(write, scale, live);
  const given = (scale.spec as { replicas?: number } | undefined)?.replicas;
  if (lacking && given === missing)
    throw badRequest(`the spec replicas field ${JSON.stringify(`.${path.join(".")}`)} cannot be empty`);
  checkWrite(resource, scale, existing);
  const object = copyJson(existing);
  // Missing replicas that stay 0 are stored as an explicit 0.
  setAt(object, path, given ?? 0);
  const meta = metaOf(object);
  const expectedVersion = metaOf(scale).resourceVersion ?? "";
  meta.resourceVersion =
    expectedVersion === "" || expectedVersion === "0" ? existing.metadata!.resourceVersion! : expectedVersion;
  if (meta.managedFields !== undefined || metaOf(scale).managedFields !== undefined) {
    const managers = managersAfterScale(
      meta.managedFields,
      metaOf(scale).managedFields,
      apiVersionOf(resource),
      replicasByVersion(context, resource),
    );
    if (managers === undefined) delete meta.managedFields;
    else meta.managedFields = managers;
  }
  return object;
}

function admitScale({ context, resource, options: { dryRun, raw } }: ScaleWrite, scale: ApiObject, live: ApiObject) {
  const { namespace, pathName: name, subresource } = context.info;
  const options = admissionOptions(raw, "UpdateOptions");
  const objects = { object: scale, old: live };
  return admit(context, { operation: "UPDATE", resource, subresource, namespace, name, ...objects, dryRun, options });
}

function decodeScale(
  { context, resource, kind, body, options }: ScaleWrite,
  encoding: PatchType["encoding"],
): ApiObject {
  try {
    return decodeFor(context, kind, { bytes: body, encoding, mode: options.fieldValidation });
  } catch (error) {
    throw resource.scale.decodeFailure(error);
  }
}

/** Records the field manager of a changed Scale. */
async function tracked({ context, kind, options }: ScaleWrite, live: ApiObject, scale: ApiObject): Promise<ApiObject> {
  await context.services.fieldManagement.update({
    resource: kind,
    live,
    object: scale,
    manager: options.manager,
    subresource: "scale",
    nowMs: context.services.clock.now(),
  });
  return scale;
}

function putScale(write: ScaleWrite, put: ApiObject): ScaleChange {
  return (live) => tracked(write, live, copyJson(put));
}

function patchScale(write: ScaleWrite, { kind: patchKind, encoding }: PatchType): ScaleChange {
  if (patchKind === "apply") return applyScale(write, encoding);
  const { context, kind, body, options } = write;
  const { namespace, pathName: name } = context.info;
  const target = { resource: kind, namespace, name, mode: options.fieldValidation };
  let prepared: PreparedPatch | undefined;
  return async (live) => {
    try {
      prepared ??= preparePatch(kind, patchKind, body, options.fieldValidation);
      return await tracked(write, live, patchedObject(context, copyJson(live), prepared, target));
    } catch (error) {
      throw patchFailure(error);
    }
  };
}

function applyScale(
  { context, resource, kind, body, options }: ScaleWrite,
  encoding: PatchType["encoding"],
): ScaleChange {
  const { namespace, pathName } = context.info;
  const { config, report } = decodeApplied(context, body, encoding, options.fieldValidation);
  return async (live) => {
    resource.scale.checkApply(live, config);
    const scale = await context.services.fieldManagement.apply({
      resource: kind,
      live,
      config: copyJson(config),
      manager: options.manager,
      force: options.force === true,
      subresource: "scale",
      nowMs: context.services.clock.now(),
    });
    report();
    resource.scale.checkApplied();
    checkName(scale, kind, namespace, pathName);
    return scale;
  };
}
