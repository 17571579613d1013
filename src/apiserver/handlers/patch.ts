import { definition } from "../../gen/openapi/definitions.js";
import { utf8Decode } from "../../internal/bytes.js";
import { ApiFailure, badRequest, conflict, failure, notFound } from "../errors/status.js";
import type { ServerResponse } from "../http/http.js";
import { GoJsonError, parseGoJson } from "../internal/go-json.js";
import { cloneJson, type JsonObject, jsonTypeName } from "../internal/json-value.js";
import type { ApiObject } from "../objects/api-object.js";
import { copyJson } from "../objects/metadata.js";
import { applyJsonPatch } from "../patch/apply-json-patch.js";
import { applyMergePatch } from "../patch/apply-merge-patch.js";
import { applyStrategicMergePatch } from "../patch/apply-strategic-merge-patch.js";
import { decodeJsonPatch } from "../patch/decode-json-patch.js";
import { PatchError, patchErrorStatus } from "../patch/patch-error.js";
import type { StrategicSchema } from "../patch/strategic-schema.js";
import type { FieldValidation, PatchKind, ServedResource } from "../registry/resources.js";
import { groupResourceOf } from "../registry/resources.js";
import type { IncomingWrite, Shortener } from "../registry/write/shorten.js";
import { shortenerOf } from "../registry/write/shorten.js";
import { maxRequestBytes, refuseSize } from "../registry/write/size-limit.js";
import { updateObject } from "../registry/write/update.js";
import { dropUnknownFields } from "../schema/drop-unknown.js";
import { decodeApplied, readBody } from "../wire/body.js";
import { negotiateFor, objectOffer, respondWritten } from "../wire/respond.js";
import { parseWriteOptions } from "../wire/write-options.js";
import type { HandlerContext } from "./services.js";
import { checkName } from "./write.js";

/** Converts a `PatchError` to the failure to respond with; returns other errors unchanged. */
export function patchFailure(error: unknown): unknown {
  return error instanceof PatchError ? new ApiFailure(patchErrorStatus(error)) : error;
}

/** A parsed patch that can be applied to any stored object. */
export interface PreparedPatch {
  readonly kind: PatchKind;
  /** Duplicate and unknown fields of the patch itself. */
  readonly strictErrors: readonly string[];
  apply(current: ApiObject): ApiObject;
}

/** Parses the body of a patch. Throws 400. */
export function preparePatch(
  resource: ServedResource,
  kind: Exclude<PatchKind, "apply">,
  bytes: Uint8Array,
  mode: FieldValidation,
): PreparedPatch {
  const text = utf8Decode(bytes);
  const check = mode !== "Ignore";
  if (kind === "json") {
    const decoded = decodeJsonPatch(text, { check });
    const apply = (current: ApiObject): ApiObject => applyJsonPatch(current, decoded.operations) as ApiObject;
    return { kind, strictErrors: decoded.strictErrors, apply };
  }
  let parsed: ReturnType<typeof parseGoJson>;
  try {
    parsed = parseGoJson(text);
  } catch (error) {
    if (!(error instanceof GoJsonError)) throw error;
    throw badRequest(`error decoding patch: ${error.message}`);
  }
  const strictErrors = check ? parsed.duplicates.map((path) => `duplicate field ${JSON.stringify(path)}`) : [];
  const patch = kind === "strategic" ? (parsed.value ?? {}) : parsed.value;
  if (typeof patch !== "object" || patch === null || Array.isArray(patch))
    throw badRequest(`error decoding patch: it is of type ${jsonTypeName(patch)}, not object`);
  const fields = patch as JsonObject;
  const { definition: name } = resource;
  // A patch that names a type may mean another one, which has other fields.
  const isTyped = fields["kind"] === undefined && fields["apiVersion"] === undefined;
  const known = name !== undefined && isTyped ? dropUnknownFields(name, fields) : fields;
  if (kind === "merge") return { kind, strictErrors, apply: (current) => applyMergePatch(current, known) as ApiObject };
  const schema = (definition(name ?? "") ?? {}) as StrategicSchema;
  return {
    kind,
    strictErrors,
    apply: (current) => applyStrategicMergePatch(current, cloneJson(known), schema, (name) => definition(name) ?? {}),
  };
}

/** Creates the 422 for a patch whose result isn't an object of the kind. */
function badResult(why: string): Error {
  return failure(422, "Invalid", ` "" is invalid: patch: Invalid value: ${why}`, {
    causes: [{ reason: "FieldValueInvalid", message: `Invalid value: ${why}`, field: "patch" }],
  });
}

/** Target of a patch. */
export interface PatchTarget {
  /** Shortens a result that can't be stored. Default: keeps all. */
  readonly shorten?: Shortener | undefined;
  readonly resource: ServedResource;
  readonly namespace: string;
  readonly name: string;
  readonly mode: FieldValidation;
}

