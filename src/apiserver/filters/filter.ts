import type { ServerResponse } from "../http/http.js";
import type { RequestContext } from "../http/request-context.js";
import type { WireContext, WireServices } from "../wire/services.js";

/** The rest of the chain. */
export type Next<Services> = (context: RequestContext<Services>) => Promise<ServerResponse>;

/** One link of the handler chain: responds itself or hands the request on. */
export type Filter = <Services extends WireServices>(
  context: RequestContext<Services>,
  next: Next<Services>,
) => Promise<ServerResponse>;

/** A request as the filters see it. */
export type FilterContext = WireContext;

/** Puts filters before a handler; the first filter sees the request first. */
export function chain<Services extends WireServices>(
  filters: readonly Filter[],
  handler: Next<Services>,
): Next<Services> {
  return filters.reduceRight<Next<Services>>((next, filter) => (context) => filter(context, next), handler);
}
