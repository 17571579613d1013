import type { Client } from "../client/client.js";
import { ProtocolError } from "../errors/errors.js";
import type { Kind } from "../meta/kind.js";
import type { RequestOptions } from "../meta/options.js";

/** What a question about rights is about, besides verb and resource. */
export interface CanOptions extends RequestOptions {
  /** Namespace. Default: all namespaces, or the cluster. */
  readonly namespace?: string;
  /** Name of the object. Default: all objects. */
  readonly name?: string;
  /** Asks for somebody else, which needs the right to create SubjectAccessReviews. Default: the client's own user. */
  readonly subject?: {
    readonly user?: string;
    readonly groups?: readonly string[];
    readonly uid?: string;
    readonly extra?: Readonly<Record<string, readonly string[]>>;
  };
  /** Narrows a list, watch or deletecollection. */
  readonly labelSelector?: string;
  /** Narrows a list, watch or deletecollection. */
  readonly fieldSelector?: string;
}

/** The answer to a question about rights. */
export interface AccessAnswer {
  /** Whether it is allowed. */
  readonly allowed: boolean;
  /** Whether it is denied for good: no other authorizer was asked. */
  readonly denied: boolean;
  /** Why, in the server's words; often empty. */
  readonly reason: string;
  /** What went wrong while the server looked; the answer holds all the same. */
  readonly evaluationError?: string;
}

/**
 * Asks whether somebody may do something: `can(client, "list", Pod, { namespace: "web" })`, `can(client, "get", "/metrics")`.
 * The resource is a kind, a kind and subresource as `[Pod, "log"]`, or a path outside of the API.
 */
export async function can(
  client: Client,
  verb: string,
  resource: Kind | readonly [Kind, string] | `/${string}`,
  options: CanOptions = {},
): Promise<AccessAnswer> {
  const { namespace, name, subject, labelSelector, fieldSelector, ...request } = options;
  const [kind, subresource] = typeof resource === "string" ? [] : isPair(resource) ? resource : [resource];
  const attributes =
    kind === undefined
      ? { nonResourceAttributes: { path: resource, verb } }
      : {
          resourceAttributes: {
            verb,
            group: kind.group,
            version: kind.version,
            resource: kind.plural,
            subresource,
            namespace,
            name,
            ...(labelSelector !== undefined && { labelSelector: { rawSelector: labelSelector } }),
            ...(fieldSelector !== undefined && { fieldSelector: { rawSelector: fieldSelector } }),
          },
        };
  const reviewKind = subject ? "SubjectAccessReview" : "SelfSubjectAccessReview";
  const response = await client.request({
    ...request,
    method: "POST",
    path: `/apis/authorization.k8s.io/v1/${reviewKind.toLowerCase()}s`,
    body: { apiVersion: "authorization.k8s.io/v1", kind: reviewKind, spec: { ...attributes, ...subject } },
    action: `ask whether ${subject?.user ?? "this user"} can ${verb} ${kind?.plural ?? (resource as string)}`,
    repeatable: true,
  });
  const { status } = (await response.json()) as { status?: Partial<AccessAnswer> };
  if (typeof status?.allowed !== "boolean")
    throw new ProtocolError(`ask whether ${verb} is allowed: the answer does not say`);
  return {
    allowed: status.allowed,
    denied: status.denied ?? false,
    reason: status.reason ?? "",
    ...(status.evaluationError !== undefined && { evaluationError: status.evaluationError }),
  };
}

function isPair(resource: Kind | readonly [Kind, string]): resource is readonly [Kind, string] {
  return Array.isArray(resource);
}
