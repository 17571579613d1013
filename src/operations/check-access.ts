import type { Client } from "../client/client.js";
import { ProtocolError } from "../errors/errors.js";
import type { Kind } from "../meta/kind.js";
import type { RequestOptions } from "../meta/options.js";

/** Options for `checkAccess`. */
export interface AccessReviewOptions extends RequestOptions {
  /** Namespace. Default: all namespaces, or the cluster. */
  readonly namespace?: string;
  /** Name of the object. Default: all objects. */
  readonly name?: string;
  /** User to check instead of the client's own. Needs the right to create SubjectAccessReviews. */
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

/** Result of `checkAccess`. */
export interface AccessReview {
  /** Whether the request is allowed. */
  readonly allowed: boolean;
  /** Whether an authorizer denied the request, so that no other one was consulted. */
  readonly denied: boolean;
  /** The server's reason; often empty. */
  readonly reason: string;
  /** Error of the server during the evaluation. `allowed` is valid nevertheless. */
  readonly evaluationError?: string;
}

/**
 * Asks the server whether a user may do something: `checkAccess(client, "list", Pod, { namespace: "web" })`, `checkAccess(client, "get", "/metrics")`.
 * The resource is a kind, a kind with a subresource (`[Pod, "log"]`), or a path outside the API.
 */
export async function checkAccess(
  client: Client,
  verb: string,
  resource: Kind | readonly [Kind, string] | `/${string}`,
  options: AccessReviewOptions = {},
): Promise<AccessReview> {
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
  const { status } = (await response.json()) as { status?: Partial<AccessReview> };
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
