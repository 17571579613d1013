import type { FlowControl } from "../flowcontrol/flow-control.js";
import type { RequestContext } from "../http/request-context.js";
import type { WireServices } from "../wire/services.js";

/** Services that discovery, metrics and health need. */
export interface DiscoveryServices extends WireServices {
  readonly flowControl: FlowControl;
  /** Issuer and keys of service account tokens. */
  readonly serviceAccounts: TokenIssuer;
}

/** The public side of the service account tokens. */
export interface TokenIssuer {
  readonly issuer: string;
  publicKey(): Promise<object>;
}

/** A request as discovery sees it. */
export type DiscoveryContext = RequestContext<DiscoveryServices>;
