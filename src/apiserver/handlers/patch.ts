import { definition } from "../../gen/openapi/definitions.js";
import { utf8Decode } from "../../internal/bytes.js";
import { ApiFailure, badRequest, conflict, failure, notFound } from "../errors/status.js";
import type { ServerResponse } from "../http/http.js";
import { goFormat } from "../internal/go-format.js";
import { GoJsonError, goJsonTypeName, parseGoJson } from "../internal/go-json.js";
import { goJsonText, goQuote } from "../internal/go-text.js";
import { cloneJson, type JsonObject, sortKeys } from "../internal/json-value.js";
import type { ApiObject } from "../objects/api-object.js";
import { copyJson, metaOf } from "../objects/metadata.js";
import { applyJsonPatch, applyJsonPatchInOrder } from "../patch/apply-json-patch.js";
import { applyMergePatch } from "../patch/apply-merge-patch.js";
import { applyStrategicMergePatch } from "../patch/apply-strategic-merge-patch.js";
import { decodeJsonPatch } from "../patch/decode-json-patch.js";
import { PatchError, patchErrorStatus } from "../patch/patch-error.js";
import type { StrategicSchema } from "../patch/strategic-schema.js";
import type { FieldValidation, PatchKind, ServedResource } from "../registry/resources.js";
import { groupResourceOf } from "../registry/resources.js";
import { updateObject } from "../registry/update.js";
import { writtenGoObject } from "../schema/go-decode.js";
import { decodeApplied, readBody } from "../wire/body.js";
import { negotiateFor, objectOffer, respondWritten } from "../wire/respond.js";
import { parseWriteOptions } from "../wire/write-options.js";
import { textAfterMergePatch } from "./patched-text.js";
import type { HandlerContext } from "./services.js";
import { checkName } from "./write.js";

/** Turns a `PatchError` into the failure it is answered with. */
export function patchFailure(error: unknown): unknown {
  return error instanceof PatchError ? new ApiFailure(patchErrorStatus(error)) : error;
}

/** A patch made ready to be applied to whatever is stored. */
export interface PreparedPatch {
  readonly kind: PatchKind;
  /** Duplicate and unknown fields of the patch itself. */
  readonly strictErrors: readonly string[];
  /** What errors show: the patched object, or the patch where that works on the typed object. */
  shown(current: ApiObject): string;
  apply(current: ApiObject): ApiObject;
}

/** Reads a patch body. Throws 400. */
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
    return {
      kind,
      strictErrors: decoded.strictErrors,
      apply,
      shown: (current) => goJsonText(applyJsonPatchInOrder(asWritten(resource, current), decoded.operations)),
    };
  }
  let parsed: ReturnType<typeof parseGoJson>;
  try {
    parsed = parseGoJson(text);
  } catch (error) {
    if (!(error instanceof GoJsonError)) throw error;
    throw badRequest(kind === "merge" && check ? `error decoding patch: ${error.message}` : error.message);
  }
  const strictErrors = check ? parsed.duplicates.map((path) => `duplicate field ${JSON.stringify(path)}`) : [];
  if (kind === "merge") {
    const { value } = parsed;
    if (typeof value !== "object" || value === null || Array.isArray(value)) {
      if (value === null) throw badRequest("Invalid JSON Patch");
      const type = Array.isArray(value) ? "array" : typeof value === "boolean" ? "bool" : typeof value;
      throw badRequest(
        `error decoding patch: json: cannot unmarshal ${type} into Go value of type map[string]interface {}`,
      );
    }
    const apply = (current: ApiObject): ApiObject => applyMergePatch(current, value) as ApiObject;
    return {
      kind,
      strictErrors,
      apply,
      shown: (current) => textAfterMergePatch(apply(asWritten(resource, current)), value),
    };
  }
  const patch = parsed.value ?? {};
  if (typeof patch !== "object" || Array.isArray(patch)) {
    const type = Array.isArray(patch) ? "array" : typeof patch === "boolean" ? "bool" : typeof patch;
    throw badRequest(`json: cannot unmarshal ${type} into Go value of type map[string]interface {}`);
  }
  const schema = (definition(resource.definition ?? "") ?? {}) as StrategicSchema;
  // Errors show the patch as applying it has left it.
  let used: JsonObject = {};
  return {
    kind,
    strictErrors,
    shown: () => goFormat(used),
    apply: (current) =>
      applyStrategicMergePatch(
        current,
        (used = cloneJson(patch as JsonObject)),
        schema,
        (name) => definition(name) ?? {},
      ),
  };
}

