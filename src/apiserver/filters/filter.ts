import type { ServerResponse } from "../http/http.js";
import type { RequestContext } from "../http/request-context.js";
import type { WireContext, WireServices } from "../wire/services.js";

/** The remaining filters and the handler. */
export type Next<Services> = (context: RequestContext<Services>) => Promise<ServerResponse>;

/** A filter of the handler chain: responds itself or calls `next`. */
export type Filter = <Services extends WireServices>(
  context: RequestContext<Services>,
  next: Next<Services>,
) => Promise<ServerResponse>;

/** A request with the services that filters need. */
export type FilterContext = WireContext;

/** Wraps a handler in filters; the first filter is the outermost. */
export function chain<Services extends WireServices>(
  filters: readonly Filter[],
  handler: Next<Services>,
): Next<Services> {
  return filters.reduceRight<Next<Services>>((next, filter) => (context) => filter(context, next), handler);
}
