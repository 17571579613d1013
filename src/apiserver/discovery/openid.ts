import { utf8Encode } from "../../internal/bytes.js";
import { methodNotAllowed } from "../errors/status.js";
import type { ServerResponse } from "../http/http.js";
import { filterAccept } from "../wire/negotiate.js";
import type { DiscoveryContext } from "./services.js";

const configurationPath = "/.well-known/openid-configuration";
const keysPath = "/openid/v1/jwks";

/** Returns true for the OpenID discovery paths of service account tokens. */
export function isOpenIdPath(path: string): boolean {
  return [configurationPath, keysPath].includes(path.replace(/\/$/, ""));
}

/** Serves the issuer of service account tokens and the public key that verifies them. */
export async function openIdDocument({ services, info, request }: DiscoveryContext): Promise<ServerResponse> {
  const path = info.path.replace(/\/$/, "");
  if (request.method !== "GET") throw methodNotAllowed();
  const type = path === keysPath ? "application/jwk-set+json" : "application/json";
  filterAccept(request.header("accept") ?? "", [type]);
  const document =
    path === keysPath
      ? { keys: [await services.serviceAccounts.publicKey()] }
      : {
          issuer: services.serviceAccounts.issuer,
          jwks_uri: `https://${request.header("host") ?? "localhost"}${keysPath}`,
          response_types_supported: ["id_token"],
          subject_types_supported: ["public"],
          id_token_signing_alg_values_supported: ["RS256"],
        };
  return {
    status: 200,
    headers: [
      ["Cache-Control", "public, max-age=3600"],
      ["Content-Type", type],
    ],
    body: utf8Encode(JSON.stringify(document)),
  };
}
