import type { Client } from "../client/client.js";
import { ProtocolError } from "../errors/errors.js";
import type { Kind } from "../meta/kind.js";
import type { RequestOptions } from "../meta/options.js";

/** Options for `checkAccess`. */
export interface AccessReviewOptions extends RequestOptions {
  /** Namespace. Default: all namespaces, or the cluster. */
  readonly namespace?: string | undefined;
  /** Name of the object. Default: all objects. */
  readonly name?: string | undefined;
  /** User to check instead of the client's own. Requires permission to create SubjectAccessReviews. */
  readonly subject?:
    | {
        readonly user?: string | undefined;
        readonly groups?: readonly string[] | undefined;
        readonly uid?: string | undefined;
        readonly extra?: Readonly<Record<string, readonly string[]>> | undefined;
      }
    | undefined;
  /** Label selector of the list, watch or deletecollection to check. */
  readonly labelSelector?: string | undefined;
  /** Field selector of the list, watch or deletecollection to check. */
  readonly fieldSelector?: string | undefined;
}

/** Result of `checkAccess`. */
export interface AccessReview {
  /** True if the request is allowed. */
  readonly allowed: boolean;
  /** True if an authorizer explicitly denied the request, so that no other one was consulted. */
  readonly denied: boolean;
  /** The server's reason; often empty. */
  readonly reason: string;
  /** Error during the server's evaluation. `allowed` is valid nevertheless. */
  readonly evaluationError?: string | undefined;
}

/**
 * Asks the server if a user may perform an action. The resource is a kind, a kind with a subresource (`[Pod, "log"]`),
 * or a path outside the API (`/metrics`). Throws a `ProtocolError` if the response contains no decision.
 *
 * @example
 * ```ts
 * import { Pod } from "kubestream/kinds/core/v1";
 * import { connect } from "kubestream/node";
 * import { checkAccess } from "kubestream/operations";
 *
 * const client = await connect();
 * const logs = await checkAccess(client, "get", [Pod, "log"], { namespace: "web" });
 * const others = await checkAccess(client, "list", Pod, { subject: { user: "jane", groups: ["developers"] } });
 * console.log(logs.allowed, others.allowed, others.reason);
 * ```
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
    action: `check if ${subject?.user ?? "this user"} can ${verb} ${kind?.plural ?? (resource as string)}`,
    repeatable: true,
  });
  const { status } = (await response.json()) as { status?: Partial<AccessReview> };
  if (typeof status?.allowed !== "boolean")
    throw new ProtocolError(`check access for ${verb}: the response has no status.allowed`);
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
