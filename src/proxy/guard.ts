/** Options for `createGuard`. */
export interface GuardOptions {
  /** Accepted host names, without ports; `undefined` accepts all. */
  readonly hosts: readonly string[] | undefined;
  /** True to accept loopback names in addition. */
  readonly loopback: boolean;
  /** Accepted origins of other sites. */
  readonly origins: readonly string[];
}

/** Decides about the site that a request comes from. */
export interface Guard {
  /** Returns why the request is refused; `undefined` if it isn't. */
  refusal(request: Request, upgrade: boolean): string | undefined;
  /** Returns the response headers for a page of another accepted origin. */
  corsHeaders(request: Request): Readonly<Record<string, string>>;
}

const safe = new Set(["GET", "HEAD", "OPTIONS"]);

/**
 * Creates a guard against pages of other sites: a browser sends the user's cookies with their requests, too. A page that
 * has rebound its DNS name to the proxy's address sends that name as the host.
 * @see https://developer.mozilla.org/en-US/docs/Web/HTTP/Reference/Headers/Sec-Fetch-Site
 */
export function createGuard({ hosts, loopback, origins }: GuardOptions): Guard {
  const names = hosts && new Set(hosts.map((name) => name.toLowerCase()));
  const known = new Set(origins.map((origin) => new URL(origin).origin));
  const allowsHost = (name: string): boolean =>
    (loopback && isLoopback(name)) || (names === undefined ? !loopback : names.has(name));

  return {
    refusal(request, upgrade) {
      const { host, hostname, origin: own } = new URL(request.url);
      const name = hostname.toLowerCase().replace(/\.$/, "");
      if (!allowsHost(name)) return `the host ${JSON.stringify(host)} isn't allowed`;
      const origin = request.headers.get("origin");
      if (origin !== null && known.has(origin)) return undefined;
      const site = request.headers.get("sec-fetch-site");
      if (site !== null && site !== "same-origin" && site !== "none")
        return "requests from pages of other sites aren't allowed";
      // An old browser sends no Sec-Fetch-Site. The scheme doesn't count, because TLS may end in front of the proxy.
      if (origin === null || (!upgrade && safe.has(request.method))) return undefined;
      const same = schemeless(origin) === schemeless(own);
      return same ? undefined : `the origin ${JSON.stringify(origin.slice(0, 200))} isn't allowed`;
    },
    corsHeaders(request): Readonly<Record<string, string>> {
      const origin = request.headers.get("origin");
      if (origin === null || !known.has(origin)) return known.size > 0 ? { vary: "Origin" } : {};
      return {
        vary: "Origin",
        "access-control-allow-origin": origin,
        "access-control-allow-credentials": "true",
        "access-control-allow-methods": "GET, HEAD, POST, PUT, PATCH, DELETE",
        "access-control-allow-headers": "Accept, Content-Type, Traceparent, Tracestate",
        "access-control-expose-headers": "Warning, Retry-After, Audit-Id",
        "access-control-max-age": "600",
      };
    },
  };
}

function isLoopback(name: string): boolean {
  return name === "localhost" || name.endsWith(".localhost") || name === "[::1]" || /^127(?:\.\d{1,3}){3}$/.test(name);
}

function schemeless(origin: string): string {
  return origin.toLowerCase().replace(/^(?:https?|wss?):/, "");
}
