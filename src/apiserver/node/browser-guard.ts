import { isIP } from "node:net";
import type { RequestHead } from "./upgrade.js";
import { requestsUpgrade } from "./upgrade.js";

/** Options for `createBrowserGuard`. */
export interface BrowserGuardOptions {
  /** Address or name that the port was opened on. */
  readonly listenHost: string;
  /** Further accepted host names; `*` accepts every name. */
  readonly allowedHosts: readonly string[];
  /** True for an origin whose pages may write and open WebSockets. */
  readonly allowsOrigin: (origin: string) => boolean;
}

const writes = new Set(["POST", "PUT", "PATCH", "DELETE"]);

/** Returns the name of a Host header without the port, brackets and the final dot, in lower case. */
function nameOf(host: string): string {
  const [, address, name = ""] = /^(?:\[([^\]]*)\]|([^:]*))(?::\d*)?$/.exec(host) ?? [];
  return (address ?? name).toLowerCase().replace(/\.$/, "");
}

function isLoopback(name: string): boolean {
  return (
    name === "localhost" ||
    name.endsWith(".localhost") ||
    name === "::1" ||
    (isIP(name) === 4 && name.startsWith("127."))
  );
}

/**
 * Returns a function that says why a request is refused, or `undefined` if it's allowed. It protects a server on the
 * loopback interface from pages in the user's browser: a page of another origin can open WebSockets and send simple
 * writes without CORS, and a page that rebinds its DNS name shares the origin but sends its own name as the host.
 */
export function createBrowserGuard({
  listenHost,
  allowedHosts,
  allowsOrigin,
}: BrowserGuardOptions): (request: RequestHead) => string | undefined {
  const names = new Set([listenHost, ...allowedHosts].map((name) => name.toLowerCase()));
  // Addresses can't be rebound, and a server on all interfaces doesn't know those that are translated to its own.
  const everyAddress = listenHost === "0.0.0.0" || listenHost === "::";
  const allowsHost = (host: string): boolean => {
    const name = nameOf(host);
    return names.has("*") || isLoopback(name) || names.has(name) || (everyAddress && isIP(name) !== 0);
  };
  return (request) => {
    const { ":authority": authority, host } = request.headers as { ":authority"?: string; host?: string };
    // Browsers always send a name. HTTP/1.0 clients need not.
    for (const each of [authority, host])
      if (each !== undefined && each !== "" && !allowsHost(each)) return `the host ${each} isn't allowed`;
    const { origin } = request.headers;
    if (origin === undefined || !(writes.has(request.method ?? "") || requestsUpgrade(request))) return undefined;
    // One port serves both schemes, so only host and port matter.
    const same = origin.replace(/^https?:\/\//i, "").toLowerCase() === (authority ?? host ?? "").toLowerCase();
    return same || allowsOrigin(origin) ? undefined : `the origin ${origin} isn't allowed`;
  };
}
