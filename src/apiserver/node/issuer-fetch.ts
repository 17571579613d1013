import { get } from "node:https";
import type { IssuerFetch } from "../authentication/jwt/issuer-keys.js";

/** Maximum size of a document in bytes. */
const LIMIT = 1024 * 1024;

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
      const chunks: Buffer[] = [];
      let length = 0;
      response.on("data", (chunk: Buffer) => {
        length += chunk.length;
        if (length > LIMIT) request.destroy(new Error(`the response is longer than ${String(LIMIT)} bytes`));
        else chunks.push(chunk);
      });
      response.on("error", reject);
      response.on("end", () => resolve(new Response(Buffer.concat(chunks), { status: response.statusCode ?? 500 })));
    });
    request.on("error", reject);
  });
