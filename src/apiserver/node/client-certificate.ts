import { X509Certificate } from "node:crypto";
import type { Socket } from "node:net";
import type { TLSSocket } from "node:tls";
import { ConfigError } from "../../errors/errors.js";
import type { ClientCertificate, ClientIdentity } from "../http/client-identity.js";

/** Certificate authorities by the option that names them, in PEM. */
export type ClientAuthorities = Readonly<Partial<Record<"clientCa" | "requestHeader", string>>>;

const uidOid = "1.3.6.1.4.1.57683.2";
const longestChain = 16;
/** Property of a TLS socket. Sockets of HTTP/2 requests are proxies of it, so that a WeakMap wouldn't find them. */
const identity = Symbol("client identity");

/** Parses certificates in PEM. Throws a `ConfigError` that names the option. */
export function parseCertificates(pem: string, option: string): X509Certificate[] {
  const blocks = pem.match(/-----BEGIN CERTIFICATE-----[^-]+-----END CERTIFICATE-----/g) ?? [];
  if (blocks.length === 0) throw new ConfigError(`${option}: expected a certificate in PEM`);
  return blocks.map((block) => {
    try {
      return new X509Certificate(block);
    } catch (error) {
      throw new ConfigError(`${option}: not a valid certificate`, { cause: error });
    }
  });
}

/** Returns a function that remembers who the client of a TLS connection is, after the handshake. */
export function clientIdentifier(authorities: ClientAuthorities): (socket: TLSSocket) => void {
  const bundles = (["clientCa", "requestHeader"] as const).flatMap((option) => {
    const pem = authorities[option];
    return pem === undefined ? [] : [{ option, certificates: parseCertificates(pem, option) }];
  });
  return (socket) => {
    const leaf = bundles.length === 0 ? undefined : socket.getPeerX509Certificate();
    if (leaf === undefined) return;
    const chain = chainOf(socket, leaf);
    const trustedBy = socket.authorized
      ? bundles.filter(({ certificates }) => chainsTo(chain, certificates)).map(({ option }) => option)
      : [];
    const certificate: ClientCertificate = { ...subjectOf(socket, leaf), trustedBy, ...problemOf(socket) };
    Object.defineProperty(socket, identity, { value: { certificate } satisfies ClientIdentity });
  };
}

/** Returns the client of a connection, if it has presented a certificate. */
export function clientOf(socket: Socket): ClientIdentity | undefined {
  return (socket as { [identity]?: ClientIdentity })[identity];
}

function problemOf({ authorized, authorizationError }: TLSSocket): { problem?: string } {
  // Node types it as an Error, but it is the code of one.
  return authorized ? {} : { problem: `the client certificate isn't valid: ${String(authorizationError)}` };
}

function subjectOf(socket: TLSSocket, leaf: X509Certificate): Omit<ClientCertificate, "trustedBy"> {
  const subject = socket.getPeerCertificate().subject as Readonly<Record<string, string | string[] | undefined>>;
  const values = (key: string): string[] => [subject?.[key] ?? []].flat();
  return {
    commonName: values("CN").at(-1) ?? "",
    organizations: values("O"),
    uid: values(uidOid).at(-1) ?? "",
    sha256: leaf.fingerprint256.replaceAll(":", "").toLowerCase(),
  };
}

/** Returns the certificate and those above it, as far as the client has sent them or the server knows them. */
function chainOf(socket: TLSSocket, leaf: X509Certificate): X509Certificate[] {
  const chain = [leaf];
  let next = socket.getPeerCertificate(true).issuerCertificate;
  while (next?.raw !== undefined && chain.length < longestChain) {
    const certificate = new X509Certificate(next.raw);
    if (certificate.fingerprint256 === chain.at(-1)!.fingerprint256) break;
    chain.push(certificate);
    next = next.issuerCertificate;
  }
  return chain;
}

/** True if one of the authorities issued the first certificate, directly or through the others. */
function chainsTo(chain: readonly X509Certificate[], authorities: readonly X509Certificate[]): boolean {
  for (const [index, certificate] of chain.entries()) {
    const below = chain[index - 1];
    if (below !== undefined && !(certificate.ca && isIssuedBy(below, certificate))) return false;
    if (
      authorities.some(
        (authority) => authority.fingerprint256 === certificate.fingerprint256 || isIssuedBy(certificate, authority),
      )
    )
      return true;
  }
  return false;
}

function isIssuedBy(certificate: X509Certificate, issuer: X509Certificate): boolean {
  return certificate.checkIssued(issuer) && certificate.verify(issuer.publicKey);
}
