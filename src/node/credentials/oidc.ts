import type { ClientAuth } from "oauth4webapi";
import { ConfigError } from "../../errors/errors.js";
import { linkAbort } from "../../internal/abort.js";
import type { Clock } from "../../internal/clock.js";
import { createSecretTexts } from "../../internal/secrets/redact.js";
import { requireToken } from "../../transport/require-token.js";
import type { Transport } from "../../transport/transport.js";
import type { KubeconfigUser } from "../kubeconfig/kubeconfig.js";
import type { PemSource, TlsMaterialSource } from "../kubeconfig/tls-material.js";
import { createTlsMaterialSource } from "../kubeconfig/tls-material.js";
import { loadPackage } from "../transport/load-package.js";
import type { Environment } from "../transport/proxy-environment.js";
import { proxyFromEnvironment } from "../transport/proxy-environment.js";
import { createUndiciTransport } from "../transport/undici-transport.js";
import type { FetchedCredential } from "./cached-credential.js";
import { createCachedCredential } from "./cached-credential.js";
import type { CredentialSource } from "./credential.js";

interface Tokens {
  idToken: string | undefined;
  refreshToken: string | undefined;
}

const timeoutMs = 30_000;
const maxAnswerBytes = 1024 * 1024;

/**
 * Authenticates with an OIDC id token and refreshes it when it expires or is refused. Renewed tokens are kept in
 * memory, and with `persist` also written to the kubeconfig. Throws a `ConfigError` for missing settings.
 */
export function createOidcCredential(
  provider: NonNullable<KubeconfigUser["authProvider"]>,
  user: KubeconfigUser,
  { env, clock, persist }: { readonly env: Environment; readonly clock: Clock; readonly persist: boolean },
): CredentialSource {
  const { config } = provider;
  const where = `${provider.where}.config`;
  const issuer = parseIssuer(config["idp-issuer-url"], `${where}.idp-issuer-url`);
  const clientId = config["client-id"] || fail(`${where}.client-id`, "is required");
  const tls = createTlsMaterialSource(authorities(config, where), clock);
  const tokens: Tokens = {
    idToken: config["id-token"] || undefined,
    refreshToken: config["refresh-token"] || undefined,
  };
  let first = true;

  return createCachedCredential(async (signal) => {
    const held = first ? tokens.idToken : undefined;
    first = false;
    if (held !== undefined) {
      const expiresAtMs = expiryOf(held, `${where}.id-token`);
      if (expiresAtMs === undefined || expiresAtMs - 10_000 > clock.now())
        return credentialOf(held, expiresAtMs, where);
    }
    if (tokens.refreshToken === undefined)
      fail(`${where}.id-token`, "has expired or was refused, and there is no refresh-token: log in again");
    const before = tokens.refreshToken;
    const secret = config["client-secret"] || undefined;
    const renewed = await refresh({ issuer, clientId, secret, refreshToken: before, tls, where, env, clock, signal });
    tokens.idToken = renewed.idToken;
    tokens.refreshToken = renewed.refreshToken ?? before;
    if (persist) {
      const { writeTokens } = await import("../kubeconfig/write-tokens.js");
      await writeTokens(user, { "id-token": renewed.idToken, "refresh-token": tokens.refreshToken }, clock);
    }
    return credentialOf(renewed.idToken, expiryOf(renewed.idToken, where), where);
  }, clock);
}

function credentialOf(idToken: string, expiresAtMs: number | undefined, where: string): FetchedCredential {
  return { credential: { authorization: `Bearer ${requireToken(idToken, `${where}.id-token`)}` }, expiresAtMs };
}

function fail(where: string, reason: string): never {
  throw new ConfigError(`${where}: ${reason}`);
}

function parseIssuer(text: string | undefined, where: string): URL {
  if (!text) return fail(where, "is required");
  let url: URL;
  try {
    url = new URL(text);
  } catch {
    return fail(where, "is not a valid URL");
  }
  if (url.protocol !== "https:" && url.protocol !== "http:") fail(where, "must be an https URL");
  return url;
}

