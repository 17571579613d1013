import { get } from "node:https";
import type { IssuerFetch } from "../authentication/jwt/issuer-keys.js";
import { readResponse } from "./read-response.js";

/** Maximum size of a document in bytes. */
const mostBytes = 1024 * 1024;

/**
 * Fetches documents of token issuers over HTTPS and trusts the `certificateAuthority` of their configuration.
 *
 * @example
 * ```ts
 * import { createApiServer } from "kubestream/apiserver";
 * import { nodeIssuerFetch } from "kubestream/apiserver/node";
 *
 * const server = createApiServer({ issuerFetch: nodeIssuerFetch });
 * await server.close();
 * ```
 */
export const nodeIssuerFetch: IssuerFetch = (url, { certificateAuthority, signal }) =>
  new Promise((resolve, reject) => {
    const trust = certificateAuthority === undefined ? {} : { ca: certificateAuthority, allowPartialTrustChain: true };
    const request = get(url, { ...trust, signal, agent: false, rejectUnauthorized: true }, (response) => {
      readResponse(request, response, mostBytes)
        .then((body) => new Response(new Uint8Array(body), { status: response.statusCode ?? 500 }))
        .then(resolve, reject);
    });
    request.on("error", reject);
  });
