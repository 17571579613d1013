import type { UserInfo } from "../http/user-info.js";
import type { AuthenticatorFunction } from "./authenticators/authenticator.js";
import type { RequestHeaderOptions } from "./authenticators/request-header.js";
import type { TokenWebhook } from "./authenticators/token-webhook.js";
import type { AuthenticationConfiguration } from "./jwt/configuration.js";
import type { IssuerFetch } from "./jwt/issuer-keys.js";

/**
 * Options for who users are. The server tries front proxy, client certificate, bearer token and `authenticators` in this
 * order; the first one that succeeds identifies the user. Tokens are those of `tokens`, of service accounts,
 * `bootstrapTokens`, `authenticationConfiguration` and `tokenWebhook`.
 */
export interface AuthenticationOptions {
  /**
   * Users by bearer token. An unknown token gets a 401; a request without a token is anonymous. Default: no tokens.
   *
   * @example
   * ```ts
   * import { createApiServer, type UserInfo } from "kubestream/apiserver";
   *
   * const jane: UserInfo = { name: "jane", uid: "1", groups: ["system:masters"], extra: {} };
   * const server = createApiServer({ tokens: new Map([["jane-token", jane]]), authorizationMode: "RBAC" });
   * const request = new Request("http://server/api/v1/nodes", { headers: { authorization: "Bearer jane-token" } });
   * console.log((await server.handle(request)).status); // 200; without the token 403
   * await server.close();
   * ```
   */
  readonly tokens?: ReadonlyMap<string, UserInfo> | undefined;
  /**
   * Paths that requests without credentials may use: `true` for all, `false` for none, or a list such as `["/readyz"]`.
   * Other requests without credentials get a 401. Default: `true`.
   */
  readonly anonymousAuth?: boolean | readonly string[] | undefined;
  /**
   * Certificate authorities of users, in PEM. The common name of a client certificate is the user, its organizations are
   * the groups. `listen` requests certificates if this is set.
   *
   * @example
   * ```ts
   * import { createApiServer } from "kubestream/apiserver";
   * import { createCertificateAuthority, listen } from "kubestream/apiserver/node";
   * import { connect } from "kubestream/node";
   *
   * const authority = createCertificateAuthority(Date.now());
   * const server = createApiServer({ clientCa: authority.ca, authorizationMode: "RBAC" });
   * const listener = await listen(server, { tls: authority.server(["127.0.0.1"]) });
   * const { cert, key } = authority.client("jane", ["system:masters"]);
   * const client = await connect({ server: listener.secureUrl!, ca: authority.ca, cert, key });
   * await client.close();
   * await listener.close();
   * await server.close();
   * ```
   */
  readonly clientCa?: string | undefined;
  /** Proxy that passes users on in headers. Default: none. */
  readonly requestHeader?: RequestHeaderOptions | undefined;
  /** True to accept bootstrap tokens, which are Secrets in the namespace `kube-system`. Default: false. */
  readonly bootstrapTokens?: boolean | undefined;
  /**
   * Issuers of JSON Web Tokens, and settings for anonymous requests. Text is parsed as YAML or JSON. Default: none.
   *
   * @example
   * ```ts
   * import { createApiServer } from "kubestream/apiserver";
   *
   * const server = createApiServer({
   *   authenticationConfiguration: {
   *     jwt: [
   *       {
   *         issuer: { url: "https://issuer.example", audiences: ["cluster"] },
   *         claimMappings: {
   *           username: { expression: "'oidc:' + claims.sub" },
   *           groups: { claim: "groups", prefix: "" },
   *         },
   *       },
   *     ],
   *   },
   * });
   * await server.close();
   * ```
   */
  readonly authenticationConfiguration?: AuthenticationConfiguration | string | undefined;
  /**
   * Function that fetches the discovery document and the keys of token issuers. Default: `fetch`, which ignores
   * `certificateAuthority`; use `nodeIssuerFetch` of `kubestream/apiserver/node` to honour it.
   */
  readonly issuerFetch?: IssuerFetch | undefined;
  /** Webhook that reviews tokens. It is called by the function in `webhooks`. Default: none. */
  readonly tokenWebhook?: TokenWebhook | undefined;
  /** Functions that authenticate requests, after all others. Default: none. */
  readonly authenticators?: readonly AuthenticatorFunction[] | undefined;
}
