import { bearerToken } from "../http/bearer-token.js";
import type { ClientCertificate } from "../http/client-identity.js";
import { type ServerRequest, type ServerResponse, textResponse } from "../http/http.js";
import type { UserInfo } from "../http/user-info.js";

/** Access to a node that a request needs. */
export interface NodeAccess {
  /** Verb, such as `get`. */
  readonly verb: string;
  /** Subresource of nodes, such as `proxy`. */
  readonly subresource: string;
  /** Name of the node; `""` if the request doesn't belong to one. */
  readonly node: string;
}

/** Reviews of an API server with which kubelets authenticate and authorize requests. */
export interface KubeletReviews {
  /** Returns the user of a bearer token; `undefined` if the token isn't valid. */
  authenticate(token: string, signal: AbortSignal): Promise<UserInfo | undefined>;
  /** Returns true if a user has access to a node. */
  allows(user: UserInfo, access: NodeAccess, signal: AbortSignal): Promise<boolean>;
}

const verbs: Readonly<Record<string, string>> = {
  POST: "create",
  GET: "get",
  PUT: "update",
  PATCH: "patch",
  DELETE: "delete",
};

/** Paths with a subresource of nodes of their own. The others need `proxy`, which also gives access to some of these. */
const subresources: readonly (readonly [path: RegExp, names: readonly string[]])[] = [
  [/^\/stats(\/|$)/, ["stats"]],
  [/^\/metrics(\/|$)/, ["metrics"]],
  [/^\/logs(\/|$)/, ["log"]],
  [/^\/(pods|runningpods)(\/|$)/, ["pods", "proxy"]],
  [/^\/healthz(\/|$)/, ["healthz", "proxy"]],
  [/^\/configz(\/|$)/, ["configz", "proxy"]],
];

/**
 * Authenticates and authorizes a request like a kubelet with webhooks. Returns the response of a request that is
 * refused: 401 without valid credentials, 403 without access.
 * @see https://kubernetes.io/docs/reference/access-authn-authz/kubelet-authn-authz/
 */
export async function refuseAccess(
  request: ServerRequest,
  node: string,
  reviews: KubeletReviews,
): Promise<ServerResponse | undefined> {
  const { method, path, signal } = request;
  const user = await userOf(request, reviews);
  if (user === undefined) return textResponse(401, "Unauthorized");
  const verb = verbs[method] ?? "";
  const names = subresources.find(([pattern]) => pattern.test(path))?.[1] ?? ["proxy"];
  for (const subresource of names)
    if (await reviews.allows(user, { verb, subresource, node }, signal)) return undefined;
  return textResponse(
    403,
    `Forbidden (user=${user.name}, verb=${verb}, resource=nodes, subresource(s)=[${names.join(" ")}])\n`,
  );
}

/** Returns the certificate of a client if the listener's authority has signed it. */
export function trustedCertificate({ client }: ServerRequest): ClientCertificate | undefined {
  return client?.certificate?.trustedBy.includes("clientCa") === true ? client.certificate : undefined;
}

/** Returns the user of a request: that of its certificate, or that of its bearer token. */
async function userOf(request: ServerRequest, reviews: KubeletReviews): Promise<UserInfo | undefined> {
  const certificate = trustedCertificate(request);
  if (certificate !== undefined) {
    const { commonName: name, organizations, uid = "" } = certificate;
    return { name, uid, groups: [...organizations, "system:authenticated"], extra: {} };
  }
  const token = bearerToken(request.header("authorization"));
  return token === undefined ? undefined : await reviews.authenticate(token, request.signal);
}
