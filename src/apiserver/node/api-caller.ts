import { type IncomingMessage, request as plainRequest } from "node:http";
import { request as tlsRequest } from "node:https";
import { Readable } from "node:stream";
import type { ReadableStream as NodeStream } from "node:stream/web";
import { TransportError } from "../../errors/errors.js";
import type { ApiCaller } from "../http/api-caller.js";
import { serverIdentity } from "./server-identity.js";

/** Options for `createNodeApiCaller`. */
export interface NodeApiCallerOptions {
  /** Certificate of this server as a front proxy, in PEM. Default: none. */
  readonly cert?: string | undefined;
  /** Private key of the certificate, in PEM. */
  readonly key?: string | undefined;
}

/**
 * Creates the function that sends requests to aggregated API servers over HTTPS: it trusts the `caBundle` of each
 * APIService, and presents a front proxy's certificate, by which the other server recognizes this one.
 *
 * @example
 * ```ts
 * import { createApiServer } from "kubestream/apiserver";
 * import { createCertificateAuthority, createNodeApiCaller } from "kubestream/apiserver/node";
 *
 * const authority = createCertificateAuthority(Date.now()); // The other server's --requestheader-client-ca-file.
 * const { cert, key } = authority.client("front-proxy");
 * const server = createApiServer({ callApi: createNodeApiCaller({ cert, key }) });
 * await server.close();
 * ```
 */
export function createNodeApiCaller({ cert, key }: NodeApiCallerOptions = {}): ApiCaller {
  return async (request, { connectTo, caBundle, insecureSkipTLSVerify, userHeaders = [] }) => {
    const url = new URL(request.url);
    const target = new URL(url);
    if (connectTo !== undefined) target.host = connectTo;
    const { method, signal } = request;
    const payload = method === "GET" || method === "HEAD" ? undefined : new Uint8Array(await request.arrayBuffer());
    const options = {
      method,
      signal,
      agent: false as const,
      headers: { ...headersOf(request.headers, userHeaders), host: target.host },
    };
    const tls = {
      rejectUnauthorized: !insecureSkipTLSVerify,
      ...serverIdentity(url.hostname, connectTo),
      ...(cert === undefined ? {} : { cert, key }),
      ...(caBundle === undefined ? {} : { ca: Buffer.from(caBundle, "base64"), allowPartialTrustChain: true }),
    };
    return new Promise((resolve, reject) => {
      const sent =
        target.protocol === "https:" ? tlsRequest(target, { ...options, ...tls }) : plainRequest(target, options);
      sent.on("error", reject);
      sent.on("upgrade", (_response, socket) => {
        socket.destroy();
        reject(new TransportError("the server switched protocols"));
      });
      sent.on("response", (response) => {
        // The status and the headers may be such that no response can have them.
        try {
          resolve(toFetchResponse(response, method));
        } catch (error) {
          response.destroy();
          reject(new TransportError("the server sent an invalid response", { cause: error }));
        }
      });
      sent.end(payload);
    });
  };
}

function toFetchResponse(response: IncomingMessage, method: string): Response {
  const { statusCode: status = 502, rawHeaders } = response;
  const headers = new Headers();
  for (let at = 0; at < rawHeaders.length; at += 2) headers.append(rawHeaders[at]!, rawHeaders[at + 1]!);
  const empty = status === 204 || status === 205 || status === 304 || method === "HEAD";
  if (empty) response.resume();
  const body = empty ? null : (Readable.toWeb(response) as NodeStream<Uint8Array> as ReadableStream<Uint8Array>);
  return new Response(body, { status, headers });
}

function headersOf(
  headers: Headers,
  userHeaders: readonly (readonly [name: string, value: string])[],
): Record<string, string[]> {
  const values: Record<string, string[]> = {};
  for (const [name, value] of headers) values[name] = [value];
  for (const [name] of userHeaders) values[name.toLowerCase()] = [];
  for (const [name, value] of userHeaders) values[name.toLowerCase()]!.push(value);
  return values;
}
