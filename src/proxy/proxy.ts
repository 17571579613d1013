import type { RequestInfo } from "../interceptors/request-info.js";
import type { Clock } from "../internal/clock.js";
import type { Transport, TransportSocket } from "../transport/transport.js";
import type { ProxyRule } from "./rules.js";

/** User of a page, as the application in front of the proxy knows it. */
export interface ProxyUser {
  /** Name of the user. */
  readonly name: string;
  /** Groups of the user. Default: none. */
  readonly groups?: readonly string[] | undefined;
  /** Further attributes of the user by name, which the cluster sees as `extra`. Default: none. */
  readonly extra?: Readonly<Record<string, readonly string[]>> | undefined;
}

/** Cluster behind a proxy. */
export interface ProxyCluster {
  /** Transport with the credentials of the proxy, such as one of `openTransport`. The proxy doesn't close it. */
  readonly transport: Transport;
}

/** Outcome of a request, for an audit log. */
export interface ProxyEvent {
  /** User that the request came from; `undefined` before authentication. */
  readonly user: ProxyUser | undefined;
  /** Name of the cluster; `undefined` if the path names none. */
  readonly cluster: string | undefined;
  /** HTTP method. */
  readonly method: string;
  /** Path in the cluster, without the query; the whole path if it names no cluster. */
  readonly path: string;
  /** API attributes; `undefined` if the path names no cluster. */
  readonly info: RequestInfo | undefined;
  /** Status code of the response; 101 for a WebSocket. */
  readonly status: number;
  /** Reason why the proxy refused the request or couldn't forward it. */
  readonly refused?: string | undefined;
  /** Milliseconds until the response began. */
  readonly durationMs: number;
}

/** Limits of a proxy. A request beyond one of them is refused. */
export interface ProxyLimits {
  /** Bytes of a request body, otherwise 413. Default: 3 MiB, the limit of kube-apiserver. */
  readonly bodyBytes?: number | undefined;
  /** Requests of one user at a time, watches and WebSockets included, otherwise 429. Default: 500. */
  readonly perUser?: number | undefined;
  /** Requests at a time, otherwise 429. Default: 5,000. */
  readonly total?: number | undefined;
  /** Requests at a time on one multiplexed connection, otherwise 429. Default: 1,000. */
  readonly streams?: number | undefined;
  /** Milliseconds after which the user of a multiplexed connection is authenticated again. Default: 30,000. */
  readonly recheckMs?: number | undefined;
  /** Milliseconds until a response must begin, otherwise 504. Default: 60,000. */
  readonly responseMs?: number | undefined;
}

/** Options for `createProxy`. */
export interface ProxyOptions {
  /** Clusters by the name under which they are served, at `/clusters/NAME/`. */
  readonly clusters: Readonly<Record<string, ProxyCluster>>;
  /**
   * Returns the user of a request, such as from a session cookie; `undefined` gets 401. `"none"` serves everybody who
   * can reach the proxy, and only under a loopback name such as `localhost` or a name of `hosts`.
   */
  readonly authenticate: "none" | ((request: Request) => ProxyUser | undefined | Promise<ProxyUser | undefined>);
  /**
   * True to impersonate the user in the cluster, so that the cluster's rights count. False to act with the proxy's own
   * rights, which `allow` limits. Default: true; always false with `authenticate: "none"`.
   * @see https://kubernetes.io/docs/reference/access-authn-authz/user-impersonation/
   */
  readonly impersonate?: boolean | undefined;
  /** Requests to forward, or a function that returns them for a user and a cluster. Default: `readRules`. */
  readonly allow?:
    | readonly ProxyRule[]
    | ((user: ProxyUser | undefined, cluster: string) => readonly ProxyRule[])
    | undefined;
  /** Path in front of `/clusters`. Default: empty. */
  readonly basePath?: string | undefined;
  /** Host names that requests may name, without a port. Default: all, or loopback names with `authenticate: "none"`. */
  readonly hosts?: readonly string[] | undefined;
  /** Origins of other sites whose pages may use the proxy, such as `https://app.example.com`. Default: none. */
  readonly origins?: readonly string[] | undefined;
  /**
   * True to let equal watches in JSON share one connection to the cluster, also those of different users. The cluster is
   * asked with a SelfSubjectAccessReview before a user joins another one's watch. Default: true.
   */
  readonly shareWatches?: boolean | undefined;
  /** Clock for time limits. Default: the system's clock. */
  readonly clock?: Clock | undefined;
  /** Limits. */
  readonly limits?: ProxyLimits | undefined;
  /** Called once per request, when its response begins. */
  readonly audit?: ((event: ProxyEvent) => void) | undefined;
  /** Called with each error that a response only hints at: of `authenticate`, of `audit`, or of a cluster's transport. */
  readonly onError?: ((error: unknown) => void) | undefined;
}

/** WebSocket to a cluster. */
export interface ProxySocket {
  /** Subprotocol to answer with; `""` for none. */
  readonly protocol: string;
  /** Connection to the cluster. The server that accepts the page's WebSocket copies the messages in both directions. */
  readonly socket: TransportSocket;
}

/** Forwards the requests of pages to clusters. */
export interface Proxy {
  /** Answers a request. Never rejects. */
  handle(request: Request): Promise<Response>;
  /**
   * Opens the WebSocket that is requested. Resolves with the response of a refusal, or with the connection to the
   * cluster, which the caller must close. Never rejects.
   */
  upgrade(request: Request): Promise<Response | ProxySocket>;
}
