import { definition } from "../../gen/openapi/definitions.js";
import { utf8Decode } from "../../internal/bytes.js";
import { decodeCustomMetadata } from "../custom/decode-custom.js";
import { ApiFailure, badRequest, conflict, failure, notFound, rawError, routeFailure } from "../errors/status.js";
import type { ServerResponse } from "../http/http.js";
import { goFormat } from "../internal/go-format.js";
import { GoJsonError, goJsonTypeName, parseGoJson } from "../internal/go-json.js";
import { goJsonText, goQuote } from "../internal/go-text.js";
import { cloneJson, isJsonObject, type JsonObject, sortKeys } from "../internal/json-value.js";
import type { ApiObject } from "../objects/api-object.js";
import { copyJson, metaOf } from "../objects/metadata.js";
import { applyJsonPatch, applyJsonPatchInOrder } from "../patch/apply-json-patch.js";
import { applyMergePatch } from "../patch/apply-merge-patch.js";
import { applyStrategicMergePatch } from "../patch/apply-strategic-merge-patch.js";
import { decodeJsonPatch } from "../patch/decode-json-patch.js";
import { PatchError, patchErrorStatus } from "../patch/patch-error.js";
import type { StrategicSchema } from "../patch/strategic-schema.js";
import type { ServedResource } from "../registry/resources.js";
import { apiVersionOf } from "../registry/resources.js";
import { groupResourceOf, updateObject } from "../registry/write.js";
import { GoConvertError } from "../schema/convert-object.js";
import { GoDecodeError, writtenGoObject } from "../schema/go-decode.js";
import { pruneObject } from "../schema/prune.js";
import type { Schema } from "../schema/schema.js";
import { decodeApplied, decodeBuiltIn, readBody } from "../wire/body.js";
import type { Encoding } from "../wire/negotiate.js";
import { ObjectTypeError, parseApiVersion } from "../wire/object-type.js";
import { negotiateFor, objectOffer, respondWritten } from "../wire/respond.js";
import type { FieldValidation } from "../wire/write-options.js";
import { parseWriteOptions } from "../wire/write-options.js";
import type { PatchedType } from "./patched-kind.js";
import { conversionProblem, convertPatched, patchedType, strategicKindProblem } from "./patched-kind.js";
import { textAfterMergePatch } from "./patched-text.js";
import type { HandlerContext } from "./services.js";
import { checkName } from "./write.js";

type PatchKind = "json" | "merge" | "strategic" | "apply";

const patchTypes: Readonly<Record<string, { kind: PatchKind; encoding: Encoding }>> = {
  "application/json-patch+json": { kind: "json", encoding: "json" },
  "application/merge-patch+json": { kind: "merge", encoding: "json" },
  "application/strategic-merge-patch+json": { kind: "strategic", encoding: "json" },
  "application/apply-patch+yaml": { kind: "apply", encoding: "yaml" },
  "application/apply-patch+cbor": { kind: "apply", encoding: "cbor" },
};

/** The kind of patch that a Content-Type names. Throws 415. */
export function patchKind(contentType: string | undefined, custom: boolean): { kind: PatchKind; encoding: Encoding } {
  const bare = (contentType ?? "").split(";")[0]!.trim();
  const found = Object.hasOwn(patchTypes, bare) ? patchTypes[bare] : undefined;
  if (custom) {
    if (found === undefined || found.kind === "strategic") {
      const accepted = [
        "application/json-patch+json",
        "application/merge-patch+json",
        "application/apply-patch+yaml",
        "application/apply-patch+cbor",
      ];
      throw failure(
        415,
        "UnsupportedMediaType",
        `the body of the request was in an unknown format - accepted media types include: ${accepted.join(", ")}`,
      );
    }
    return found;
  }
  if (found === undefined) throw routeFailure(415, "UnsupportedMediaType", "415: Unsupported Media Type");
  return found;
}

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
  context: HandlerContext,
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

/** Metadata of a custom resource must be an object; null is none. Throws what `fail` makes of the problem. */
function checkMetadata(object: ApiObject, fail: (why: string) => Error): void {
  const { metadata } = object as Record<string, unknown>;
  if (metadata === undefined || metadata === null || isJsonObject(metadata)) return;
  const type = Array.isArray(metadata) ? "array" : typeof metadata === "boolean" ? "bool" : typeof metadata;
  throw fail(`json: cannot unmarshal ${type} into Go value of type v1.ObjectMeta`);
}

