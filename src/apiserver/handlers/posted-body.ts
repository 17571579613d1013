import type { ApiObject } from "../objects/api-object.js";
import type { GroupVersionKind, ServedResource } from "../registry/resources.js";
import { leastSize, maxRequestBytes } from "../registry/write/size-limit.js";
import { decodeFor, decodeKind, readBody, requestEncoding } from "../wire/body.js";
import type { Negotiated } from "../wire/negotiate.js";
import { negotiateFor, offerOf } from "../wire/respond.js";
import type { ParsedWriteOptions } from "../wire/write-options.js";
import { parseWriteOptions } from "../wire/write-options.js";
import type { HandlerContext } from "./services.js";
import { checkNamespace } from "./write.js";

/** Body of a POST whose object isn't stored, such as a review. */
interface PostedBody {
  readonly object: ApiObject;
  readonly options: ParsedWriteOptions;
  readonly negotiated: Negotiated;
}

type PostedUpdate = Parameters<HandlerContext["services"]["fieldManagement"]["update"]>[0];

/**
 * Records the field manager of an object that isn't stored. An object that etcd couldn't take gets none, like those that
 * are stored.
 */
export async function trackPosted(
  { services }: HandlerContext,
  { resource, subresource, object, manager, nowMs }: Omit<PostedUpdate, "live">,
): Promise<void> {
  if (leastSize({ resource, subresource: "", object, creates: true }, maxRequestBytes) > maxRequestBytes) {
    delete object.metadata?.managedFields;
    return;
  }
  await services.fieldManagement.update({ resource, subresource, object, manager, nowMs, live: undefined });
}

/** Drops metadata that only the server sets, and throws 400 for another namespace than that of the path. */
export function settlePosted(object: ApiObject, resource: ServedResource, namespace: string): void {
  for (const name of [
    "creationTimestamp",
    "uid",
    "deletionTimestamp",
    "deletionGracePeriodSeconds",
    "selfLink",
  ] as const)
    delete object.metadata?.[name];
  checkNamespace(object, resource, namespace);
}

/**
 * Reads the body of a POST whose object isn't stored. `kind` is the object's kind if it isn't that of the resource; the
 * body may also be in one of `otherVersions`.
 */
export async function readPosted(
  context: HandlerContext,
  resource: ServedResource,
  kind?: GroupVersionKind,
  otherVersions?: readonly string[],
): Promise<PostedBody> {
  const negotiated = negotiateFor(context, resource, { ...offerOf(resource, false), tables: false });
  const encoding = requestEncoding(context.request.header("content-type"), resource.encodings);
  const bytes = await readBody(context);
  const options = parseWriteOptions(context, "CreateOptions");
  const body = { bytes, encoding, mode: options.fieldValidation };
  const object =
    kind === undefined ? decodeFor(context, resource, body) : decodeKind(context, kind, body, otherVersions);
  return { object, options, negotiated };
}
