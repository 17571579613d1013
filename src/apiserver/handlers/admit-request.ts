import type { ApiObject } from "../objects/api-object.js";
import { metaOf } from "../objects/metadata.js";
import type { ServedResource } from "../registry/resources.js";
import type { AdmissionAttributes } from "../registry/services.js";
import { admit, validateAdmission } from "../registry/write/admission.js";
import type { HandlerContext } from "./services.js";

/**
 * Runs both phases of admission for a request whose object isn't stored. `prepare` checks and completes the object
 * between them. Resolves with its result.
 */
export async function admitRequest<Result>(
  context: HandlerContext,
  request: Pick<AdmissionAttributes, "operation" | "resource" | "dryRun" | "options"> & { readonly object: ApiObject },
  prepare: () => Result,
): Promise<Result> {
  const { namespace, pathName, subresource } = context.info;
  if (namespace !== "" && request.operation === "CREATE") metaOf(request.object).namespace ??= namespace;
  const name = pathName === "" ? (request.object.metadata?.name ?? "") : pathName;
  const attributes = { ...request, namespace, name, subresource, old: undefined };
  await admit(context, attributes);
  const prepared = prepare();
  await validateAdmission(context, attributes);
  return prepared;
}

/** Runs admission for a connection. Its object has the options in the query. */
export function admitConnection(context: HandlerContext, resource: ServedResource): Promise<void> {
  const object = connectOptions(context, resource);
  return admitRequest(context, { operation: "CONNECT", resource, object, dryRun: false }, () => undefined);
}

function connectOptions({ query, info }: HandlerContext, resource: ServedResource): ApiObject {
  const { kind } = resource.subresources.get(info.subresource)!.kind;
  const options: Record<string, unknown> = { kind, apiVersion: "v1" };
  if (info.subresource === "proxy") {
    const path = info.parts.slice(3).join("/");
    if (path !== "") options["path"] = `/${path}`;
    return options;
  }
  for (const name of ["stdin", "stdout", "stderr", "tty"]) if (isTrue(query, name)) options[name] = true;
  const container = query.get("container") ?? "";
  if (container !== "") options["container"] = container;
  for (const [name, values] of [
    ["command", query.getAll("command")],
    ["ports", query.getAll("ports").flatMap((text) => text.split(",").map(Number))],
  ] as const)
    if (values.length > 0) options[name] = values;
  return options;
}

/** Reads a flag like Go: any value but `false` and `0` is true. */
export function isTrue(query: URLSearchParams, name: string): boolean {
  return query.has(name) && query.get(name) !== "false" && query.get(name) !== "0";
}
