import type { Impersonation } from "../../client/decorators/with-impersonation.js";
import { ConfigError } from "../../errors/errors.js";
import { parseServerUrl } from "../transport/undici-transport.js";
import type { Connection } from "./connection.js";

/** What a caller says about the connection instead of a kubeconfig. A token, a token's file or a certificate takes the place of all that the kubeconfig's user has. */
export interface ConnectionOverrides {
  /** URL of the server; no kubeconfig is then read. `http://127.0.0.1:8001` for `kubectl proxy`. */
  readonly server?: string;
  /** Certificate authorities to trust, as PEM. */
  readonly ca?: string | Uint8Array;
  /** Name that the server's certificate must be for. */
  readonly tlsServerName?: string;
  /** Accepts any certificate. */
  readonly insecureSkipTlsVerify?: boolean;
  /** Proxy to the server: http, https or socks5. Default: the kubeconfig's, else by `HTTPS_PROXY`, `HTTP_PROXY` and `NO_PROXY`. */
  readonly proxyUrl?: string;
  /** Bearer token. */
  readonly token?: string;
  /** File with a bearer token, read again as it changes. */
  readonly tokenFile?: string;
  /** Client certificate, as PEM; with `key`. */
  readonly cert?: string | Uint8Array;
  /** Key of the client certificate, as PEM. */
  readonly key?: string | Uint8Array;
}

/** Applies what the caller said to what was found. Throws a `ConfigError` for a server that is no URL, and for a certificate without its key. */
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
    throw new ConfigError(`${where}.${cert === undefined ? "cert" : "key"}: is missing beside the other`);
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
