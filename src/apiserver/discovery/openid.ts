import { utf8Encode } from "../../internal/bytes.js";
import type { RequestContext } from "../core.js";
import { filterAccept } from "../handlers/negotiate.js";
import type { ServerResponse } from "../http.js";
import { methodNotAllowed } from "../status.js";

const configurationPath = "/.well-known/openid-configuration";
const keysPath = "/openid/v1/jwks";

/**
 * Answers what relying parties ask about the tokens of service accounts; `undefined` for other paths. The tokens are known to this server by
 * heart and signed by no key, so there is none to publish.
 */
export function openIdDocument({ core, info, request }: RequestContext): ServerResponse | undefined {
  const path = info.path.replace(/\/$/, "");
  if (path !== configurationPath && path !== keysPath) return undefined;
  if (request.method !== "GET") throw methodNotAllowed();
  const type = path === keysPath ? "application/jwk-set+json" : "application/json";
  filterAccept(request.header("accept") ?? "", [type]);
  const document = path === keysPath ? { keys: [] } : {
    issuer: core.serviceAccounts.issuer, jwks_uri: `https://${request.header("host") ?? "localhost"}${keysPath}`,
    response_types_supported: ["id_token"], subject_types_supported: ["public"], id_token_signing_alg_values_supported: ["RS256"],
  };
  return { status: 200, headers: [["Cache-Control", "public, max-age=3600"], ["Content-Type", type]], body: utf8Encode(JSON.stringify(document)) };
}