/** Applies a patch. Answers with the object in the form of its kind: it is still of its kind and has its name. Throws 400 and 422. */
export function patchedObject(
  context: HandlerContext,
  current: ApiObject,
  patch: PreparedPatch,
  resource: ServedResource,
  namespace: string,
  name: string,
  mode: FieldValidation,
): ApiObject {
  const object = patch.apply(current);
  const fail = (why: string): Error => badResult(patch.shown(current), why);
  if (typeof object !== "object" || object === null || Array.isArray(object))
    throw fail(
      `couldn't get version/kind; json parse error: json: cannot unmarshal ${goJsonTypeName(object)} into Go value of type struct { APIVersion string "json:\\"apiVersion,omitempty\\""; Kind string "json:\\"kind,omitempty\\"" }`,
    );
  if (resource.custom !== undefined) {
    checkCustomKind(object, () => patch.shown(current), fail);
    checkMetadata(object, fail);
  }
  let type: PatchedType = { internal: false };
  if (resource.custom === undefined) {
    // A strategic patch works on the typed object, which has no type to change.
    const wrongType = patch.kind === "strategic" ? strategicKindProblem(object) : undefined;
    if (wrongType !== undefined) throw fail(wrongType);
    if (patch.kind === "strategic") Object.assign(object, { kind: resource.kind, apiVersion: apiVersionOf(resource) });
    else type = typeOfPatched(context, object, resource, () => patch.shown(current), fail);
    if (type.internal) return withoutVersion(context, patch, object, name, mode, fail);
    if ((object.kind ?? "") === "") object.kind = resource.kind;
  }
  let unknown: readonly string[];
  try {
    const odd =
      resource.custom !== undefined &&
      object.apiVersion !== apiVersionOf(resource) &&
      object.apiVersion?.startsWith(`${resource.group}/`) === true;
    const foreign = resource.custom !== undefined && !odd && object.apiVersion !== apiVersionOf(resource);
    // Of a version that there is not there is no schema.
    const schemaOf = (version: string): Schema | undefined =>
      context.services.resources.find(resource.group, version, resource.resource)?.custom?.schema;
    unknown = odd
      ? pruneObject(object, schemaOf(object.apiVersion!.split("/")[1]!))
      : resource.custom !== undefined && (object.apiVersion ?? "") === ""
        ? decodeCustomMetadata(resource, object)
        : foreign
          ? []
          : decodePatched(
              type.other ?? resource,
              object,
              patch.kind === "strategic" ? undefined : () => patch.shown(current),
            );
  } catch (error) {
    if (!(error instanceof ApiFailure)) throw error;
    // A strategic patch leaves a typed object: what it is brought into next is none of the patch any more.
    if (patch.kind === "strategic" && error.cause instanceof GoConvertError) throw rawError(error.cause.message);
    throw fail(patch.kind === "strategic" ? convertProblem(error) : decodeProblem(error));
  }
  const problems = [...patch.strictErrors, ...unknown.map((path) => `unknown field ${JSON.stringify(path)}`)];
  if (mode === "Strict" && problems.length > 0) throw fail(`strict decoding error: ${problems.join(", ")}`);
  if (mode === "Warn") for (const problem of problems) context.warn(problem);
  convertPatched(object, type, resource, context.services.clock.now());
  checkName(object, resource, namespace, name);
  return object;
}

/** As what a patched object is read. Throws what `fail` makes of the problem. */
function typeOfPatched(
  context: HandlerContext,
  object: ApiObject,
  resource: ServedResource,
  text: () => string,
  fail: (why: string) => Error,
): PatchedType {
  try {
    return patchedType(context, object, resource, text);
  } catch (error) {
    throw error instanceof ObjectTypeError ? fail(error.message) : error;
  }
}

/** Without a version it is the server's own form that is read, which has none of the names of the API. Throws 400 and 422. */
function withoutVersion(
  context: HandlerContext,
  patch: PreparedPatch,
  object: ApiObject,
  name: string,
  mode: FieldValidation,
  fail: (why: string) => Error,
): never {
  const unknown = Object.keys(object)
    .filter((key) => key !== "kind" && key !== "apiVersion")
    .sort();
  const problems = [...patch.strictErrors, ...unknown.map((key) => `unknown field ${JSON.stringify(key)}`)];
  if (mode === "Strict" && problems.length > 0) throw fail(`strict decoding error: ${problems.join(", ")}`);
  if (mode === "Warn") for (const problem of problems) context.warn(problem);
  throw badRequest(`the name of the object (${name} based on URL) was undeterminable: name must be provided`);
}

