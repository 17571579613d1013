import { GoDecodeError } from "./decode-scalars.js";

/** A decoded object that can't be converted to the server's internal form. */
export class GoConvertError extends GoDecodeError {}

/** Annotation of DaemonSets whose value is a counter. */
export const templateGenerationAnnotation = "deprecated.daemonset.template.generation";
const mostInt64 = 2n ** 63n;

/** Applies the changes of kube-apiserver's conversion to its internal form, in place. Throws a `GoConvertError`. */
export function convertGoObject(definition: string, object: { readonly metadata?: unknown }): void {
  if (definition !== "io.k8s.api.apps.v1.DaemonSet") return;
  // The template generation is a number in the internal form.
  const { annotations } = (object.metadata ?? {}) as { annotations?: Record<string, string> };
  const count = annotations?.[templateGenerationAnnotation];
  if (annotations !== undefined && count !== undefined)
    annotations[templateGenerationAnnotation] = String(integer(count));
}

function integer(text: string): bigint {
  const value = /^[+-]?\d+$/.test(text) ? BigInt(text.replace("+", "")) : mostInt64;
  if (value >= mostInt64 || value < -mostInt64)
    throw new GoConvertError(`${JSON.stringify(text)} is not a 64-bit integer`);
  return value;
}
