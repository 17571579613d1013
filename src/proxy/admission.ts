import { impersonationHeaders } from "../client/decorators/with-impersonation.js";
import { ConfigError } from "../errors/errors.js";
import { headerBytes } from "../internal/header-text.js";
import { trimEnd } from "../internal/trim-end.js";
import type { TransportRequest } from "../transport/transport.js";
import { createGuard } from "./guard.js";
import { requestHeaders } from "./messages.js";
import type { ProxyOptions, ProxyUser } from "./proxy.js";
import { Refusal } from "./refusal.js";
import { isAllowed, type ProxyRule, readRules } from "./rules.js";
import { createSlots } from "./slots.js";
import { type ProxyTarget, parseTarget } from "./target.js";

/** Attributes of a request, as far as they are known while it's handled. */
export interface Progress {
  user?: ProxyUser | undefined;
  target?: ProxyTarget | undefined;
}

/** A request that may be forwarded. */
export interface Admitted extends Pick<TransportRequest, "headers" | "multiHeaders"> {
  readonly target: ProxyTarget;
  /** Gives the request's place back. */
  readonly release: () => void;
}

/** A connection for many requests. */
export interface AdmittedConnection {
  /** Returns the reason why the connection must end; `undefined` if its user is still the same. */
  readonly recheck: () => Promise<string | undefined>;
  /** Gives the connection's place back. */
  readonly release: () => void;
}

/** Decides which requests are forwarded. */
export interface Admission {
  /** Path in front of `/clusters`. */
  readonly basePath: string;
  /** Returns the response headers for a page of another accepted origin. */
  corsHeaders(request: Request): Readonly<Record<string, string>>;
  /** Checks everything that needs no cluster. Rejects with a refusal. */
  admit(request: Request, upgrade: boolean, progress: Progress): Promise<Admitted>;
  /** Checks the request for a multiplexed connection. Rejects with a refusal. */
  admitConnection(request: Request, progress: Progress): Promise<AdmittedConnection>;
  /** Returns the clusters that the request's user may see. Rejects with a refusal. */
  visibleClusters(request: Request, progress: Progress): Promise<readonly string[]>;
}

const sessionOver = "the session of the page is over";

/** Creates the admission of a proxy. Throws a `ConfigError` for an invalid option. */
export function createAdmission(options: ProxyOptions): Admission {
  const basePath = checkedBasePath(options.basePath ?? "");
  const { clusters, authenticate, limits = {} } = options;
  if (authenticate !== "none" && typeof authenticate !== "function")
    throw new ConfigError('options.authenticate: must be a function, or "none" to serve everybody');
  const slots = createSlots(limits.perUser ?? 500, limits.total ?? 5_000);
  const guard = createGuard({
    hosts: options.hosts,
    loopback: authenticate === "none",
    origins: checkedOrigins(options.origins ?? []),
  });
  const impersonate = authenticate !== "none" && options.impersonate !== false;
  const { allow = readRules } = options;
  const rulesFor = (user: ProxyUser | undefined, cluster: string): readonly ProxyRule[] =>
    typeof allow === "function" ? checkedRules(allow(user, cluster)) : allow;

  async function identify(request: Request, upgrade: boolean, progress: Progress): Promise<ProxyUser | undefined> {
    const foreign = guard.refusal(request, upgrade);
    if (foreign !== undefined) throw new Refusal(403, foreign);
    if (authenticate === "none") return undefined;
    const user = checkedUser(await authenticate(request));
    if (user === undefined) throw new Refusal(401, "the proxy knows no user for this request");
    progress.user = user;
    return user;
  }

  const takeSlot = (user: ProxyUser | undefined): (() => void) => {
    const release = slots.take(user?.name ?? "");
    if (release === undefined) throw new Refusal(429, "too many requests at a time");
    return release;
  };

  return {
    basePath,
    corsHeaders: guard.corsHeaders,
    async admitConnection(request, progress) {
      checkUpgrade(request);
      const user = await identify(request, true, progress);
      const known = JSON.stringify(user);
      return {
        release: takeSlot(user),
        async recheck() {
          try {
            return JSON.stringify(await identify(request, true, {})) === known ? undefined : sessionOver;
          } catch (error) {
            if (error instanceof Refusal) return sessionOver;
            throw error;
          }
        },
      };
    },
    async visibleClusters(request, progress) {
      const user = await identify(request, false, progress);
      return Object.keys(clusters).filter((name) => rulesFor(user, name).length > 0);
    },
    async admit(request, upgrade, progress) {
      if (upgrade) checkUpgrade(request);
      const user = await identify(request, upgrade, progress);
      const target = parseTarget(request, basePath, upgrade);
      if (typeof target === "string") throw new Refusal(400, target);
      if (target === undefined) throw new Refusal(404, "the path names no cluster");
      progress.target = target;
      const { cluster, info, path } = target;
      if (!Object.hasOwn(clusters, cluster))
        throw new Refusal(404, `the proxy knows no cluster ${JSON.stringify(cluster)}`);
      if (!isAllowed(rulesFor(user, cluster), info, path)) {
        const subject = [info.resource, info.subresource].filter(Boolean).join("/") || path;
        throw new Refusal(403, `the proxy doesn't allow ${info.verb} of ${subject}`);
      }
      const identity = impersonate && user !== undefined ? impersonationOf(user) : { headers: {}, multiHeaders: {} };
      const release = takeSlot(user);
      const headers = { ...requestHeaders(request), ...identity.headers };
      return { target, headers, multiHeaders: identity.multiHeaders, release };
    },
  };
}

