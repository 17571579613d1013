import type { KeyObject } from "node:crypto";
import { createHash, createSign, generateKeyPairSync, randomBytes } from "node:crypto";
import { isIP } from "node:net";

/** A server certificate and the certificate authority that signed it, in PEM. */
export interface ServerCertificate {
  /** Certificate of the authority, for clients to trust. */
  readonly ca: string;
  /** Certificate of the server, followed by that of the authority. */
  readonly cert: string;
  /** Private key of the server. */
  readonly key: string;
}

const tag = { integer: 2, bitString: 3, octetString: 4, oid: 6, utf8: 12, time: 24, sequence: 48, set: 49 };

function der(type: number, ...parts: Uint8Array[]): Buffer {
  const body = Buffer.concat(parts);
  const length: number[] = [];
  if (body.length < 128) length.push(body.length);
  else {
    for (let rest = body.length; rest > 0; rest >>= 8) length.unshift(rest & 255);
    length.unshift(128 | length.length);
  }
  return Buffer.concat([Buffer.from([type, ...length]), body]);
}

function oid(text: string): Buffer {
  const [first = 0, second = 0, ...rest] = text.split(".").map(Number);
  const bytes = [first * 40 + second];
  for (const value of rest) {
    const digits = [value & 127];
    for (let left = value >> 7; left > 0; left >>= 7) digits.unshift(128 | (left & 127));
    for (const digit of digits) bytes.push(digit);
  }
  return der(tag.oid, Buffer.from(bytes));
}

function integer(bytes: Uint8Array): Buffer {
  return der(tag.integer, bytes[0]! > 127 ? Buffer.concat([Buffer.from([0]), bytes]) : bytes);
}

/** Encodes a name of organizations and a common name. */
function distinguishedName(name: string, organizations: readonly string[] = []): Buffer {
  const part = (id: string, text: string): Buffer =>
    der(tag.set, der(tag.sequence, oid(id), der(tag.utf8, Buffer.from(text))));
  return der(tag.sequence, ...organizations.map((each) => part("2.5.4.10", each)), part("2.5.4.3", name));
}

function time(ms: number): Buffer {
  return der(tag.time, Buffer.from(new Date(ms).toISOString().replace(/[-:T]|\.\d+/g, "")));
}

function extension(id: string, critical: boolean, value: Buffer): Buffer {
  return der(tag.sequence, oid(id), ...(critical ? [Buffer.from([1, 1, 255])] : []), der(tag.octetString, value));
}

function address(host: string): Buffer {
  if (isIP(host) === 4) return der(0x87, Buffer.from(host.split(".").map(Number)));
  if (host === "::1") return der(0x87, Buffer.concat([Buffer.alloc(15), Buffer.from([1])]));
  return der(0x82, Buffer.from(host));
}

interface Authority {
  readonly name: string;
  readonly privateKey: KeyObject;
}

const yearMs = 365 * 86_400_000;

/** Period in which certificates are valid, from an hour before `nowMs`. */
interface Validity {
  /** Milliseconds since the epoch. */
  readonly nowMs: number;
  /** Milliseconds from `nowMs` to the end. Default: a year. */
  readonly lifetimeMs?: number | undefined;
}

const ecdsaWithSha256 = der(tag.sequence, oid("1.2.840.10045.4.3.2"));

function certificate({
  name,
  organizations = [],
  publicKey,
  signer,
  validity: { nowMs, lifetimeMs = yearMs },
  extensions,
}: {
  name: string;
  organizations?: readonly string[];
  publicKey: KeyObject;
  signer: Authority;
  validity: Validity;
  extensions: Buffer[];
}): Buffer {
  const serial = randomBytes(16);
  serial[0] = (serial[0]! & 127) | 1;
  const tbs = der(
    tag.sequence,
    der(0xa0, integer(Buffer.from([2]))),
    integer(serial),
    ecdsaWithSha256,
    distinguishedName(signer.name),
    der(tag.sequence, time(nowMs - 3_600_000), time(nowMs + lifetimeMs)),
    distinguishedName(name, organizations),
    publicKey.export({ type: "spki", format: "der" }),
    der(0xa3, der(tag.sequence, ...extensions)),
  );
  const signature = createSign("SHA256").update(tbs).sign(signer.privateKey);
  return der(tag.sequence, tbs, ecdsaWithSha256, der(tag.bitString, Buffer.from([0]), signature));
}

