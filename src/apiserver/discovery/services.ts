import type { AggregatedApis } from "../aggregation/aggregated-apis.js";
import type { FlowControl } from "../flowcontrol/flow-control.js";
import type { RequestContext } from "../http/request-context.js";
import type { WireServices } from "../wire/services.js";

/** Services for discovery, metrics and health. */
export interface DiscoveryServices extends WireServices {
  /** The API versions that other servers serve. */
  readonly aggregated: AggregatedApis;
  readonly flowControl: FlowControl;
  /** Issuer and keys of service account tokens. */
  readonly serviceAccounts: TokenIssuer;
}

/** Issuer of service account tokens: its URL and the public key that verifies them. */
export interface TokenIssuer {
  readonly issuer: string;
  publicKey(): Promise<object>;
}

/** Request context for discovery. */
export type DiscoveryContext = RequestContext<DiscoveryServices>;
