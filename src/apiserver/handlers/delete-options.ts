import type { RequestContext } from "../core.js";
import { booleanParameter } from "../request-info.js";
import type { DeleteRequest } from "../registry/delete.js";
import type { FieldError } from "../schema/field-error.js";
import { decodeBody } from "../encodings.js";
import type { GroupVersionKind } from "../registry/resources.js";
import { badRequest, throwInvalid } from "../status.js";
import { parseObject, readBody, requestEncoding } from "./body.js";
import { integerParameter } from "./list-options.js";
import type { Encoding } from "./negotiate.js";
import { dryRunErrors } from "./write-options.js";

const policies = new Set(["Orphan", "Background", "Foreground"]);

/** Reads and checks the options of a deletion from the body, or else from the query. Throws 400, 415 and 422. */
export async function parseDeleteRequest(context: RequestContext, inputs: readonly Encoding[]): Promise<DeleteRequest> {
  const body = await readBody(context);
  let given: Record<string, unknown>;
  if (body.length > 0) {
    const encoding = requestEncoding(context.request.header("content-type"), inputs);
    given = readOptions(body, encoding, { group: "meta.k8s.io", version: "v1", kind: "DeleteOptions" }).object;
    const kind = given.kind;
    if (kind !== undefined && kind !== "" && kind !== "DeleteOptions") {
      throw badRequest(`decoded object cannot be converted to DeleteOptions: ${JSON.stringify(kind)}`);
    }
  } else {
    const { query } = context;
    const grace = integerParameter(query, "gracePeriodSeconds");
    given = {
      ...(query.has("dryRun") ? { dryRun: query.getAll("dryRun") } : {}),
      ...(grace === undefined ? {} : { gracePeriodSeconds: grace }),
      ...(query.has("orphanDependents") ? { orphanDependents: booleanParameter(query.get("orphanDependents")) } : {}),
      ...(query.has("propagationPolicy") ? { propagationPolicy: query.get("propagationPolicy") } : {}),
    };
  }
  return deleteRequestOf(given);
}

/** Reads a body of options. A body in JSON has errors that tell what it was to be, others tell what their reader said. Throws 400. */
function readOptions(body: Uint8Array, encoding: Encoding, kind: GroupVersionKind): { readonly object: Record<string, unknown> } {
  if (encoding === "protobuf" || encoding === "cbor") {
    try {
      decodeBody(encoding, body);
    } catch (error) {
      throw badRequest(error instanceof Error ? error.message : String(error));
    }
  }
  return parseObject(body, encoding, kind);
}

/** Checks the options of a deletion. Throws 422. */
export function deleteRequestOf(given: Readonly<Record<string, unknown>>): DeleteRequest {
  const dryRun = Array.isArray(given.dryRun) ? (given.dryRun as unknown[]) : [];
  const orphan = typeof given.orphanDependents === "boolean" ? given.orphanDependents : undefined;
  const policy = typeof given.propagationPolicy === "string" ? given.propagationPolicy : undefined;
  const errors: FieldError[] = [];
  if (orphan !== undefined && policy !== undefined) {
    errors.push({ type: "FieldValueInvalid", field: "propagationPolicy", value: policy, detail: "orphanDependents and deletionPropagation cannot be both set" });
  }
  if (policy !== undefined && !policies.has(policy)) {
    errors.push({ type: "FieldValueNotSupported", field: "propagationPolicy", value: policy, detail: "supported values: \"Foreground\", \"Background\", \"Orphan\", \"nil\"" });
  }
  errors.push(...dryRunErrors(dryRun));
  throwInvalid({ group: "meta.k8s.io", kind: "DeleteOptions" }, "", errors);
  const preconditions = typeof given.preconditions === "object" && given.preconditions !== null ? (given.preconditions as Record<string, unknown>) : {};
  return {
    dryRun: dryRun.length > 0,
    gracePeriodSeconds: typeof given.gracePeriodSeconds === "number" ? given.gracePeriodSeconds : undefined,
    propagation: orphan === undefined ? (policy as DeleteRequest["propagation"]) : orphan ? "Orphan" : "Background",
    uid: typeof preconditions.uid === "string" ? preconditions.uid : undefined,
    resourceVersion: typeof preconditions.resourceVersion === "string" ? preconditions.resourceVersion : undefined,
    raw: { ...given, kind: "DeleteOptions", apiVersion: "meta.k8s.io/v1" },
  };
}
