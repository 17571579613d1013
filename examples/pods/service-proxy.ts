// Reach an HTTP server in the cluster through the API server's proxy, without a port forward.
import { isServiceUnavailable } from "kubestream";
import { connect } from "kubestream/node";
import { proxyPath } from "kubestream/streams";

const client = await connect();
const service = { resource: "services", namespace: "web", name: "web", port: "http" } as const;
const path = proxyPath(service, "/metrics");
console.log(path);

const response = await client.request({ path, query: { format: "text" }, accept: "*/*" });
console.log(response.status, await response.text());

// A service without ready pods answers 503.
try {
  await client.request({ path: proxyPath({ ...service, name: "idle" }), retry: false });
} catch (error) {
  if (!isServiceUnavailable(error)) throw error;
  console.log(error.status.message);
}
await client.close();
