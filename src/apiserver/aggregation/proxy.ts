import { utf8Encode } from "../../internal/bytes.js";
import { failure } from "../errors/status.js";
import { chunksOf, type ServerResponse, textResponse } from "../http/http.js";
import { encodeQuery, escapePath } from "../http/query.js";
import type { RequestContext } from "../http/request-context.js";
import type { AggregatedApi, AggregatedApis, AggregatedRequest } from "./aggregated-apis.js";

/** Maximum size of a request body in bytes. */
const largestBody = 3 * 1024 * 1024;
/** Headers of a connection, which aren't passed on. */
const hopByHop = new Set([
  "connection",
  "content-length",
  "expect",
  "host",
  "keep-alive",
  "te",
  "trailer",
  "transfer-encoding",
  "upgrade",
]);
/** Headers of requests that only this server may set, or that it has already handled. */
const handled = /^(:|accept-encoding$|authorization$|impersonate-|proxy-|x-remote-)/;

/** Services for passing requests on. */
interface ProxyServices {
  readonly aggregated: AggregatedApis;
}

/** Returns the API to which a path such as `/apis/GROUP/VERSION/…` or `/openapi/v3/apis/GROUP/VERSION` belongs. */
export function aggregatedApiOf(path: string, { aggregated }: ProxyServices): AggregatedApi | undefined {
  if (aggregated.list().length === 0) return undefined;
  const [, group, version] = /^(?:\/openapi\/v3)?\/apis\/([^/]+)\/([^/]+)/.exec(path) ?? [];
  return group === undefined || version === undefined ? undefined : aggregated.find(group, version);
}

/** Passes a request on to the server of an API, with the user in headers. Responds with 503 while it can't be reached. */
export async function proxyToApi(context: RequestContext<ProxyServices>, api: AggregatedApi): Promise<ServerResponse> {
  const { aggregated } = context.services;
  if (!api.available) {
    aggregated.recheck(api.name);
    return textResponse(503, "service unavailable\n");
  }
  const init = await forwarded(context);
  // As kube-aggregator does, the path and the query are decoded and encoded again.
  const [path, query] = [escapePath(context.info.path), encodeQuery(context.query)];
  let response: Response;
  try {
    response = await aggregated.send(api, query === "" ? path : `${path}?${query}`, init, context.user);
  } catch (error) {
    if (context.signal().aborted) throw context.signal().reason;
    aggregated.recheck(api.name);
    return textResponse(
      503,
      `error trying to reach service: ${error instanceof Error ? error.message : String(error)}\n`,
    );
  }
  if (response.status >= 300 && response.status < 400 && response.headers.get("location")) {
    await response.body?.cancel();
    return {
      status: 502,
      headers: [["Content-Type", "text/plain; charset=utf-8"]],
      body: utf8Encode("the backend attempted to redirect this request, which is not permitted"),
    };
  }
  const headers = [...response.headers].filter(
    ([name]) => !hopByHop.has(name) && name !== "content-encoding" && name !== "audit-id",
  );
  return { status: response.status, headers, body: response.body === null ? undefined : chunksOf(response.body) };
}

async function forwarded({
  request,
  info,
  signal,
  headers: answered,
}: RequestContext<ProxyServices>): Promise<AggregatedRequest> {
  const body = request.method === "GET" || request.method === "HEAD" ? undefined : await request.readBody(largestBody);
  if (body === undefined && request.method !== "GET" && request.method !== "HEAD")
    throw failure(413, "RequestEntityTooLarge", `Request entity too large: limit is ${String(largestBody)}`);
  const headers = new Headers();
  for (const name of request.headerNames()) {
    if (hopByHop.has(name) || handled.test(name)) continue;
    for (const value of request.headerValues(name)) headers.append(name, value);
  }
  const audit = answered.find(([name]) => name === "Audit-Id")?.[1];
  if (audit !== undefined) headers.set("Audit-Id", audit);
  const address = request.remoteAddress?.replace(/^::ffff:/, "");
  if (address !== undefined) headers.append("X-Forwarded-For", address);
  headers.set("X-Forwarded-Host", "");
  headers.set("X-Forwarded-Proto", "https");
  headers.set("X-Forwarded-Uri", escapePath(info.path));
  // Compression is up to this server's own response.
  headers.set("Accept-Encoding", "identity");
  return {
    method: request.method,
    headers,
    signal: signal(),
    ...(body === undefined || body.length === 0 ? {} : { body: body as BodyInit }),
  };
}