/** 422 of a patch whose result is no object of the kind. `shown` is what of it the error tells. */
function badResult(shown: string, why: string): Error {
  const text = goQuote(shown);
  return failure(422, "Invalid", ` "" is invalid: patch: Invalid value: ${text}: ${why}`, {
    causes: [{ reason: "FieldValueInvalid", message: `Invalid value: ${text}: ${why}`, field: "patch" }],
  });
}

/** A stored object as the server writes it down before it patches it. */
function asWritten(resource: ServedResource, object: ApiObject): ApiObject {
  return (
    resource.definition === undefined ? sortKeys(object) : writtenGoObject(resource.definition, object)
  ) as ApiObject;
}

/** The object that a patch is for. */
export interface PatchTarget {
  readonly resource: ServedResource;
  readonly namespace: string;
  readonly name: string;
  readonly mode: FieldValidation;
}

/** Applies a patch. Returns the object in the form of its kind, which it still is of, under its name. Throws 400 and 422. */
export function patchedObject(
  context: HandlerContext,
  current: ApiObject,
  patch: PreparedPatch,
  { resource, namespace, name, mode }: PatchTarget,
): ApiObject {
  const object = patch.apply(current);
  const shown = (): string => patch.shown(current);
  const fail = (why: string): Error => badResult(shown(), why);
  if (typeof object !== "object" || object === null || Array.isArray(object))
    throw fail(
      `couldn't get version/kind; json parse error: json: cannot unmarshal ${goJsonTypeName(object)} into Go value of type struct { APIVersion string "json:\\"apiVersion,omitempty\\""; Kind string "json:\\"kind,omitempty\\"" }`,
    );
  const read = resource.readPatched({ kind: patch.kind, object, name, shown, fail }, context);
  const problems = [...patch.strictErrors, ...read.unknown.map((path) => `unknown field ${JSON.stringify(path)}`)];
  if (mode === "Strict" && problems.length > 0) throw fail(`strict decoding error: ${problems.join(", ")}`);
  if (mode === "Warn") for (const problem of problems) context.warn(problem);
  read.finish?.(context.services.clock.now());
  checkName(object, resource, namespace, name);
  return object;
}

/** PATCH of an object, or of its status. */
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
  const write = { dryRun: options.dryRun, manager: options.manager, raw: options.raw };
  if (kind === "apply") {
    const management = context.services.fieldManagement;
    const written = await updateObject(context, {
      resource,
      namespace,
      name: pathName,
      subresource,
      options: write,
      allowCreate: subresource === "",
      managed: true,
      transform: async (existing) => {
        const { config, report } = decodeApplied(context, body, encoding, options.fieldValidation);
        const object = await management.apply({
          resource,
          live: existing,
          config,
          manager: options.manager,
          force: options.force === true,
          subresource,
          nowMs: context.services.clock.now(),
        });
        resource.decodeApplied(object, config.metadata?.namespace);
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
    // What is patched must be there before the patch is read.
    let patch: PreparedPatch | undefined;
    const written = await updateObject(context, {
      resource,
      namespace,
      name: pathName,
      subresource,
      options: write,
      allowCreate: false,
      transform: (existing) => {
        if (existing === undefined) throw notFound(groupResourceOf(resource), pathName);
        patch ??= preparePatch(resource, kind, body, options.fieldValidation);
        const before = copyJson(existing);
        const { resourceVersion } = metaOf(before);
        delete metaOf(before).resourceVersion;
        const current = { ...before, metadata: { ...before.metadata, resourceVersion: resourceVersion! } };
        const object = patchedObject(context, current, patch, {
          resource,
          namespace,
          name: pathName,
          mode: options.fieldValidation,
        });
        resource.strategy.defaults?.(object, context.services.clock.now());
        return object;
      },
    });
    return respondWritten(context, { resource, negotiated }, written);
  } catch (error) {
    throw patchFailure(error);
  }
}
