// The rows were played on a real kube-controller-manager too, with the same answers; the certificates were equal but for
// their serial numbers, times and signatures.
import { generateKeyPairSync, X509Certificate } from "node:crypto";
import { readFileSync } from "node:fs";
import { describe, expect, it } from "vitest";
import { createAuthority } from "../../../../../src/certificates/authority.js";
import type { Cluster } from "../../../../../src/cluster/cluster.js";
import { createCluster } from "../../../../../src/cluster/create-cluster.js";
import { ConfigError } from "../../../../../src/errors/errors.js";
import {
  CertificateSigningRequest,
  type CertificateSigningRequestSpec,
} from "../../../../../src/kinds/certificates/v1.js";
import { approve, deny } from "../../../../../src/operations/approve.js";

type Usage = NonNullable<CertificateSigningRequestSpec["usages"]>[number];

/** Requests made by `openssl req`: of a kubelet (P-256), of its server (P-384), of a user (Ed25519) and of a robot (RSA). */
type Maker = "node" | "serving" | "user" | "rsa";
const requestOf = (maker: Maker): string =>
  readFileSync(new URL(`../../../../golden/certificate-requests/${maker}.csr`, import.meta.url)).toString("base64");

const kubeletClient = "kubernetes.io/kube-apiserver-client-kubelet";
const kubeletServing = "kubernetes.io/kubelet-serving";
const client = "kubernetes.io/kube-apiserver-client";
const forClients: Usage[] = ["client auth", "digital signature"];
const forServers: Usage[] = ["server auth", "digital signature"];

const start = (): Promise<Cluster> => createCluster({ nodes: 0, time: "virtual", seed: 1 });

interface Wish {
  readonly signerName: string;
  readonly usages: Usage[];
  readonly maker: Maker;
  readonly expirationSeconds?: number;
}

async function create(cluster: Cluster, { signerName, usages, maker, expirationSeconds }: Wish): Promise<void> {
  await cluster.client.resource(CertificateSigningRequest).create({
    metadata: { name: "request" },
    spec: { signerName, usages, request: requestOf(maker), ...(expirationSeconds && { expirationSeconds }) },
  });
  await cluster.settled();
}

const read = (cluster: Cluster): Promise<CertificateSigningRequest | undefined> =>
  cluster.client.resource(CertificateSigningRequest).getOptional("request");

/** Waits until a request has a certificate, and returns it. */
async function certificateOf(cluster: Cluster): Promise<X509Certificate> {
  const request = await cluster.until(
    CertificateSigningRequest,
    "request",
    (each) => (each?.status?.certificate ?? "") !== "",
  );
  return new X509Certificate(Buffer.from(request!.status!.certificate!, "base64"));
}