function authorities(config: Readonly<Record<string, string>>, where: string): { ca?: PemSource } {
  const data = config["idp-certificate-authority-data"];
  if (data)
    return {
      ca: { where: `${where}.idp-certificate-authority-data`, data: Uint8Array.from(Buffer.from(data, "base64")) },
    };
  const file = config["idp-certificate-authority"];
  return file ? { ca: { where: `${where}.idp-certificate-authority`, file } } : {};
}

/**
 * Returns the expiry time of an id token in milliseconds, `undefined` if it has none. Throws a `ConfigError` if it
 * isn't a JSON Web Token.
 */
function expiryOf(idToken: string, where: string): number | undefined {
  const parts = idToken.split(".");
  if (parts.length !== 3) return fail(where, "is not a JSON Web Token");
  let claims: unknown;
  try {
    claims = JSON.parse(Buffer.from(parts[1]!, "base64url").toString("utf8"));
  } catch {
    // The parser's message quotes the token.
    return fail(where, "is not a JSON Web Token");
  }
  const { exp } = (claims ?? {}) as { exp?: unknown };
  return typeof exp === "number" ? exp * 1_000 : undefined;
}

interface RefreshRequest {
  readonly issuer: URL;
  readonly clientId: string;
  readonly secret: string | undefined;
  readonly refreshToken: string;
  readonly tls: TlsMaterialSource;
  readonly where: string;
  readonly env: Environment;
  readonly clock: Clock;
  readonly signal: AbortSignal;
}

/**
 * Requests new tokens from the provider: discovery, the refresh request, and the checks of both responses, all by
 * `oauth4webapi`. Errors contain the status and the OAuth error code, and nothing else of the responses.
 */
async function refresh(request: RefreshRequest): Promise<{ idToken: string; refreshToken: string | undefined }> {
  const { issuer, clientId, secret, where, clock } = request;
  const oauth = await loadPackage("oauth4webapi", () => import("oauth4webapi"));
  const link = linkAbort(request.signal);
  const timer = clock.setTimer(
    () => link.abort(new ConfigError(`${where}: the provider ${issuer.origin} did not respond within ${timeoutMs} ms`)),
    timeoutMs,
  );
  const send = createSender(request, link.signal);
  const options = {
    [oauth.customFetch]: send.fetch,
    // eslint-disable-next-line @typescript-eslint/no-deprecated -- marked only to stand out; the kubeconfig itself names http here
    [oauth.allowInsecureRequests]: issuer.protocol === "http:",
  };
  try {
    const provider = await oauth.processDiscoveryResponse(issuer, await oauth.discoveryRequest(issuer, options));
    const client = { client_id: clientId, [oauth.clockSkew]: Math.round((clock.now() - Date.now()) / 1_000) };
    const { token_endpoint_auth_methods_supported: methods = [] } = provider;
    const byPost = !methods.includes("client_secret_basic") && methods.includes("client_secret_post");
    const login =
      secret === undefined ? oauth.None() : byPost ? oauth.ClientSecretPost(secret) : clientSecretBasic(secret);
    const answer = await oauth.refreshTokenGrantRequest(provider, client, login, request.refreshToken, options);
    const tokens = await oauth.processRefreshTokenResponse(provider, client, answer);
    const idToken =
      tokens.id_token ??
      fail(where, `the provider ${issuer.origin} returned no new id token: log in again with the openid scope`);
    return { idToken, refreshToken: tokens.refresh_token };
  } catch (error) {
    if (send.failure) throw send.failure.error;
    if (error instanceof ConfigError) throw error;
    const secrets = createSecretTexts();
    for (const text of [request.refreshToken, secret]) if (text !== undefined) secrets.add(text);
    return fail(where, secrets.redact(reasonOf(error as OAuthError, issuer, send.url)));
  } finally {
    timer.cancel();
    link.release();
  }
}

/**
 * Sends the client secret in a header, encoded like Go does. Some providers don't decode it, and `oauth4webapi` encodes
 * even `-`.
 */
