import { rm, writeFile } from "node:fs/promises";
import { inspect } from "node:util";
import { describe, expect, it } from "vitest";
import { TransportError } from "../../../../src/errors/errors.js";
import { pki, pkiData } from "../local-server.js";
import { call, clusterServer, loginFiles, movableClock, open } from "./login-setup.js";

const { put, kubeconfig } = loginFiles();

describe("TLS verification", () => {
  it.each<[string, string, object, string, RegExp]>([
    [
      "an untrusted authority",
      "server",
      { "certificate-authority-data": pkiData("other-ca.crt") },
      "UNABLE_TO_VERIFY_LEAF_SIGNATURE",
      /authority that is not trusted/,
    ],
    [
      "a certificate for another host name",
      "elsewhere",
      {},
      "ERR_TLS_CERT_ALTNAME_INVALID",
      /certificate is for another host name/,
    ],
    ["an expired certificate", "expired", {}, "CERT_HAS_EXPIRED", /certificate has expired/],
  ])("rejects %s with a TransportError", async (_name, certificate, cluster, code, message) => {
    await using server = await clusterServer(undefined, { certificate });
    await using client = await open(await kubeconfig(server.url, { token: "t0ken" }, cluster));
    const failure = await call(client).catch((error: unknown) => error);
    expect(failure).toBeInstanceOf(TransportError);
    expect((failure as TransportError).code).toBe(code);
    expect((failure as TransportError).message).toMatch(message);
    expect(inspect(failure, { depth: 10 })).not.toContain("t0ken");
    expect(server.seen).toEqual([]);
  });

  it("respects tls-server-name, and accepts any certificate with insecure-skip-tls-verify", async () => {
    await using server = await clusterServer(undefined, { certificate: "elsewhere" });
    await using named = await open(await kubeconfig(server.url, {}, { "tls-server-name": "elsewhere.test" }));
    await call(named);
    await using careless = await open(
      await kubeconfig(server.url, {}, { "certificate-authority-data": "", "insecure-skip-tls-verify": true }),
    );
    await call(careless);
    expect(server.seen.length).toBe(2);
  });

  it("switches to new certificate files within a minute, and keeps the old ones until the new pair matches", async () => {
    await using server = await clusterServer(undefined, { mutual: true });
    const [cert, key] = [await put("c.crt", pki("client.crt")), await put("c.key", pki("client.key"))];
    const clock = movableClock();
    await using client = await open(await kubeconfig(server.url, { "client-certificate": cert, "client-key": key }), {
      clock,
    });
    await call(client);
    await writeFile(cert, pki("client2.crt"));
    clock.advance(61_000);
    await call(client);
    await writeFile(key, pki("client2.key"));
    await call(client);
    clock.advance(61_000);
    await call(client);
    expect(server.seen.map((seen) => seen.subject)).toEqual(["jane", "jane", "jane", "joan"]);
    expect(server.connections()).toBe(2);
  });
});

describe("certificate authority file", () => {
  it("is read again within a minute, and the last valid content stays in use", async () => {
    await using server = await clusterServer();
    const file = await put("ca.crt", pki("other-ca.crt"));
    const clock = movableClock();
    await using client = await open(
      await kubeconfig(server.url, {}, { "certificate-authority-data": undefined, "certificate-authority": file }),
      { clock },
    );
    await expect(call(client)).rejects.toMatchObject({ code: "UNABLE_TO_VERIFY_LEAF_SIGNATURE" });
    await writeFile(file, pki("ca.crt"));
    clock.advance(61_000);
    await call(client);
    await writeFile(file, "nothing");
    clock.advance(61_000);
    await call(client);
    await rm(file);
    clock.advance(61_000);
    await call(client);
    expect(server.seen.length).toBe(3);
  });
});

describe("server that requires a client certificate", () => {
  it.each<[string, object]>([
    ["no certificate", {}],
    [
      "an expired certificate",
      { "client-certificate-data": pkiData("client-expired.crt"), "client-key-data": pkiData("client-expired.key") },
    ],
  ])("causes a TransportError without delay for %s", async (_name, user) => {
    await using server = await clusterServer(undefined, { mutual: true });
    await using client = await open(await kubeconfig(server.url, user));
    const failure = await call(client).catch((error: unknown) => error);
    expect(failure).toBeInstanceOf(TransportError);
    expect((failure as TransportError).message).toMatch(/client certificate|connection closed|connection reset/);
    expect(server.seen).toEqual([]);
  });
});
