// Replaces the programs that an envtest.Environment starts. `etcd` answers its health check and stores nothing.
// `kube-apiserver` reads the flags of a kube-apiserver and serves the embedded server.
import { readFileSync } from "node:fs";
import { createServer } from "node:http";
import { connect } from "node:net";
import { join } from "node:path";
import { createServer as createTlsServer } from "node:tls";
import type { UserInfo } from "kubestream/apiserver";
import { createApiServer } from "kubestream/apiserver";
import { listen, nodeWebhookCaller } from "kubestream/apiserver/node";

type Flags = Readonly<Record<string, string | undefined>>;

/** Parses flags. Envtest writes every flag as `--name=value`; the shim ignores unknown ones. */
function parseFlags(words: readonly string[]): Flags {
  return Object.fromEntries(words.map((word) => /^--([^=]+)=?(.*)$/s.exec(word)!.slice(1)) as [string, string][]);
}

function runEtcd(flags: Flags): void {
  const { hostname, port } = new URL(flags["listen-client-urls"]!);
  createServer((_, response) => response.end('{"health":"true"}')).listen(Number(port), hostname);
}

/**
 * Serves TLS on the port of the flags. Envtest's users have client certificates, which the embedded server doesn't
 * support. So the shim terminates TLS, forwards the bytes to an inner plain port, and gives the requests of each
 * connection a bearer token for the certificate's user.
 */
async function runApiServer(flags: Flags): Promise<void> {
  const tokens = new Map<string, UserInfo>();
  const tokenByPort = new Map<number, string | undefined>();
  const server = createApiServer({
    tokens,
    authorizationMode: flags["authorization-mode"] === "RBAC" ? "RBAC" : "AlwaysAllow",
    // A kube-apiserver runs no controllers, and envtest starts no kube-controller-manager.
    controllers: false,
    webhooks: nodeWebhookCaller,
    onError: console.error,
  });
  const inner = await listen(server, {
    intercept(request) {
      const token = tokenByPort.get(request.socket.remotePort!);
      if (token !== undefined) request.headers.authorization = `Bearer ${token}`;
      return false;
    },
  });

  const pem = (name: string): string => readFileSync(join(flags["cert-dir"]!, name), "utf8");
  const tls = {
    cert: pem("apiserver.crt"),
    key: pem("apiserver.key"),
    ALPNProtocols: ["h2", "http/1.1"],
    requestCert: true,
    rejectUnauthorized: false,
    ca: readFileSync(flags["client-ca-file"]!, "utf8"),
  };
  const outer = createTlsServer(tls, (client) => {
    const { subject, fingerprint256 } = client.getPeerCertificate();
    if (client.authorized) {
      const [name = ""] = [subject.CN ?? []].flat();
      tokens.set(fingerprint256, { name, uid: "", groups: [subject.O ?? []].flat(), extra: {} });
    }
    const upstream = connect(inner.port, "127.0.0.1", () => {
      // Ports are reused, so a connection without a certificate must remove the previous entry.
      tokenByPort.set(upstream.localPort!, client.authorized ? fingerprint256 : undefined);
      client.pipe(upstream).pipe(client);
    });
    client.setNoDelay(true);
    upstream.setNoDelay(true);
    client.on("error", () => client.destroy()).on("close", () => upstream.destroy());
    upstream.on("error", () => upstream.destroy()).on("close", () => client.destroy());
  });
  const [host, port] = [flags["bind-address"] ?? "127.0.0.1", Number(flags["secure-port"])];
  await server.advertise(host, port);
  outer.on("tlsClientError", () => undefined).listen(port, host);
}

const [program, ...words] = process.argv.slice(2);
if (words.includes("--help")) {
  // Envtest reads this output to find flags that only some versions have.
  console.log("The shim has none of the flags that envtest looks for.");
} else {
  process.once("SIGTERM", () => process.exit(0));
  // A killed test binary leaves its children behind.
  const parent = process.ppid;
  setInterval(() => {
    if (process.ppid !== parent) process.exit(1);
  }, 1000);
  if (program === "etcd") runEtcd(parseFlags(words));
  else await runApiServer(parseFlags(words));
}
