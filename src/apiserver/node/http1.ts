import type { IncomingMessage, ServerResponse as NodeResponse, Server } from "node:http";
import { createServer } from "node:http";
import type { Duplex } from "node:stream";
import type { Exchange } from "./exchange.js";
import { maxHeadBytes, responseOver } from "./framing.js";
import { Http1Exchange } from "./http1-exchange.js";
import type { TimeLimits } from "./time-limits.js";
import type { Upgrade } from "./upgrade.js";
import { createPipelines, hasBody, reparseWithoutUpgrade, requestsUpgrade, resumeParsing } from "./upgrade.js";

/** False for HTTP before 1.0 and for a repeated or malformed Host header, which Node accepts but kube-apiserver rejects. */
function isAcceptable({ httpVersionMajor, headersDistinct: { host: hosts = [] } }: IncomingMessage): boolean {
  return httpVersionMajor > 0 && hosts.length < 2 && /^[\w!$%&'()*+,.:;=[\]~-]*$/.test(hosts.join());
}

/** Status lines for requests that can't be read, by the code of the error, as in Node. */
const refusals: Readonly<Record<string, string>> = {
  ERR_HTTP_REQUEST_TIMEOUT: "408 Request Timeout",
  HPE_HEADER_OVERFLOW: "431 Request Header Fields Too Large",
  HPE_CHUNK_EXTENSIONS_OVERFLOW: "413 Payload Too Large",
};

/**
 * Refuses requests that can't be read. Unlike Node, it writes nothing after the response to a request whose body never
 * arrived, such as a 413: the client would take a second response for that to its next request.
 */
function refuseUnreadable(http: Server): { begun(request: IncomingMessage, response: NodeResponse): void } {
  const newest = new WeakMap<Duplex, { readonly request: IncomingMessage; readonly response: NodeResponse }>();
  http.on("clientError", (error: NodeJS.ErrnoException, socket) => {
    const { request, response } = newest.get(socket) ?? {};
    const isAnswered = response?.headersSent === true && (request?.complete !== true || !response.writableFinished);
    if (socket.writable && !isAnswered)
      socket.write(`HTTP/1.1 ${refusals[error.code ?? ""] ?? "400 Bad Request"}\r\nConnection: close\r\n\r\n`);
    socket.destroy(error);
  });
  return { begun: (request, response) => void newest.set(request.socket, { request, response }) };
}

/** Creates a server for HTTP/1.1 that receives connections as events, because it doesn't listen itself. */
export function createHttp1(
  onExchange: (exchange: Exchange) => void,
  { headMs, requestMs, idleMs }: TimeLimits,
): Server {
  const onRequest = (request: IncomingMessage, response: NodeResponse, upgrade?: Upgrade): void => {
    if (isAcceptable(request)) onExchange(new Http1Exchange(request, response, upgrade));
    else response.writeHead(400, { Connection: "close" }).end();
  };
  const pipelines = createPipelines();
  const onHttp = (request: IncomingMessage, response: NodeResponse): void => {
    pipelines.begun(request.socket, response);
    unreadable.begun(request, response);
    onRequest(request, response);
  };
  // Newer Node versions call this to decide which requests to hand over, and withhold the bodies of those.
  const upgrades = {
    shouldUpgradeCallback: (request: IncomingMessage) => requestsUpgrade(request) || !hasBody(request),
  };
  const http = createServer(
    {
      ...upgrades,
      keepAliveTimeout: idleMs,
      requestTimeout: requestMs,
      headersTimeout: headMs,
      connectionsCheckingInterval: Math.min(5_000, headMs / 2),
      maxHeaderSize: maxHeadBytes,
    },
    onHttp,
  );
  const unreadable = refuseUnreadable(http);
  http.maxHeadersCount = 0;
  // Starts the check for `headersTimeout` and `requestTimeout`, which Node does only for a server that listens itself.
  http.emit("listening");
  // Clients that sent `Expect: 100-continue` get the 100 when the handler starts to read the body.
  http.on("checkContinue", onHttp);
  http.on("upgrade", (request, socket, head) => {
    const upgrade = { socket, head };
    pipelines.whenFree(socket, () => {
      if (!requestsUpgrade(request)) reparseWithoutUpgrade(http, request, upgrade);
      else
        onRequest(
          request,
          responseOver(request, socket, () => resumeParsing(http, upgrade)),
          upgrade,
        );
    });
  });
  return http;
}
