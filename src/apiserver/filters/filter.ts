import type { RequestContext } from "../core.js";
import type { ServerResponse } from "../http/http.js";

/** The rest of the chain. */
export type Next = (context: RequestContext) => Promise<ServerResponse>;

/** One link of the handler chain: answers itself or hands on. */
export type Filter = (context: RequestContext, next: Next) => Promise<ServerResponse>;

/** Puts filters before a handler; the first sees the request first. */
export function chain(filters: readonly Filter[], handler: Next): Next {
  return filters.reduceRight<Next>((next, filter) => (context) => filter(context, next), handler);
}