function pem(bytes: Buffer): string {
  return `-----BEGIN CERTIFICATE-----\n${bytes
    .toString("base64")
    .replace(/(.{64})/g, "$1\n")
    .trimEnd()}\n-----END CERTIFICATE-----\n`;
}

function keyIdentifier(key: KeyObject): Buffer {
  return createHash("sha1")
    .update(key.export({ type: "spki", format: "der" }))
    .digest();
}

const usages = { server: "1.3.6.1.5.5.7.3.1", client: "1.3.6.1.5.5.7.3.2" };

/** A certificate and its private key, in PEM. */
export interface KeyPair {
  /** Certificate, followed by that of the authority. */
  readonly cert: string;
  /** Private key. */
  readonly key: string;
}

/** A certificate authority for tests. */
export interface CertificateAuthority {
  /** Certificate of the authority, in PEM. */
  readonly ca: string;
  /** Private key of the authority, in PEM. Together with `ca` it's a `signer` for `createCluster`. */
  readonly key: string;
  /** Creates a server certificate for host names and IP addresses (IPv4 and `::1`). */
  server(hosts: readonly string[]): KeyPair;
  /** Creates the client certificate of a user with groups. */
  client(name: string, groups?: readonly string[]): KeyPair;
}

/**
 * Creates a certificate authority. Its certificates are valid from an hour before `nowMs` (milliseconds since the epoch)
 * to a year after.
 *
 * @example
 * ```ts
 * import { createCertificateAuthority } from "kubestream/apiserver/node";
 *
 * const authority = createCertificateAuthority(Date.now());
 * const jane = authority.client("jane", ["developers"]);
 * console.log(authority.ca.length, jane.cert.length);
 * ```
 */
export function createCertificateAuthority(nowMs: number): CertificateAuthority {
  return createAuthority({ nowMs });
}

/** Creates a certificate authority. `name` is its common name. */
export function createAuthority(validity: Validity, name = "kubestream-ca"): CertificateAuthority {
  const own = generateKeyPairSync("ec", { namedCurve: "P-256" });
  const signer: Authority = { name, privateKey: own.privateKey };
  const subjectKey = (key: KeyObject): Buffer =>
    extension("2.5.29.14", false, der(tag.octetString, keyIdentifier(key)));
  const ca = pem(
    certificate({
      name: signer.name,
      publicKey: own.publicKey,
      signer,
      validity,
      extensions: [
        extension("2.5.29.19", true, der(tag.sequence, Buffer.from([1, 1, 255]))),
        extension("2.5.29.15", true, der(tag.bitString, Buffer.from([2, 0x84]))),
        subjectKey(own.publicKey),
      ],
    }),
  );
  const issue = (
    subject: { name: string; organizations?: readonly string[] },
    usage: string,
    more: readonly Buffer[],
  ): KeyPair => {
    const { publicKey, privateKey } = generateKeyPairSync("ec", { namedCurve: "P-256" });
    const cert = certificate({
      ...subject,
      publicKey,
      signer,
      validity,
      extensions: [
        extension("2.5.29.15", true, der(tag.bitString, Buffer.from([7, 0x80]))),
        extension("2.5.29.37", false, der(tag.sequence, oid(usage))),
        ...more,
        subjectKey(publicKey),
        extension("2.5.29.35", false, der(tag.sequence, der(0x80, keyIdentifier(own.publicKey)))),
      ],
    });
    return { cert: pem(cert) + ca, key: privateKey.export({ type: "pkcs8", format: "pem" }) as string };
  };
  return {
    ca,
    get key() {
      return own.privateKey.export({ type: "pkcs8", format: "pem" }) as string;
    },
    server: (hosts) =>
      issue({ name: "kubestream" }, usages.server, [
        extension("2.5.29.17", false, der(tag.sequence, ...hosts.map(address))),
      ]),
    client: (name, groups = []) => issue({ name, organizations: groups }, usages.client, []),
  };
}

/**
 * Creates a certificate authority and a server certificate for these host names and IP addresses (IPv4 and `::1`). Both
 * are valid from an hour before `nowMs` (milliseconds since the epoch) to a year after.
 *
 * @example
 * ```ts
 * import { createServerCertificate } from "kubestream/apiserver/node";
 *
 * const { ca, cert, key } = createServerCertificate(["localhost", "127.0.0.1"], Date.now());
 * console.log(ca.length, cert.length, key.length);
 * ```
 */
export function createServerCertificate(hosts: readonly string[], nowMs: number): ServerCertificate {
  const authority = createCertificateAuthority(nowMs);
  return { ca: authority.ca, ...authority.server(hosts) };
}