function clientSecretBasic(secret: string): ClientAuth {
  return (_provider, client, _body, headers) => {
    const credentials = `${formEncode(client.client_id)}:${formEncode(secret)}`;
    headers.set("authorization", `Basic ${Buffer.from(credentials, "utf8").toString("base64")}`);
  };
}

function formEncode(text: string): string {
  return new URLSearchParams({ "": text }).toString().slice(1);
}

interface OAuthError extends Error {
  readonly code?: string;
  /** OAuth error code of the response. */
  readonly error?: string;
  readonly status?: number;
  readonly cause?: { readonly status?: number } | undefined;
}

/** Describes an invalid response. The message leaves out the response's text and its cause, which contain all of it. */
function reasonOf({ code, error, status, cause, message }: OAuthError, issuer: URL, url: URL): string {
  if (code === "OAUTH_HTTP_REQUEST_FORBIDDEN") return `the token endpoint of ${issuer.origin} is not https`;
  if (code === "OAUTH_JSON_ATTRIBUTE_COMPARISON_FAILED")
    return `the provider ${issuer.origin} reports another issuer URL than idp-issuer-url: they must be equal`;
  const refused = status ?? (code === "OAUTH_RESPONSE_IS_NOT_CONFORM" ? cause?.status : undefined);
  // The provider chooses the path.
  const place = `${url.origin}${url.pathname.slice(0, 200)}`;
  if (refused === undefined) return `invalid response from ${place}: ${message}`;
  return `${place} responded with ${refused}${error !== undefined && /^[a-z_]{1,40}$/.test(error) ? ` ${error}` : ""}`;
}

interface Sender {
  /** Sends a request for `oauth4webapi`. */
  fetch(url: string, options: CustomFetchOptions): Promise<Response>;
  /** URL of the last request. */
  readonly url: URL;
  /** Connection error of the last request. */
  readonly failure: { readonly error: unknown } | undefined;
}

interface CustomFetchOptions {
  readonly method: string;
  readonly headers: Record<string, string>;
  readonly body?: URLSearchParams | string | null | undefined;
}

/** Returns a `fetch` that uses our own transport, with its certificate authorities and its proxy. */
function createSender({ issuer, tls, where, env }: RefreshRequest, signal: AbortSignal): Sender {
  let last = issuer;
  let failure: { readonly error: unknown } | undefined;

  async function send(url: URL, { method, headers, body }: CustomFetchOptions): Promise<Response> {
    const { ca } = await tls.current();
    const proxy = proxyFromEnvironment(url, env);
    const transport: Transport = createUndiciTransport({
      server: url.origin,
      ...(ca !== undefined && { tls: { ca } }),
      ...(proxy && { proxy }),
    });
    try {
      const answer = await transport.send({
        method,
        path: url.pathname + url.search,
        headers,
        ...(body != null && { body: new TextEncoder().encode(body.toString()) }),
        signal,
      });
      const text = await readText(answer.body, `${where}: the response from ${url.origin}`);
      const bodiless = answer.status === 204 || answer.status === 205 || answer.status === 304;
      // Providers label JSON in many ways. Only the content matters.
      return new Response(bodiless ? null : text, {
        status: answer.status,
        headers: { "content-type": "application/json" },
      });
    } finally {
      await transport.close();
    }
  }

  return {
    get url() {
      return last;
    },
    get failure() {
      return failure;
    },
    async fetch(text, options) {
      last = new URL(text);
      try {
        return await send(last, options);
      } catch (error) {
        failure = { error };
        throw error;
      }
    },
  };
}

async function readText(body: AsyncIterable<Uint8Array>, what: string): Promise<string> {
  const chunks: Uint8Array[] = [];
  let length = 0;
  for await (const chunk of body) {
    length += chunk.length;
    if (length > maxAnswerBytes) throw new ConfigError(`${what} is longer than ${maxAnswerBytes} bytes`);
    chunks.push(chunk);
  }
  return Buffer.concat(chunks).toString("utf8");
}
