export type { LiveQueryClient, LiveQueryContext, LiveQueryEntry, LiveQueryOptions } from "./live-query.js";
export { listQuery, objectQuery } from "./live-query.js";
