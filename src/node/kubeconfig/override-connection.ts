import type { Impersonation } from "../../client/decorators/with-impersonation.js";
import { ConfigError } from "../../errors/errors.js";
import { parseServerUrl } from "../transport/undici-transport.js";
import type { Connection } from "./connection.js";

/**
 * Connection settings that override the kubeconfig. If you set `token`, `tokenFile` or `cert`, all credentials of the
 * kubeconfig's user are ignored.
 *
 * @example
 * ```ts
 * import type { ConnectionOverrides } from "kubestream/node";
 * import { connect } from "kubestream/node";
 *
 * const overrides: ConnectionOverrides = {
 *   server: "https://10.0.0.1:6443",
 *   ca: process.env["CA_PEM"] ?? "",
 *   token: process.env["TOKEN"] ?? "",
 * };
 * const client = await connect(overrides);
 * await client.close();
 * ```
 */
export interface ConnectionOverrides {
  /** URL of the server, such as `http://127.0.0.1:8001` for `kubectl proxy`. If it's set, no kubeconfig is read. */
  readonly server?: string | undefined;
  /** Certificate authorities to trust, as PEM. */
  readonly ca?: string | Uint8Array | undefined;
  /** Host name that the server's certificate must match, if it differs from the URL's. */
  readonly tlsServerName?: string | undefined;
  /** Accepts any server certificate. Insecure: use it for tests only. */
  readonly insecureSkipTlsVerify?: boolean | undefined;
  /**
   * URL of a proxy: http, https or socks5. Default: the kubeconfig's `proxy-url`, else `HTTPS_PROXY`, `HTTP_PROXY` and
   * `NO_PROXY`.
   */
  readonly proxyUrl?: string | undefined;
  /** Bearer token. */
  readonly token?: string | undefined;
  /** File with a bearer token. It's read again every minute and after a 401. */
  readonly tokenFile?: string | undefined;
  /** Client certificate as PEM. Requires `key`. */
  readonly cert?: string | Uint8Array | undefined;
  /** Key of the client certificate, as PEM. */
  readonly key?: string | Uint8Array | undefined;
}

/**
 * Applies the caller's settings to the connection that was found. Throws a `ConfigError` for an invalid server URL, or
 * for a certificate without its key and vice versa.
 */
export function overrideConnection(
  found: Connection | undefined,
  overrides: ConnectionOverrides & {
    readonly namespace?: string | undefined;
    readonly impersonate?: Impersonation | undefined;
  },
): Connection {
  const { server, ca, tlsServerName, insecureSkipTlsVerify, proxyUrl, token, tokenFile, cert, key, impersonate } =
    overrides;
  const base = found ?? { ...bare(server!), namespace: overrides.namespace };
  const where = "options";
  if ((cert === undefined) !== (key === undefined))
    throw new ConfigError(
      `options.${cert === undefined ? "cert is required when options.key" : "key is required when options.cert"} is set`,
    );
  const login = token !== undefined || tokenFile !== undefined || cert !== undefined;
  return {
    ...base,
    ...(ca !== undefined && { ca: { where: `${where}.ca`, data: asBytes(ca) } }),
    ...(tlsServerName !== undefined && { tlsServerName }),
    ...(insecureSkipTlsVerify !== undefined && {
      insecureSkipTlsVerify,
      ...(insecureSkipTlsVerify && ca === undefined && { ca: undefined }),
    }),
    ...(proxyUrl !== undefined && { proxyUrl }),
    ...(login && {
      user: {
        where,
        file: where,
        ...(token !== undefined && { token }),
        ...(tokenFile !== undefined && { tokenFile }),
      },
    }),
    ...(cert !== undefined &&
      key !== undefined && {
        clientCertificate: {
          cert: { where: `${where}.cert`, data: asBytes(cert) },
          key: { where: `${where}.key`, data: asBytes(key) },
        },
      }),
    ...(impersonate && { impersonate }),
  };
}

function asBytes(pem: string | Uint8Array): Uint8Array {
  return typeof pem === "string" ? new TextEncoder().encode(pem) : pem;
}

function bare(server: string): Connection {
  try {
    return {
      server: parseServerUrl(server),
      where: "options",
      insecureSkipTlsVerify: false,
      disableCompression: false,
      user: { where: "options", file: "options" },
    };
  } catch (error) {
    throw new ConfigError(`options.server: ${(error as Error).message}`);
  }
}
