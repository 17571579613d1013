import { utf8Decode } from "../../../internal/bytes.js";
import type { Clock } from "../../../internal/clock.js";
import { readLimited } from "../../../internal/streams/read-limited.js";
import { isJsonObject } from "../../internal/json-value.js";
import { AuthenticationError } from "../authenticators/authenticator.js";
import type { TokenIssuer } from "./configuration.js";

/**
 * Function that fetches a document of a token issuer.
 *
 * @example
 * ```ts
 * import { createApiServer, type IssuerFetch } from "kubestream/apiserver";
 *
 * // An issuer without a network: tests sign tokens with their own key.
 * const issuerFetch: IssuerFetch = (url) =>
 *   Promise.resolve(
 *     Response.json(
 *       url.endsWith("/keys")
 *         ? { keys: [] }
 *         : { issuer: "https://issuer.example", jwks_uri: "https://issuer.example/keys" },
 *     ),
 *   );
 * const server = createApiServer({ issuerFetch });
 * await server.close();
 * ```
 */
export type IssuerFetch = (
  url: string,
  options: { readonly certificateAuthority: string | undefined; readonly signal: AbortSignal },
) => Promise<Response>;

/** A public key of an issuer. */
export interface IssuerKey extends JsonWebKey {
  readonly kid?: string | undefined;
}

/** Public keys of an issuer. */
export interface IssuerKeys {
  /** Returns the keys that are known. */
  current(): Promise<readonly IssuerKey[]>;
  /** Fetches the keys again. */
  refresh(): Promise<readonly IssuerKey[]>;
}

/** Time in milliseconds in which a failed discovery isn't repeated. */
const retryMs = 1000;
const timeoutMs = 30_000;
/** Maximum size of a document in bytes. */
const maxBytes = 1024 * 1024;
const wellKnownPath = "/.well-known/openid-configuration";

/** Creates the key source of an issuer. It reads the discovery document when the first token arrives. */
export function createIssuerKeys(
  { url, discoveryURL, certificateAuthority }: TokenIssuer,
  { clock, fetch, closed }: { clock: Clock; fetch: IssuerFetch; closed: AbortSignal },
): IssuerKeys {
  const read = async (address: string): Promise<Readonly<Record<string, unknown>>> => {
    const controller = new AbortController();
    const stop = (): void => controller.abort(closed.reason);
    closed.addEventListener("abort", stop, { once: true });
    const timer = clock.setTimer(
      () => controller.abort(new Error(`Get ${JSON.stringify(address)}: timeout`)),
      timeoutMs,
    );
    try {
      const response = await fetch(address, { certificateAuthority, signal: controller.signal });
      if (response.status !== 200)
        throw new AuthenticationError(`Get ${JSON.stringify(address)}: status ${response.status}`);
      const body = await readLimited(response, maxBytes);
      if (body === undefined)
        throw new AuthenticationError(`Get ${JSON.stringify(address)}: the response is longer than ${maxBytes} bytes`);
      const value: unknown = JSON.parse(utf8Decode(body));
      if (!isJsonObject(value))
        throw new AuthenticationError(`Get ${JSON.stringify(address)}: the response isn't a JSON object`);
      return value;
    } catch (error) {
      // Functions that fetch reject with an error of their own when the signal aborts.
      const cause: unknown = controller.signal.aborted ? controller.signal.reason : error;
      throw new AuthenticationError(`oidc: ${cause instanceof Error ? cause.message : String(cause)}`, { cause });
    } finally {
      timer.cancel();
      closed.removeEventListener("abort", stop);
    }
  };

  const discover = async (): Promise<string> => {
    const document = await read(discoveryURL ?? `${url.replace(/\/$/, "")}${wellKnownPath}`);
    const { issuer, jwks_uri: address } = document;
    if (issuer !== url) {
      const got = typeof issuer === "string" ? issuer : "";
      throw new AuthenticationError(
        `oidc: issuer did not match: expected ${JSON.stringify(url)}, got ${JSON.stringify(got)}`,
      );
    }
    if (typeof address !== "string") throw new AuthenticationError("oidc: the discovery document has no jwks_uri");
    return address;
  };

  let location: { readonly value: Promise<string>; readonly at: number; failed: boolean } | undefined;
  const keysUrl = (): Promise<string> => {
    const now = clock.monotonic();
    if (location === undefined || (location.failed && now - location.at >= retryMs)) {
      const entry = { value: discover(), at: now, failed: false };
      entry.value.catch(() => (entry.failed = true));
      location = entry;
    }
    return location.value;
  };

  let keys: readonly IssuerKey[] = [];
  let fetching: Promise<readonly IssuerKey[]> | undefined;
  const refresh = (): Promise<readonly IssuerKey[]> => {
    fetching ??= (async () => {
      try {
        const { keys: given } = await read(await keysUrl());
        keys = Array.isArray(given) ? given.filter(isJsonObject) : [];
        return keys;
      } finally {
        fetching = undefined;
      }
    })();
    return fetching;
  };
  return { current: () => (keys.length > 0 ? Promise.resolve(keys) : refresh()), refresh };
}
