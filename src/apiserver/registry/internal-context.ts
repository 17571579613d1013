import type { Core, RequestContext } from "../core.js";
import { parseRequestInfo } from "../http/request-info.js";
import { MASTERS } from "../rbac/attributes.js";

/** The context in which the server itself reads and writes: as an administrator, with warnings thrown away. */
export function internalContext(core: Core): RequestContext {
  const query = new URLSearchParams();
  return {
    core,
    query,
    request: {
      method: "GET",
      path: "/",
      query: "",
      header: () => undefined,
      headerValues: () => [],
      headerNames: () => [],
      readBody: () => Promise.resolve(new Uint8Array()),
      signal: core.closed,
    },
    info: parseRequestInfo("GET", "/", query),
    user: { name: "system:apiserver", uid: "", groups: [MASTERS], extra: {} },
    signal: core.closed,
    warnings: [],
    headers: [],
    nowMs: core.clock.now(),
    warn: () => undefined,
  };
}
