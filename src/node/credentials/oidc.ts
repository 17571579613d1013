import { ConfigError } from "../../errors/errors.js";
import { linkAbort } from "../../internal/abort.js";
import type { Clock } from "../../internal/clock.js";
import { requireToken } from "../../transport/require-token.js";
import type { Transport } from "../../transport/transport.js";
import { createConfigReader } from "../kubeconfig/config-reader.js";
import type { KubeconfigUser } from "../kubeconfig/kubeconfig.js";
import type { PemSource, TlsMaterialSource } from "../kubeconfig/tls-material.js";
import { createTlsMaterialSource } from "../kubeconfig/tls-material.js";
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
 * Logs in with an OIDC id token and renews it by the refresh token when it runs out or is refused. Renewed tokens are
 * kept, and with `persist` written back to the kubeconfig. Throws a `ConfigError` for settings that are missing.
 */
export function createOidcCredential(
  provider: NonNullable<KubeconfigUser["authProvider"]>,
  user: KubeconfigUser,
  env: Environment,
  clock: Clock,
  persist: boolean,
): CredentialSource {
  const { config } = provider;
  const where = `${provider.where}.config`;
  const issuer = parseIssuer(config["idp-issuer-url"], `${where}.idp-issuer-url`);
  const clientId = config["client-id"] || fail(`${where}.client-id`, "is missing");
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
      fail(`${where}.id-token`, "has expired or was refused, and there is no refresh-token: log in anew");
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
  if (!text) return fail(where, "is missing");
  let url: URL;
  try {
    url = new URL(text);
  } catch {
    return fail(where, "is no URL");
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

/** When an id token expires; `undefined` if it does not say. Throws a `ConfigError` for what is no token. */
function expiryOf(idToken: string, where: string): number | undefined {
  const parts = idToken.split(".");
  if (parts.length !== 3) return fail(where, "is no JSON Web Token");
  let claims: unknown;
  try {
    claims = JSON.parse(Buffer.from(parts[1]!, "base64url").toString("utf8"));
  } catch {
    // The parser's message quotes what it read.
    return fail(where, "is no JSON Web Token");
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

async function refresh(request: RefreshRequest): Promise<{ idToken: string; refreshToken: string | undefined }> {
  const { issuer, clientId, secret, where, clock } = request;
  const link = linkAbort(request.signal);
  const timer = clock.setTimer(
    () => link.abort(new ConfigError(`${where}: the provider ${issuer.origin} did not answer within ${timeoutMs} ms`)),
    timeoutMs,
  );
  try {
    const discovery = new URL(`${issuer.href.replace(/\/$/, "")}/.well-known/openid-configuration`);
    const metadata = createConfigReader(
      await call(discovery, undefined, {}, request, link.signal),
      `${where}: discovery document of ${issuer.origin}`,
    );
    const endpoint = tokenEndpoint(metadata.requiredText("token_endpoint"), issuer, where);
    const methods = metadata.texts("token_endpoint_auth_methods_supported");
    const form = new URLSearchParams({ grant_type: "refresh_token", refresh_token: request.refreshToken });
    const headers: Record<string, string> = { "content-type": "application/x-www-form-urlencoded" };
    if (secret === undefined) form.set("client_id", clientId);
    else if (methods.length > 0 && !methods.includes("client_secret_basic") && methods.includes("client_secret_post")) {
      form.set("client_id", clientId);
      form.set("client_secret", secret);
    } else
      headers["authorization"] =
        `Basic ${Buffer.from(`${formEncode(clientId)}:${formEncode(secret)}`, "utf8").toString("base64")}`;
    const answer = createConfigReader(
      await call(endpoint, form.toString(), headers, request, link.signal),
      `${where}: token answer of ${endpoint.origin}`,
    );
    const idToken =
      answer.text("id_token") ??
      fail(where, `the provider ${endpoint.origin} renews no id token: was the scope openid asked for?`);
    return { idToken, refreshToken: answer.text("refresh_token") };
  } finally {
    timer.cancel();
    link.release();
  }
}

function formEncode(text: string): string {
  return new URLSearchParams({ "": text }).toString().slice(1);
}

function tokenEndpoint(text: string, issuer: URL, where: string): URL {
  const url = parseIssuer(text, `${where}: token_endpoint of ${issuer.origin}`);
  if (issuer.protocol === "https:" && url.protocol !== "https:")
    fail(where, `the token endpoint of ${issuer.origin} is not https`);
  return url;
}

/** One request to the provider; its answer as JSON. Nothing of the answer gets into errors but its status and OAuth error code. */
async function call(
  url: URL,
  form: string | undefined,
  headers: Readonly<Record<string, string>>,
  { tls, where, env }: RefreshRequest,
  signal: AbortSignal,
): Promise<unknown> {
  const { ca } = await tls.current();
  const proxy = proxyFromEnvironment(url, env);
  const transport: Transport = createUndiciTransport({
    server: url.origin,
    ...(ca !== undefined && { tls: { ca } }),
    ...(proxy && { proxy }),
  });
  try {
    const response = await transport.send({
      method: form === undefined ? "GET" : "POST",
      path: url.pathname + url.search,
      headers: { accept: "application/json", ...headers },
      ...(form !== undefined && { body: new TextEncoder().encode(form) }),
      signal,
    });
    const text = await readText(response.body, `${where}: the answer of ${url.origin}`);
    const value = parseJson(text);
    if (response.status !== 200) {
      const code = (value as { error?: unknown } | undefined)?.error;
      fail(
        where,
        `${url.origin}${url.pathname} answered ${response.status}${typeof code === "string" && /^[a-z_]{1,40}$/.test(code) ? ` ${code}` : ""}`,
      );
    }
    return value ?? fail(where, `${url.origin}${url.pathname} did not answer with JSON`);
  } finally {
    await transport.close();
  }
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

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    // Whoever called says that it is no JSON, without quoting it.
    return undefined;
  }
}
