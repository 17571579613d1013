import { createPrivateKey, X509Certificate } from "node:crypto";
import { createAuthority } from "../../certificates/authority.js";
import { ConfigError } from "../../errors/errors.js";
import type { ServingPair } from "./rotation-step.js";

const pemCertificate = /-----BEGIN CERTIFICATE-----[^-]+-----END CERTIFICATE-----/g;

/** Returns the certificates of a PEM text, one text each. */
export function splitCertificates(pem: string): string[] {
  return Array.from(pem.matchAll(pemCertificate), ([certificate]) => `${certificate}\n`);
}

/**
 * Reads a certificate and its key. Throws a `ConfigError` if either isn't valid PEM or if they don't belong together, such as
 * halfway through a renewal.
 */
export function readPair(cert: string, key: string): ServingPair {
  const chain = splitCertificates(cert);
  if (chain.length === 0) throw new ConfigError("the certificate is not valid PEM");
  const leaf = new X509Certificate(chain[0]!);
  if (!leaf.checkPrivateKey(createPrivateKey(key))) throw new ConfigError("the key doesn't belong to the certificate");
  const hosts = (leaf.subjectAltName ?? "").split(", ").map((each) => each.replace(/^(?:DNS|IP Address):/, ""));
  return { cert, key, ca: chain.at(-1)!, notAfterMs: Date.parse(leaf.validTo), hosts };
}

/** Creates a certificate with an authority of its own, whose key is dropped: no other certificate can come from it. */
export function issuePair(hosts: readonly string[], validity: { nowMs: number; lifetimeMs: number }): ServingPair {
  const authority = createAuthority(validity, `kubestream-webhooks-${validity.nowMs.toString(36)}`);
  const { cert, key } = authority.server(hosts);
  return readPair(cert, key);
}
