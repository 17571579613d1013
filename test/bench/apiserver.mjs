// Measures the embedded API server beside a real kube-apiserver with etcd, in one run on one machine.
// Usage: node test/bench/apiserver.mjs [--real URL --token TOKEN --ca FILE] [--pods 10000] [--watchers 100]
// Each row is told as a ratio: how many times as fast ours is.
import { spawn } from "node:child_process";
import { existsSync, readFileSync } from "node:fs";
import http from "node:http";
import https from "node:https";
import { fileURLToPath } from "node:url";
import { parseArgs } from "node:util";

const { values } = parseArgs({ options: {
  real: { type: "string" }, token: { type: "string" }, ca: { type: "string" }, cert: { type: "string" }, key: { type: "string" },
  pods: { type: "string", default: "10000" }, watchers: { type: "string", default: "100" }, changes: { type: "string", default: "200" },
} });
const pods = Number(values.pods);
const watchers = Number(values.watchers);
const changes = Number(values.changes);

/** One keep-alive connection pool to one server. */
function client(url, options) {
  const base = new URL(url);
  const module = base.protocol === "https:" ? https : http;
  const agent = new module.Agent({ keepAlive: true, maxSockets: 256, ...options.tls });
  const open = (method, path, body, headers = {}) => new Promise((resolve, reject) => {
    const request = module.request({ host: base.hostname, port: base.port, method, path, agent, headers: {
      ...(options.token ? { authorization: `Bearer ${options.token}` } : {}), "accept-encoding": "identity", "user-agent": "bench/1.0",
      ...(body ? { "content-type": "application/json", "content-length": Buffer.byteLength(body) } : {}), ...headers,
    } }, resolve);
    request.on("error", reject);
    request.end(body);
  });
  const send = async (method, path, body, headers) => {
    const response = await open(method, path, body, headers);
    let length = 0;
    for await (const chunk of response) length += chunk.length;
    return { status: response.statusCode, length };
  };
  return { open, send, close: () => agent.destroy() };
}

function pod(name) {
  return JSON.stringify({ apiVersion: "v1", kind: "Pod", metadata: { name, labels: { app: "web", shard: String(name.length % 7) }, annotations: { note: "x".repeat(200) } }, spec: {
    containers: [{ name: "main", image: "registry.example/web:1.2.3", env: Array.from({ length: 10 }, (_, i) => ({ name: `VAR_${i}`, value: `value-${i}` })), ports: [{ containerPort: 8080 }], resources: { requests: { cpu: "100m", memory: "128Mi" } } }],
    nodeSelector: { disk: "ssd" }, tolerations: [{ key: "a", operator: "Exists" }],
  } });
}

const median = (numbers) => [...numbers].sort((a, b) => a - b)[Math.floor(numbers.length / 2)];

async function measure(name, server) {
  const rows = {};
  const ns = `bench-${Date.now() % 1e6}`;
  await server.send("POST", "/api/v1/namespaces", JSON.stringify({ metadata: { name: ns } }));
  await server.send("POST", `/api/v1/namespaces/${ns}/serviceaccounts`, JSON.stringify({ metadata: { name: "default" } }));
  const collection = `/api/v1/namespaces/${ns}/pods`;

  let started = performance.now();
  for (let i = 0; i < 300; i += 1) {
    const { status } = await server.send("POST", collection, pod(`one-${i}`));
    if (status !== 201) throw new Error(`${name}: create answered ${status}`);
  }
  rows["creates, one after the other (ms each)"] = (performance.now() - started) / 300;

  started = performance.now();
  let next = 0;
  await Promise.all(Array.from({ length: 32 }, async () => {
    while (next < pods) {
      const i = next;
      next += 1;
      await server.send("POST", collection, pod(`pod-${i}`));
    }
  }));
  rows[`creates, 32 at a time, ${pods} (ms each)`] = (performance.now() - started) / pods;

  for (const [label, accept] of [["JSON", "application/json"], ["Protobuf", "application/vnd.kubernetes.protobuf"]]) {
    const times = [];
    for (let i = 0; i < 7; i += 1) {
      started = performance.now();
      await server.send("GET", collection, undefined, { accept });
      times.push(performance.now() - started);
    }
    rows[`list of ${pods} pods, ${label}, median (ms)`] = median(times);
    rows[`list of ${pods} pods, ${label}, first (ms)`] = times[0];
  }

  let seen = 0;
  let done;
  const all = new Promise((resolve) => { done = resolve; });
  const expected = watchers * changes;
  const streams = await Promise.all(Array.from({ length: watchers }, async () => {
    const response = await server.open("GET", `/api/v1/namespaces/${ns}/configmaps?watch=1`);
    response.on("data", (chunk) => {
      for (const byte of chunk) if (byte === 10) seen += 1;
      if (seen >= expected) done();
    });
    response.on("error", () => undefined);
    return response;
  }));
  await new Promise((resolve) => setTimeout(resolve, 500));
  seen = 0;
  started = performance.now();
  const config = (i) => JSON.stringify({ metadata: { name: `c-${i}` }, data: { k: "v".repeat(500) } });
  for (let i = 0; i < changes; i += 1) await server.send("POST", `/api/v1/namespaces/${ns}/configmaps`, config(i));
  await Promise.race([all, new Promise((_, reject) => setTimeout(() => reject(new Error(`${name}: only ${seen} of ${expected} events`)), 60_000).unref())]);
  rows[`${changes} changes to ${watchers} watchers (ms)`] = performance.now() - started;
  for (const stream of streams) stream.destroy();
  await server.send("DELETE", `/api/v1/namespaces/${ns}`);
  server.close();
  return rows;
}

const cli = fileURLToPath(new URL("../../dist/cli/main.js", import.meta.url));
if (!existsSync(cli)) throw new Error("build first: npm run build");
const child = spawn(process.execPath, [cli, "apiserver"], { stdio: ["ignore", "pipe", "inherit"] });
const line = await new Promise((resolve) => child.stdout.once("data", (data) => resolve(String(data))));
const { url, kubeconfig } = JSON.parse(line);
const token = /token: (\S+)/.exec(readFileSync(kubeconfig, "utf8"))?.[1];
try {
  const ours = await measure("kubestream", client(url, { token }));
  const read = (file) => (file === undefined ? undefined : readFileSync(file));
  const real = values.real === undefined ? undefined : await measure("kube-apiserver", client(values.real, { token: values.token, tls: values.ca === undefined ? { rejectUnauthorized: false, cert: read(values.cert), key: read(values.key) } : { ca: read(values.ca), cert: read(values.cert), key: read(values.key) } }));
  for (const [row, value] of Object.entries(ours)) {
    const other = real?.[row];
    console.log(`${row.padEnd(48)} ${value.toFixed(2).padStart(9)}${other === undefined ? "" : ` ${other.toFixed(2).padStart(9)}  ours is ${(other / value).toFixed(2)} times as fast`}`);
  }
  if (real === undefined) console.log("no real server given: --real URL --token TOKEN [--ca FILE]");
} finally {
  child.kill("SIGTERM");
}
