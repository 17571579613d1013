// Serves the page with Vite and the clusters with a proxy, on one port.
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { fileURLToPath } from "node:url";
import { handlerTransport } from "kubestream";
import { listen } from "kubestream/apiserver/node";
import { openTransport, proxyHandlers } from "kubestream/node";
import { createProxy, type ProxyCluster, readRules } from "kubestream/proxy";
import { createServer as createVite } from "vite";
import { keepBusy, startCluster } from "./embedded.js";

const contexts = process.argv.slice(2).filter((word) => !word.startsWith("--"));
const stop = new AbortController();
const ends: (() => Promise<void>)[] = [];

async function embedded(nodes: number): Promise<ProxyCluster> {
  const cluster = await startCluster(nodes);
  const listener = await listen(cluster.server);
  const { transport } = await openTransport({ server: listener.url });
  if (!process.argv.includes("--calm")) keepBusy(cluster, stop.signal);
  ends.push(() => transport.close().then(listener.close).then(cluster.close));
  // Requests stay in the process; commands in pods need a WebSocket, and so the port.
  const direct = handlerTransport(cluster.server.handle);
  return { transport: { ...transport, send: (request) => direct.send(request) } };
}

async function context(name: string): Promise<[string, ProxyCluster]> {
  const { transport } = await openTransport({ context: name });
  ends.push(() => transport.close());
  return [name.replace(/[^\w.:@-]+/g, "-"), { transport }];
}

const clusters: Record<string, ProxyCluster> =
  contexts.length > 0
    ? Object.fromEntries(await Promise.all(contexts.map(context)))
    : { east: await embedded(3), west: await embedded(2) };

// "none": the page acts with your rights, and only this machine reaches it.
const handlers = proxyHandlers(
  createProxy({ clusters, authenticate: "none", allow: [...readRules, { resources: ["*", "pods/exec"] }] }),
);
const isCluster = (url = ""): boolean => /^\/clusters(?:[/?]|$)/.test(url);
const http = createServer((request, response) => {
  if (isCluster(request.url)) handlers.request(request, response);
  else vite.middlewares(request, response);
});
http.on("upgrade", (request, socket, head) => {
  if (isCluster(request.url)) handlers.upgrade(request, socket, head);
});
const vite = await createVite({
  root: fileURLToPath(new URL(".", import.meta.url)),
  configFile: false,
  logLevel: "warn",
  server: { middlewareMode: true, hmr: { server: http } },
});
const port = Number(process.env["PORT"] ?? 5173);
http.listen(port, "127.0.0.1", () => console.log(`http://127.0.0.1:${(http.address() as AddressInfo).port}`));

for (const signal of ["SIGINT", "SIGTERM"] as const)
  process.once(signal, () => {
    stop.abort();
    http.close();
    http.closeAllConnections();
    void Promise.all([vite.close(), ...ends.map((end) => end())]).then(() => process.exit(0));
  });