/** Returns the headers for a user, as one character per byte. */
function impersonationOf({
  name,
  groups,
  extra,
}: ProxyUser): Required<Pick<TransportRequest, "headers" | "multiHeaders">> {
  const { headers, multiHeaders } = impersonationHeaders({ user: name, groups, extra });
  const bytes = (value: string): string => {
    if (/[\0-\u001f\u007f]/.test(value) || value !== value.trim())
      throw new TypeError(
        "authenticate: the user's name, groups and attributes must not contain control characters, or begin or end with white space",
      );
    return headerBytes(value);
  };
  return {
    headers: Object.fromEntries(Object.entries(headers).map(([key, value]) => [key, bytes(value)])),
    multiHeaders: Object.fromEntries(Object.entries(multiHeaders).map(([key, values]) => [key, values.map(bytes)])),
  };
}

/** The rules decide on the method, and the cluster would see a GET. */
function checkUpgrade({ method }: Request): void {
  if (method !== "GET") throw new Refusal(400, "a WebSocket is opened by GET");
}

/** Returns the result of `authenticate`. Anything but a user with a name must not pass as one. */
function checkedUser(user: unknown): ProxyUser | undefined {
  if (user === undefined || user === null) return undefined;
  const { name } = user as { readonly name?: unknown };
  if (typeof name === "string" && name !== "") return user as ProxyUser;
  throw new TypeError("authenticate: must return a user with a name, or undefined");
}

/** Returns the result of `allow`. A function that forgets a user must not grant the default. */
function checkedRules(rules: unknown): readonly ProxyRule[] {
  if (Array.isArray(rules)) return rules as readonly ProxyRule[];
  throw new TypeError("allow: must return an array of rules");
}

function checkedBasePath(path: string): string {
  const trimmed = trimEnd(path, "/");
  if (trimmed !== "" && !/^(?:\/[\w.~-]+)+$/.test(trimmed))
    throw new ConfigError(`options.basePath ${JSON.stringify(path)}: must be a path such as /api/k8s`);
  return trimmed;
}

function checkedOrigins(origins: readonly string[]): readonly string[] {
  for (const origin of origins)
    if (!URL.canParse(origin) || new URL(origin).origin !== origin)
      throw new ConfigError(
        `options.origins ${JSON.stringify(origin)}: must be an origin such as https://app.example.com`,
      );
  return origins;
}
