import type { ServiceAccountTokens } from "../authentication/service-account-tokens.js";
import type { DiscoveryServices } from "../discovery/services.js";
import type { RequestContext } from "../http/request-context.js";
import type { TokenAuthenticator } from "../http/user-info.js";

/** Services that the handlers of resources and subresources need. */
export interface HandlerServices extends DiscoveryServices {
  /** Finds the users of tokens, in order. */
  readonly tokens: readonly TokenAuthenticator[];
  /** Tokens issued to service accounts. */
  readonly serviceAccounts: ServiceAccountTokens;
  /** True if any controller of the controller manager runs with the server. */
  readonly controllersRun: boolean;
  /** Reports an error that belongs to no request. */
  readonly reportError: (error: unknown) => void;
}

/** A request as the handlers see it. */
export type HandlerContext = RequestContext<HandlerServices>;
