import type { ApiObject } from "../objects/api-object.js";
import type { ServedResource } from "../registry/resources.js";
import type { AdmissionAttributes } from "../registry/services.js";
import { admit, validateAdmission } from "../registry/write/admission.js";
import type { HandlerContext } from "./services.js";

/** Runs both phases of admission for a request to a subresource whose object isn't stored. */
export async function admitRequest(
  context: HandlerContext,
  request: Pick<AdmissionAttributes, "operation" | "resource" | "object" | "dryRun" | "options">,
): Promise<void> {
  const { namespace, pathName: name, subresource } = context.info;
  const attributes = { ...request, namespace, name, subresource, old: undefined };
  await admit(context, attributes);
  await validateAdmission(context, attributes);
}

/** Runs admission for a connection. Its object has the options in the query. */
export function admitConnection(context: HandlerContext, resource: ServedResource): Promise<void> {
  const object = connectOptions(context, resource);
  return admitRequest(context, { operation: "CONNECT", resource, object, dryRun: false });
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
