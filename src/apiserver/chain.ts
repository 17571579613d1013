import { ConfigError } from "../errors/errors.js";
import { utf8Encode } from "../internal/bytes.js";
import { headerBytes } from "../internal/header-text.js";
import { pushAll } from "../internal/push-all.js";
import { audit, auditFailedAuthentication } from "./filters/audit.js";
import { anonymous, authentication } from "./filters/authentication.js";
import { authorization } from "./filters/authorization.js";
import { compression } from "./filters/compression.js";
import { cors } from "./filters/cors.js";
import { deadline, defaultTimeoutMs } from "./filters/deadline.js";
import { answerErrors } from "./filters/errors.js";
import type { Next } from "./filters/filter.js";
import { chain } from "./filters/filter.js";
import { flowControl } from "./filters/flow-control.js";
import { impersonation } from "./filters/impersonation.js";
import { warnings } from "./filters/warnings.js";
import { dispatch } from "./handlers/dispatch.js";
import type { ServerRequest, ServerResponse } from "./http/http.js";
import { responseHeader, textResponse } from "./http/http.js";
import { parseQuery, unescapePercent } from "./http/query.js";
import type { RequestContext } from "./http/request-context.js";
import { parseRequestInfo } from "./http/request-info.js";
import { goQuote } from "./internal/go-text.js";
import type { ApiServerOptions } from "./options.js";
import { isEnabled } from "./registry/features.js";
import type { ServerServices } from "./services.js";
import { loadCodecs } from "./wire/encodings.js";

type ServerContext = RequestContext<ServerServices>;

/** Composes the filter chain in the order of kube-apiserver, outermost first. Throws a `ConfigError` for bad options. */
export function createChain(
  options: ApiServerOptions,
  services: ServerServices,
  allowsOrigin: (origin: string) => boolean,
): Next<ServerServices> {
  const { authorizer } = services;
  const { audit: recorded, corsAllowedOrigins, requestTimeoutMs: timeoutMs = defaultTimeoutMs } = options;
  if (!(timeoutMs > 0)) throw new ConfigError("requestTimeoutMs must be greater than 0");
  const withAudit = recorded === undefined ? [] : [audit(recorded)];
  const internal = chain<ServerServices>(
    [answerErrors, warnings, authentication(services.authentication), ...withAudit],
    dispatch,
  );
  const external = chain<ServerServices>(
    [
      answerErrors,
      ...(isEnabled(options, "APIResponseCompression") ? [compression] : []),
      deadline(timeoutMs),
      warnings,
      answerErrors,
      ...(corsAllowedOrigins === undefined ? [] : [cors(allowsOrigin)]),
      ...(recorded === undefined ? [] : [auditFailedAuthentication(recorded)]),
      authentication(services.authentication),
      ...withAudit,
      impersonation(authorizer),
      flowControl(services.flowControl, timeoutMs),
      authorization(authorizer),
    ],
    dispatch,
  );
  return (context) => (context.request.internal === true ? internal : external)(context);
}

/** Parses the path and query of a request, and passes it through the chain. */
export async function serveRequest(
  services: ServerServices,
  answer: Next<ServerServices>,
  request: ServerRequest,
): Promise<ServerResponse> {
  const path = unescapePercent(request.path);
  if (path === undefined)
    return {
      status: 400,
      headers: [["Content-Type", "text/plain; charset=utf-8"]],
      body: utf8Encode("400 Bad Request"),
    };
  const query = parseQuery(request.query);
  const auditId = request.header("audit-id") ?? services.uuid();
  const info = parseRequestInfo(request.method, path, query);
  if (info.malformed === true)
    return textResponse(
      500,
      `Internal Server Error: ${goQuote(path)}: failed to create RequestInfo: unable to determine kind and namespace from url, ${path}\n`,
      [["Audit-Id", headerBytes(auditId)]],
    );
  const loading = loadCodecs(request.header("accept"), request.header("content-type"));
  if (loading !== undefined) await loading;
  const warningList: string[] = [];
  const warned = new Set<string>();
  const context: ServerContext = {
    services,
    request,
    query,
    info,
    user: anonymous,
    signal: () => request.signal,
    warnings: warningList,
    headers: [["Audit-Id", headerBytes(auditId)]],
    nowMs: services.clock.now(),
    warn(text) {
      if (warned.has(text)) return;
      warned.add(text);
      warningList.push(text);
    },
  };
  const response = await answer(context);
  // Headers of filters come first.
  pushAll(response.headers, context.headers, response.headers.splice(0));
  if (responseHeader(response, "cache-control") === undefined)
    response.headers.push(["Cache-Control", "no-cache, private"]);
  return response;
}
