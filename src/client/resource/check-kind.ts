import { ProtocolError } from "../../errors/errors.js";
import { getApiVersion, type Kind } from "../../meta/kind.js";
import type { KubernetesObject } from "../../meta/object.js";
import type { CallTarget } from "./calls.js";

/** Other kinds that a response may have in addition to the expected one. */
export interface AcceptableKinds {
  /** True if `PartialObjectMetadata` is acceptable. */
  readonly metadata?: boolean;
  /** True if a `Status` is acceptable, as in responses to deletes and some creates. */
  readonly status?: boolean;
}

/** Throws a `ProtocolError` for a response of another kind. Subresources with their own kinds and tables aren't checked. */
export function checkObject(
  { kind, view, ofKind }: CallTarget,
  object: object,
  action: string,
  also?: Pick<AcceptableKinds, "status">,
): void {
  if (ofKind && view.table !== true)
    checkObjectKind(object, kind, { metadata: view.name === "metadata", ...also }, action);
}

/** Throws a `ProtocolError` for a list of another kind. */
export function checkList({ kind: expected, view, description }: CallTarget, kind: string | undefined): void {
  checkListKind(kind, expected, { metadata: view.name === "metadata" }, `list ${description}`);
}

/** Throws a `ProtocolError` if a response declares another kind than expected. Accepts a response without a kind. */
export function checkObjectKind(answer: object, expected: Kind, also: AcceptableKinds, action: string): void {
  const { kind, apiVersion } = answer as KubernetesObject;
  if (kind === undefined || kind === "") return;
  const version = getApiVersion(expected);
  if (kind === expected.kind && (apiVersion === undefined || apiVersion === "" || apiVersion === version)) return;
  if ((also.metadata === true && kind === "PartialObjectMetadata") || (also.status === true && kind === "Status"))
    return;
  throw new ProtocolError(
    `${action}: expected ${expected.kind} of ${version}, got ${quoteUntrusted(kind)}${apiVersion === undefined ? "" : ` of ${quoteUntrusted(apiVersion)}`}`,
  );
}

/** Throws a `ProtocolError` if a response isn't a list of the kind. */
export function checkListKind(kind: string | undefined, expected: Kind, also: AcceptableKinds, action: string): void {
  if (
    kind !== undefined &&
    kind !== "" &&
    (isListOf(kind, expected) || (also.metadata === true && kind === "PartialObjectMetadataList"))
  )
    return;
  throw new ProtocolError(
    `${action}: expected a list of ${expected.kind}, got ${kind === undefined || kind === "" ? "an object without kind" : quoteUntrusted(kind)}`,
  );
}

function isListOf(kind: string, expected: Kind): boolean {
  // A CustomResourceDefinition may choose any listKind.
  if (expected.custom === true) return kind !== "Status" && kind !== expected.kind;
  return kind === `${expected.kind}List` || kind === "List";
}

/** Quotes untrusted text from the response, at most 100 characters. */
function quoteUntrusted(text: unknown): string {
  return typeof text === "string" && /^[\w./-]{1,100}$/.test(text)
    ? text
    : (JSON.stringify(text) ?? "nothing").slice(0, 100);
}
