import { methodNotAllowed } from "../errors/status.js";
import type { ServerResponse } from "../http/http.js";
import type { ServedResource } from "../registry/resources.js";
import { admitConnection } from "./admit-request.js";
import { handleBinding } from "./binding.js";
import { handleEviction } from "./eviction.js";
import { handlePatch } from "./patch.js";
import { handlePodStream } from "./pod-streams.js";
import { proxyFailure } from "./proxy.js";
import { handleGet } from "./read.js";
import { handleScale } from "./scale.js";
import type { HandlerContext } from "./services.js";
import { handleToken } from "./token.js";
import { handleUpdate } from "./write.js";

const streams = new Set(["log", "exec", "attach", "portforward"]);

/** Dispatches a request for a subresource. */
export async function handleSubresource(context: HandlerContext, resource: ServedResource): Promise<ServerResponse> {
  const { method } = context.request;
  const { subresource: name, pathName } = context.info;
  const subresource = resource.subresources.get(name);
  if (subresource === undefined) throw resource.unknownSubresource(pathName);
  if (
    resource.routing === "routes" &&
    !allows(subresource.verbs, method) &&
    !(name === "proxy" && (method === "HEAD" || method === "OPTIONS"))
  )
    throw methodNotAllowed();
  if (name === "scale") return handleScale(context, resource);
  if (name === "proxy" || (streams.has(name) && name !== "log")) await admitConnection(context, resource);
  if (name === "proxy") throw proxyFailure(context, resource);
  if (streams.has(name)) return handlePodStream(context, resource);
  if (name === "eviction") return handleEviction(context, resource);
  if (name === "binding") return handleBinding(context, resource, pathName);
  if (name === "token") return handleToken(context, resource);
  if (method === "GET") return handleGet(context, resource);
  if (method === "PUT") return handleUpdate(context, resource, name);
  if (method === "PATCH") return handlePatch(context, resource, name);
  throw resource.unsupportedVerb(verbOf[method] ?? method.toLowerCase());
}

const verbOf: Readonly<Record<string, string>> = {
  GET: "get",
  POST: "create",
  PUT: "update",
  PATCH: "patch",
  DELETE: "delete",
};

function allows(verbs: readonly string[], method: string): boolean {
  const verb = verbOf[method];
  return verb !== undefined && verbs.includes(verb);
}
