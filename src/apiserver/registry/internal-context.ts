import type { Clock } from "../../internal/clock.js";
import type { RequestContext } from "../http/request-context.js";
import { parseRequestInfo } from "../http/request-info.js";
import { mastersGroup } from "../rbac/attributes.js";

/** Creates the context for the server's own reads and writes: as an administrator, with warnings dropped. */
export function internalContext<Services extends { readonly clock: Clock; readonly closed: AbortSignal }>(
  services: Services,
): RequestContext<Services> {
  const query = new URLSearchParams();
  return {
    services,
    query,
    request: {
      method: "GET",
      path: "/",
      query: "",
      header: () => undefined,
      headerValues: () => [],
      headerNames: () => [],
      readBody: () => Promise.resolve(new Uint8Array()),
      signal: services.closed,
    },
    info: parseRequestInfo("GET", "/", query),
    user: { name: "system:apiserver", uid: "", groups: [mastersGroup], extra: {} },
    signal: () => services.closed,
    warnings: [],
    headers: [],
    nowMs: services.clock.now(),
    warn: () => undefined,
  };
}
