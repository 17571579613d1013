import { pushAll } from "../../internal/push-all.js";
import type { FieldError } from "../errors/field-error.js";
import { invalidField, unsupportedField } from "../errors/field-error.js";
import { badRequest, throwInvalid } from "../errors/status.js";
import type { Encoding } from "../http/encoding.js";
import { booleanParameter } from "../http/request-info.js";
import { isJsonObject, jsonTypeName } from "../internal/json-value.js";
import { integerParameter } from "../registry/list-options.js";
import type { DeleteRequest } from "../registry/write/delete.js";
import { GoDecodeError } from "../schema/decode-scalars.js";
import { decodeGoObject } from "../schema/go-decode.js";
import { readBody, requestEncoding } from "../wire/body.js";
import { decodeBody } from "../wire/encodings.js";
import { checkTypeFields, ObjectTypeError, typeOfObject } from "../wire/object-type.js";
import { dryRunErrors } from "../wire/write-options.js";
import type { HandlerContext } from "./services.js";

const policies = new Set(["Orphan", "Background", "Foreground"]);

/** Parses and validates deletion options from the body, or from the query without a body. Throws 400, 415 and 422. */
export async function parseDeleteRequest(context: HandlerContext, inputs: readonly Encoding[]): Promise<DeleteRequest> {
  const body = await readBody(context);
  let given: Record<string, unknown>;
  if (body.length > 0) {
    const encoding = requestEncoding(context.request.header("content-type"), inputs);
    given = readOptions(body, encoding);
  } else {
    const { query } = context;
    const grace = integerParameter(query, "gracePeriodSeconds");
    const preconditions = Object.fromEntries(
      ["uid", "resourceVersion"].flatMap((name) => ((query.get(name) ?? "") === "" ? [] : [[name, query.get(name)]])),
    );
    given = {
      ...(Object.keys(preconditions).length === 0 ? {} : { preconditions }),
      ...(query.has("dryRun") ? { dryRun: query.getAll("dryRun") } : {}),
      ...(grace === undefined ? {} : { gracePeriodSeconds: grace }),
      ...(query.has("orphanDependents") ? { orphanDependents: booleanParameter(query.get("orphanDependents")) } : {}),
      ...(query.has("propagationPolicy") ? { propagationPolicy: query.get("propagationPolicy") } : {}),
    };
  }
  return deleteRequestOf(given);
}

const deleteOptions = { group: "meta.k8s.io", version: "v1", kind: "DeleteOptions" };
const definition = "io.k8s.apimachinery.pkg.apis.meta.v1.DeleteOptions";

/** Decodes a body of options; errors contain only the parser's message. Throws 400. */
function readOptions(body: Uint8Array, encoding: Encoding): Record<string, unknown> {
  let value: unknown;
  try {
    ({ value } = decodeBody(encoding, body));
  } catch (error) {
    throw badRequest(error instanceof Error ? error.message : String(error));
  }
  value ??= {};
  if (!isJsonObject(value)) throw badRequest(`the options are of type ${jsonTypeName(value)}, not object`);
  try {
    checkTypeFields(value);
    const { kind } = typeOfObject(value, deleteOptions);
    if (kind !== deleteOptions.kind) throw badRequest(`an object of kind ${kind} cannot be read as DeleteOptions`);
    return decodeGoObject(definition, value).object;
  } catch (error) {
    if (error instanceof GoDecodeError || error instanceof ObjectTypeError) throw badRequest(error.message);
    throw error;
  }
}

/** Validates deletion options. Throws 422. */
export function deleteRequestOf(given: Readonly<Record<string, unknown>>): DeleteRequest {
  const dryRun = Array.isArray(given.dryRun) ? (given.dryRun as unknown[]) : [];
  const orphan = typeof given.orphanDependents === "boolean" ? given.orphanDependents : undefined;
  const policy = typeof given.propagationPolicy === "string" ? given.propagationPolicy : undefined;
  const errors: FieldError[] = [];
  if (orphan !== undefined && policy !== undefined) {
    errors.push(
      invalidField("propagationPolicy", policy, "orphanDependents and deletionPropagation cannot be both set"),
    );
  }
  if (policy !== undefined && !policies.has(policy)) {
    errors.push(unsupportedField("propagationPolicy", policy, ["Foreground", "Background", "Orphan", "nil"]));
  }
  pushAll(errors, dryRunErrors(dryRun));
  throwInvalid({ group: "meta.k8s.io", kind: "DeleteOptions" }, "", errors);
  const preconditions =
    typeof given.preconditions === "object" && given.preconditions !== null
      ? (given.preconditions as Record<string, unknown>)
      : {};
  return {
    dryRun: dryRun.length > 0,
    gracePeriodSeconds: typeof given.gracePeriodSeconds === "number" ? given.gracePeriodSeconds : undefined,
    propagation: orphan === undefined ? (policy as DeleteRequest["propagation"]) : orphan ? "Orphan" : "Background",
    uid: typeof preconditions.uid === "string" ? preconditions.uid : undefined,
    resourceVersion: typeof preconditions.resourceVersion === "string" ? preconditions.resourceVersion : undefined,
    raw: { ...given, kind: "DeleteOptions", apiVersion: "meta.k8s.io/v1" },
  };
}
