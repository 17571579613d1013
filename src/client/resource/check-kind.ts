import { ProtocolError } from "../../errors/errors.js";
import { getApiVersion, type Kind } from "../../meta/kind.js";
import type { KubernetesObject } from "../../meta/object.js";

/** What an answer may be, besides an object of its kind or a list of them. */
export interface AlsoFits {
  /** Metadata alone. */
  readonly metadata?: boolean;
  /** A Status: what a delete and some creates are answered with. */
  readonly status?: boolean;
}

/** Throws where an answer says to be something else than an object of the kind. One that does not say what it is, is taken. */
export function checkObjectKind(answer: object, expected: Kind, also: AlsoFits, action: string): void {
  const { kind, apiVersion } = answer as KubernetesObject;
  if (kind === undefined || kind === "") return;
  const version = getApiVersion(expected);
  if (kind === expected.kind && (apiVersion === undefined || apiVersion === "" || apiVersion === version)) return;
  if ((also.metadata === true && kind === "PartialObjectMetadata") || (also.status === true && kind === "Status"))
    return;
  throw new ProtocolError(
    `${action}: expected ${expected.kind} of ${version}, got ${shown(kind)}${apiVersion === undefined ? "" : ` of ${shown(apiVersion)}`}`,
  );
}

/** Throws where an answer does not say to be a list of the kind. */
export function checkListKind(kind: string | undefined, expected: Kind, also: AlsoFits, action: string): void {
  if (
    kind !== undefined &&
    kind !== "" &&
    (isListOf(kind, expected) || (also.metadata === true && kind === "PartialObjectMetadataList"))
  )
    return;
  throw new ProtocolError(
    `${action}: expected a list of ${expected.kind}, got ${kind === undefined || kind === "" ? "an object without kind" : shown(kind)}`,
  );
}

function isListOf(kind: string, expected: Kind): boolean {
  // A definition may give its lists any name.
  if (expected.custom === true) return kind !== "Status" && kind !== expected.kind;
  return kind === `${expected.kind}List` || kind === "List";
}

/** Whoever made the answer chose these words. */
function shown(text: unknown): string {
  return typeof text === "string" && /^[\w./-]{1,100}$/.test(text)
    ? text
    : (JSON.stringify(text) ?? "nothing").slice(0, 100);
}
