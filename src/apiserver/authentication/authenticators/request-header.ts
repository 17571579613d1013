import type { ServerRequest } from "../../http/http.js";
import type { UserInfo } from "../../http/user-info.js";
import { AuthenticationError } from "./authenticator.js";

/**
 * Options for a proxy in front of the server that authenticates users and passes them on in headers. The proxy must
 * present a client certificate.
 *
 * @see https://kubernetes.io/docs/reference/access-authn-authz/authentication/#authenticating-proxy
 */
export interface RequestHeaderOptions {
  /** Certificate authorities of the proxy, in PEM. */
  readonly clientCa: string;
  /** Common names of certificates that may pass users on. Default: all that `clientCa` signed. */
  readonly allowedNames?: readonly string[] | undefined;
  /** Headers with the user name; the first one that is set is used. Default: `X-Remote-User`. */
  readonly usernameHeaders?: readonly string[] | undefined;
  /** Headers with the UID of the user. Default: `X-Remote-Uid`. */
  readonly uidHeaders?: readonly string[] | undefined;
  /** Headers with groups. Default: `X-Remote-Group`. */
  readonly groupHeaders?: readonly string[] | undefined;
  /** Prefixes of headers with additional attributes. Default: `X-Remote-Extra-`. */
  readonly extraHeaderPrefixes?: readonly string[] | undefined;
}

/** Authenticates the users whom a proxy passes on. */
export function requestHeader(options: RequestHeaderOptions): (request: ServerRequest) => UserInfo | undefined {
  const lower = (names: readonly string[]): string[] => names.map((name) => name.trim().toLowerCase());
  const names = lower(options.usernameHeaders ?? ["X-Remote-User"]);
  const uids = lower(options.uidHeaders ?? ["X-Remote-Uid"]);
  const groupNames = lower(options.groupHeaders ?? ["X-Remote-Group"]);
  const prefixes = lower(options.extraHeaderPrefixes ?? ["X-Remote-Extra-"]);
  const allowed = options.allowedNames ?? [];
  return (request) => {
    const certificate = request.client?.certificate;
    if (certificate === undefined) return undefined;
    if (!certificate.trustedBy.includes("requestHeader"))
      throw new AuthenticationError(certificate.problem ?? "the certificate of the proxy isn't trusted");
    if (allowed.length > 0 && !allowed.includes(certificate.commonName))
      throw new AuthenticationError(`x509: subject with cn=${certificate.commonName} is not in the allowed list`);
    const first = (headers: readonly string[]): string =>
      headers.map((name) => request.headerValues(name)[0] ?? "").find((value) => value !== "") ?? "";
    const name = first(names);
    if (name === "") return undefined;
    const groups = groupNames.flatMap((header) => request.headerValues(header)).filter((value) => value !== "");
    return { name, uid: first(uids), groups, extra: extraOf(request, prefixes) };
  };
}

function extraOf(request: ServerRequest, prefixes: readonly string[]): Record<string, string[]> {
  const extra = new Map<string, string[]>();
  for (const prefix of prefixes) {
    for (const header of request.headerNames()) {
      const lower = header.toLowerCase();
      if (!lower.startsWith(prefix)) continue;
      const key = unescaped(lower.slice(prefix.length));
      extra.set(key, [...(extra.get(key) ?? []), ...request.headerValues(header)]);
    }
  }
  return Object.fromEntries(extra);
}

function unescaped(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text; // A key with an invalid encoding is used unchanged.
  }
}