describe("certificate signing requests in a cluster", () => {
  it("of a kubelet for a client certificate are approved and signed", async () => {
    await using cluster = await start();
    await create(cluster, { signerName: kubeletClient, usages: forClients, maker: "node" });
    const certificate = await certificateOf(cluster);
    expect(certificate.subject).toBe("O=system:nodes\nCN=system:node:node-1");
    expect(certificate.keyUsage).toEqual(["1.3.6.1.5.5.7.3.2"]);
    expect((await read(cluster))?.status?.conditions).toMatchObject([{ type: "Approved", reason: "AutoApproved" }]);
  });

  const refused: readonly [message: string, wish: Wish][] = [
    ["usages did not match", { signerName: kubeletClient, usages: ["client auth"], maker: "node" }],
    ["DNS subjectAltNames are not allowed", { signerName: kubeletClient, usages: forClients, maker: "serving" }],
    ["subject organization is not system:nodes", { signerName: kubeletClient, usages: forClients, maker: "user" }],
    ["DNS or IP subjectAltName is required", { signerName: kubeletServing, usages: forServers, maker: "node" }],
    ["invalid usage for client certificate: server auth", { signerName: client, usages: forServers, maker: "user" }],
  ];
  it.each(refused)("fail with %j once they are approved", async (message, wish) => {
    await using cluster = await start();
    await create(cluster, wish);
    expect((await read(cluster))?.status?.conditions).toBeUndefined();
    await approve(cluster.client.resource(CertificateSigningRequest), "request");
    await cluster.settled();
    expect((await read(cluster))?.status?.conditions).toMatchObject([
      { type: "Approved" },
      { type: "Failed", reason: "SignerValidationFailure", message: expect.stringContaining(message) as string },
    ]);
  });

  const signed: readonly [wish: Wish, minutes: number, names: string | undefined][] = [
    [{ signerName: kubeletServing, usages: forServers, maker: "serving" }, 525_600, "DNS:node-1, IP Address:10.0.0.1"],
    [{ signerName: client, usages: forClients, maker: "user", expirationSeconds: 600 }, 15, undefined],
    [{ signerName: client, usages: forClients, maker: "rsa", expirationSeconds: 86_400 }, 1_440, undefined],
  ];
  it.each(signed)("are signed for %j by the cluster's authority, for %i minutes", async (wish, minutes, names) => {
    const nowMs = Date.UTC(2026, 0, 1);
    const { ca, key } = createAuthority({ nowMs, lifetimeMs: 20 * 365 * 86_400_000 }, "signer");
    await using cluster = await createCluster({ nodes: 0, time: "virtual", seed: 1, signer: { cert: ca, key } });
    await create(cluster, wish);
    expect((await read(cluster))?.status?.conditions).toBeUndefined();
    await approve(cluster.client.resource(CertificateSigningRequest), "request");
    const certificate = await certificateOf(cluster);
    const authority = new X509Certificate(ca);
    expect(certificate.verify(authority.publicKey)).toBe(true);
    expect(certificate.checkIssued(authority)).toBe(true);
    expect(certificate.subjectAltName).toBe(names);
    // Certificates begin five minutes before they are signed. Those that live for long end five minutes earlier.
    expect((Date.parse(certificate.validTo) - Date.parse(certificate.validFrom)) / 60_000).toBe(minutes);
  });

  const { ca, key: ecKey } = createAuthority({ nowMs: 0, lifetimeMs: 86_400_000 }, "signer");
  const cut = (pem: string): string => pem.replace(/\n[^-]+\n/, "\nMIIB\n");
  const { privateKey: edKey } = generateKeyPairSync("ed25519", {
    publicKeyEncoding: { type: "spki", format: "pem" },
    privateKeyEncoding: { type: "pkcs8", format: "pem" },
  });
  it.each([
    ["a certificate that isn't PEM", { cert: "x", key: ecKey }, "signer.cert must be a certificate in PEM"],
    ["a certificate that is cut off", { cert: cut(ca), key: ecKey }, "signer.cert must be a certificate in PEM"],
    ["a key that isn't base64", { cert: ca, key: ecKey.replace("M", "?") }, "signer.key must be an EC or RSA key"],
    ["a certificate in place of the key", { cert: ca, key: ca }, "signer.key must be an EC or RSA key"],
    ["a key that is cut off", { cert: ca, key: cut(ecKey) }, "signer.key must be an EC or RSA key"],
    ["a key of another kind", { cert: ca, key: edKey }, "signer.key must be an EC or RSA key"],
  ])("can't be signed with %s, which createCluster refuses", async (_what, signer, message) => {
    const refused = createCluster({ nodes: 0, signer });
    await expect(refused).rejects.toThrow(message);
    await expect(refused).rejects.toBeInstanceOf(ConfigError);
  });

  it("of other signers and denied ones stay without a certificate", async () => {
    await using cluster = await start();
    await create(cluster, { signerName: "example.com/own", usages: forClients, maker: "user" });
    await approve(cluster.client.resource(CertificateSigningRequest), "request");
    await cluster.advance("1m");
    expect((await read(cluster))?.status?.certificate).toBeUndefined();
  });

  it.each([
    ["denied", 60],
    ["undecided", 1_440],
  ])("that are %s are deleted after %i minutes", async (state, minutes) => {
    await using cluster = await start();
    await create(cluster, { signerName: client, usages: forClients, maker: "user" });
    if (state === "denied") await deny(cluster.client.resource(CertificateSigningRequest), "request");
    await cluster.advance((minutes - 1) * 60_000);
    expect(await read(cluster)).toBeDefined();
    await cluster.advance(120_000);
    expect(await read(cluster)).toBeUndefined();
  });
});