/** Decodes what an apply has merged. Values that the schema takes and the type does not are a failure of the server. Throws 500. */
function decodeMerged(resource: ServedResource, object: ApiObject, namespace = ""): void {
  try {
    decodeBuiltIn(resource, object);
  } catch (error) {
    if (!(error instanceof ApiFailure)) throw error;
    const kind = `${resource.group}/${resource.version}, Kind=${resource.kind}`;
    if (error.cause instanceof GoConvertError)
      throw rawError(
        `failed to convert to unversioned (${object.metadata?.namespace ?? ""}/${object.metadata?.name ?? ""}; ${kind}): ${error.cause.message}`,
      );
    const why = convertProblem(error);
    throw rawError(
      `failed to convert new object (${namespace}/${object.metadata?.name ?? ""}; ${kind}) to proper version: unable to convert unstructured object to ${kind}: ${why}`,
    );
  }
}

/** Decodes a patched object; what is wrong with it is told in the order of the text that the server reads. Throws 400. */
function decodePatched(
  resource: ServedResource,
  object: ApiObject,
  text: (() => string) | undefined,
): readonly string[] {
  const inOrder = (): readonly string[] => decodeBuiltIn(resource, parseGoJson(text!()).value as ApiObject);
  try {
    const unknown = decodeBuiltIn(resource, object, text === undefined);
    return text === undefined || unknown.length < 2 ? unknown : inOrder();
  } catch (error) {
    if (text !== undefined && error instanceof ApiFailure) inOrder();
    throw error;
  }
}

/** A patched custom resource is told its type by its text. Throws what `fail` makes of the problem. */
function checkCustomKind(object: ApiObject, text: () => string, fail: (why: string) => Error): void {
  const { kind, apiVersion } = object as { kind?: unknown; apiVersion?: unknown };
  for (const [key, value] of [
    ["apiVersion", apiVersion],
    ["kind", kind],
  ] as const) {
    if (value !== undefined && value !== null && typeof value !== "string")
      throw fail(
        `couldn't get version/kind; json parse error: json: cannot unmarshal ${goJsonTypeName(value)} into Go struct field .${key} of type string`,
      );
  }
  let version: ReturnType<typeof parseApiVersion>;
  try {
    version = parseApiVersion((apiVersion ?? "") as string);
  } catch (error) {
    throw error instanceof ObjectTypeError ? fail(error.message) : error;
  }
  if ((kind ?? "") === "") throw fail(`Object 'Kind' is missing in '${text()}'`);
  object.apiVersion = version.version === "" ? "" : apiVersionOf(version);
}

function convertProblem(error: ApiFailure): string {
  return conversionProblem(error.cause instanceof GoDecodeError ? error.cause : { message: decodeProblem(error) });
}

function decodeProblem(error: ApiFailure): string {
  return error.message.replace(/^.*? cannot be handled as a \w+: /, "");
}

/** PATCH of an object, or of its status. */
export async function handlePatch(
  context: HandlerContext,
  resource: ServedResource,
  subresource = "",
): Promise<ServerResponse> {
  const { namespace, pathName } = context.info;
  const { kind, encoding } = patchKind(context.request.header("content-type"), resource.custom !== undefined);
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
        // A custom resource keeps the nulls that the merge left: validation refuses them.
        if (resource.definition !== undefined) decodeMerged(resource, object, config.metadata?.namespace);
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
    return respondWritten(context, negotiated, resource, written);
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
        patch ??= preparePatch(context, resource, kind, body, options.fieldValidation);
        const before = copyJson(existing);
        const { resourceVersion } = metaOf(before);
        delete metaOf(before).resourceVersion;
        const current = { ...before, metadata: { ...before.metadata, resourceVersion: resourceVersion! } };
        patch ??= preparePatch(context, resource, kind, body, options.fieldValidation);
        const object = patchedObject(context, current, patch, resource, namespace, pathName, options.fieldValidation);
        resource.strategy.defaults?.(object, context.services.clock.now());
        return object;
      },
    });
    return respondWritten(context, negotiated, resource, written);
  } catch (error) {
    throw patchFailure(error);
  }
}