/** Applies a patch and returns the decoded object, whose kind and name must be unchanged. Throws 400 and 422. */
export function patchedObject(
  context: HandlerContext,
  current: ApiObject,
  patch: PreparedPatch,
  { resource, namespace, name, mode, shorten }: PatchTarget,
): ApiObject {
  const object = patch.apply(current);
  if (typeof object !== "object" || object === null || Array.isArray(object))
    throw badResult(`it is of type ${jsonTypeName(object)}, not object`);
  const read = resource.readPatched({ kind: patch.kind, object, name, shorten, fail: badResult }, context);
  const problems = [...patch.strictErrors, ...read.unknown.map((path) => `unknown field ${JSON.stringify(path)}`)];
  if (mode === "Strict" && problems.length > 0) throw badResult(`strict decoding error: ${problems.join(", ")}`);
  if (mode === "Warn") for (const problem of problems) context.warn(problem);
  read.finish?.(context.services.clock.now());
  checkName(object, resource, namespace, name);
  return object;
}

/** Bodies that may exceed etcd's limit once defaults are added. */
const growingBody = maxRequestBytes / 3;

/**
 * Returns what is left of a valid configuration that etcd certainly can't take, so that its fields get no owners;
 * `undefined` for one that fits. Throws the 500 if it would become a part of an existing object.
 */
function unstorableResult(
  { context, resource, bodyLength }: IncomingWrite,
  config: ApiObject,
  { existing, shorten }: { readonly existing: ApiObject | undefined; readonly shorten: Shortener | undefined },
): ApiObject | undefined {
  if (context.unstorableBytes !== undefined) {
    if (existing !== undefined) refuseSize(context.unstorableBytes);
    return config;
  }
  if (existing !== undefined || bodyLength < growingBody) return undefined;
  const whole = copyJson(config);
  resource.decodeApplied(whole);
  resource.strategy.defaults?.(whole, context.nowMs);
  shorten?.(whole);
  return context.unstorableBytes === undefined ? undefined : whole;
}

/** Handles PATCH of an object or its status. */
export async function handlePatch(
  context: HandlerContext,
  resource: ServedResource,
  subresource = "",
): Promise<ServerResponse> {
  const { namespace, pathName } = context.info;
  const { kind, encoding } = resource.patchType(context.request.header("content-type"));
  const negotiated = negotiateFor(context, resource, objectOffer(resource, subresource));
  const body = await readBody(context);
  const options = parseWriteOptions(context, "PatchOptions", kind === "apply" ? "apply" : "other");
  context.audit?.requestPatch(body);
  const writeOptions = { dryRun: options.dryRun, manager: options.manager, raw: options.raw };
  // The operations of a JSON patch can copy.
  const bodyLength = kind === "json" ? Infinity : body.length;
  const incoming = { context, resource, subresource, bodyLength };
  if (kind === "apply") {
    const management = context.services.fieldManagement;
    const written = await updateObject(context, {
      resource,
      namespace,
      name: pathName,
      subresource,
      options: writeOptions,
      allowCreate: subresource === "",
      leavesExisting: true,
      managed: true,
      transform: async (existing) => {
        const { config, report } = decodeApplied(context, body, encoding, options.fieldValidation);
        const write = { ...incoming, creates: existing === undefined };
        const shorten = shortenerOf(write);
        shorten?.(config);
        const object = await management.apply({
          resource,
          live: existing,
          config,
          manager: options.manager,
          force: options.force === true,
          subresource,
          nowMs: context.services.clock.now(),
          unstorable: (valid) => unstorableResult(write, valid, { existing, shorten }),
        });
        resource.decodeApplied(object);
        report();
        const { uid = "" } = object.metadata ?? {};
        if (existing === undefined && uid !== "")
          throw conflict(
            groupResourceOf(resource),
            pathName,
            `uid mismatch: the provided object specified uid ${uid}, and no existing object was found`,
          );
        resource.strategy.defaults?.(object, context.services.clock.now());
        checkName(object, resource, namespace, pathName);
        return object;
      },
    });
    return respondWritten(context, { resource, negotiated }, written);
  }
  try {
    const shorten = shortenerOf({ ...incoming, creates: false });
    // Parsed on first use, because a missing object is reported before an invalid patch.
    let patch: PreparedPatch | undefined;
    const written = await updateObject(context, {
      resource,
      namespace,
      name: pathName,
      subresource,
      options: writeOptions,
      allowCreate: false,
      leavesExisting: true,
      transform: (existing) => {
        if (existing === undefined) throw notFound(groupResourceOf(resource), pathName);
        patch ??= preparePatch(resource, kind, body, options.fieldValidation);
        // kube-apiserver adds the version last.
        const { resourceVersion, ...metadata } = existing.metadata ?? {};
        const current = { ...existing, metadata: { ...metadata, resourceVersion: resourceVersion! } };
        const object = patchedObject(context, current, patch, {
          resource,
          namespace,
          name: pathName,
          mode: options.fieldValidation,
          shorten,
        });
        resource.strategy.defaults?.(object, context.services.clock.now());
        if (context.unstorableBytes === undefined) shorten?.(object);
        return object;
      },
    });
    return respondWritten(context, { resource, negotiated }, written);
  } catch (error) {
    throw patchFailure(error);
  }
}
