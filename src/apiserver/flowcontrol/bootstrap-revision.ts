import { deepEqual } from "../../internal/deep-equal.js";
import type { ApiObject } from "../objects/api-object.js";

/** Annotation that says whether the server maintains the spec of a suggested object. */
export const autoUpdateAnnotation = "apf.kubernetes.io/autoupdate-spec";

const mandatoryNames = new Set(["exempt", "catch-all"]);
const booleanTexts: ReadonlyMap<string, boolean> = new Map([
  ...["1", "t", "T", "TRUE", "true", "True"].map((text) => [text, true] as const),
  ...["0", "f", "F", "FALSE", "false", "False"].map((text) => [text, false] as const),
]);

function annotation({ metadata }: ApiObject): boolean | undefined {
  return booleanTexts.get(metadata?.annotations?.[autoUpdateAnnotation] ?? "");
}

/** True for an object that the server created in the past and has no use for now. */
export function isUnwanted(object: ApiObject): boolean {
  return annotation(object) === true;
}

/**
 * Compares a stored object of flow control with the one that the server prescribes. Returns the object to store, or
 * `undefined` if the stored one is right. The server controls the spec of mandatory objects, and of suggested ones by
 * their annotation; without a valid annotation, until the spec is changed for the first time.
 */
export function revisedBootstrapObject(stored: ApiObject, prescribed: ApiObject): ApiObject | undefined {
  const mandatory = mandatoryNames.has(stored.metadata?.name ?? "");
  const controlled = mandatory || (annotation(stored) ?? stored.metadata?.generation === 1);
  const respecified = controlled && !sameSpec(stored, prescribed);
  if (!respecified && annotation(stored) === controlled) return undefined;
  return {
    ...stored,
    metadata: {
      ...stored.metadata,
      annotations: { ...stored.metadata?.annotations, [autoUpdateAnnotation]: String(controlled) },
    },
    ...(respecified && { spec: prescribed["spec"] }),
  };
}

/** Compares specs. The shares of the exempt level are up to the administrator. */
function sameSpec(stored: ApiObject, prescribed: ApiObject): boolean {
  const spec = stored["spec"] as { readonly exempt?: object } | undefined;
  const wanted = prescribed["spec"] as { readonly exempt?: object };
  if (wanted.exempt === undefined) return deepEqual(spec, wanted);
  return spec?.exempt !== undefined && deepEqual({ ...spec, exempt: {} }, { ...wanted, exempt: {} });
}
