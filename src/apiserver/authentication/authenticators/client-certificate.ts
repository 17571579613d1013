import type { ServerRequest } from "../../http/http.js";
import type { UserInfo } from "../../http/user-info.js";
import { AuthenticationError } from "./authenticator.js";

/**
 * Authenticates the client certificate of a connection: the common name is the user, the organizations are its groups.
 *
 * @see https://kubernetes.io/docs/reference/access-authn-authz/authentication/#x509-client-certificates
 */
export function clientCertificate({ client }: ServerRequest): UserInfo | undefined {
  const certificate = client?.certificate;
  if (certificate === undefined) return undefined;
  if (!certificate.trustedBy.includes("clientCa"))
    throw new AuthenticationError(certificate.problem ?? "the client certificate isn't trusted");
  const { commonName, organizations, uid = "", sha256 } = certificate;
  if (commonName === "") return undefined;
  return {
    name: commonName,
    uid,
    groups: organizations,
    extra: sha256 === undefined ? {} : { "authentication.kubernetes.io/credential-id": [`X509SHA256=${sha256}`] },
  };
}
