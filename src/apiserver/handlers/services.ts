import type { ServiceAccountTokens } from "../authentication/authenticators/service-account-tokens.js";
import type { Authentication } from "../authentication/create-authentication.js";
import type { DiscoveryServices } from "../discovery/services.js";
import type { RequestContext } from "../http/request-context.js";
import type { KubeletConnection } from "../kubelets/kubelet.js";

/** Services that the handlers need. */
export interface HandlerServices extends DiscoveryServices {
  /** Authenticates tokens. */
  readonly authentication: Pick<Authentication, "token" | "audiences">;
  /** Issuer of service account tokens. */
  readonly serviceAccounts: ServiceAccountTokens;
  /** Connection to the nodes; `undefined` if no node is reachable. */
  readonly kubelets: KubeletConnection | undefined;
  /** True if logs can be limited to one stream. */
  readonly splitsLogStreams: boolean;
  /** True if any optional controller runs with the server. */
  readonly controllersRun: boolean;
  /** Reports an error that doesn't belong to a request. */
  readonly reportError: (error: unknown) => void;
}

/** A request with the services that handlers need. */
export type HandlerContext = RequestContext<HandlerServices>;
