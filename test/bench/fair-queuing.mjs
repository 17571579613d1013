// Compares fair queuing of the embedded API server and a real kube-apiserver under the same load: a priority level of
// three seats, sixty elephants whose requests hold a seat for three seconds each, and a mouse of twenty readers. Then the
// seats that a list of 1,200 objects costs, and the seats that the level has once it may borrow. The servers are loaded in
// turns, so that neither takes the processor from the other. Needs openssl, for a webhook's certificate.
//
// Usage: node test/bench/fair-queuing.mjs [--kubeconfig FILE | --real URL --token TOKEN] [--seconds 60] [--turns 3] [--json]
import { execFile, execFileSync } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import https from "node:https";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as wait } from "node:timers/promises";
import { fileURLToPath } from "node:url";
import { parseArgs, promisify } from "node:util";
import { connectReal, startOurs } from "./apiserver/server.mjs";

const { values } = parseArgs({
  options: {
    real: { type: "string" },
    token: { type: "string" },
    kubeconfig: { type: "string" },
    seconds: { type: "string", default: "60" },
    turns: { type: "string", default: "3" },
    json: { type: "boolean", default: false },
  },
});
const seconds = Number(values.seconds);
const turns = Number(values.turns);
const elephants = 60;
const readers = 20;
const holdMs = 3000;
const group = "bench";

/** Starts a webhook that admits everything after `holdMs`, so that each write holds its seat for that long. */
async function startSlowWebhook() {
  const folder = mkdtempSync(join(tmpdir(), "bench-"));
  const [keyFile, certFile] = [join(folder, "key.pem"), join(folder, "cert.pem")];
  const words = "req -x509 -newkey rsa:2048 -nodes -days 2 -subj /CN=webhook -addext subjectAltName=IP:127.0.0.1";
  execFileSync("openssl", [...words.split(" "), "-keyout", keyFile, "-out", certFile], { stdio: "ignore" });
  const [key, cert] = [readFileSync(keyFile), readFileSync(certFile)];
  rmSync(folder, { recursive: true });
  const server = https.createServer({ key, cert }, async (request, response) => {
    let text = "";
    for await (const chunk of request) text += chunk;
    await wait(holdMs);
    const { uid } = JSON.parse(text).request;
    response.setHeader("content-type", "application/json");
    response.end(
      JSON.stringify({ apiVersion: "admission.k8s.io/v1", kind: "AdmissionReview", response: { uid, allowed: true } }),
    );
  });
  await new Promise((resolve) => server.listen(0, "127.0.0.1", resolve));
  const close = () => {
    server.closeAllConnections();
    server.close();
  };
  return { url: `https://127.0.0.1:${server.address().port}/`, caBundle: cert.toString("base64"), close };
}

const name = `fair-${Date.now() % 1e7}`;
const flowcontrol = "/apis/flowcontrol.apiserver.k8s.io/v1";
const created = `/api/v1/namespaces/${name}/configmaps?dryRun=All`;
const read = `/api/v1/namespaces/${name}`;

/** Returns a priority level with its FlowSchema. A request may take only a part of a level, so lists have a wide one. */
function levelFor(level, limited, matchingPrecedence, subjects) {
  const resourceRules = [{ verbs: ["*"], apiGroups: ["*"], resources: ["*"], namespaces: ["*"], clusterScope: true }];
  const limitResponse = { type: "Queue", queuing: { queues: 64, handSize: 6, queueLengthLimit: 50 } };
  return [
    [
      `${flowcontrol}/prioritylevelconfigurations`,
      { metadata: { name: level }, spec: { type: "Limited", limited: { ...limited, limitResponse } } },
    ],
    [
      `${flowcontrol}/flowschemas`,
      {
        metadata: { name: level },
        spec: {
          priorityLevelConfiguration: { name: level },
          matchingPrecedence,
          distinguisherMethod: { type: "ByUser" },
          rules: [{ subjects, resourceRules }],
        },
      },
    ],
  ];
}

/** Returns the objects of the load, as pairs of a collection and an object. */
function objectsFor({ url, caBundle }) {
  const metadata = { name };
  const narrow = { nominalConcurrencyShares: 1, borrowingLimitPercent: 0 };
  return [
    ["/api/v1/namespaces", { metadata: { name, labels: { slow: name } } }],
    [
      "/apis/rbac.authorization.k8s.io/v1/clusterrolebindings",
      {
        metadata,
        roleRef: { apiGroup: "rbac.authorization.k8s.io", kind: "ClusterRole", name: "cluster-admin" },
        subjects: [{ apiGroup: "rbac.authorization.k8s.io", kind: "Group", name: group }],
      },
    ],
    ...levelFor(name, narrow, 50, [{ kind: "Group", group: { name: group } }]),
    ...levelFor(`${name}-wide`, { nominalConcurrencyShares: 100 }, 40, [{ kind: "User", user: { name: "lister" } }]),
    [
      "/apis/admissionregistration.k8s.io/v1/validatingwebhookconfigurations",
      {
        metadata,
        webhooks: [
          {
            name: "slow.bench.example.com",
            clientConfig: { url, caBundle },
            rules: [{ apiGroups: [""], apiVersions: ["v1"], operations: ["CREATE"], resources: ["configmaps"] }],
            namespaceSelector: { matchLabels: { slow: name } },
            sideEffects: "None",
            timeoutSeconds: 30,
            admissionReviewVersions: ["v1"],
          },
        ],
      },
    ],
  ];
}

function as(user) {
  return { "impersonate-user": user, "impersonate-group": group };
}

async function statusOf(server, method, path, body, headers) {
  const response = await server.open(method, path, body, headers);
  response.resume();
  await new Promise((resolve, reject) => response.on("end", resolve).on("error", reject));
  return response.statusCode;
}

/** Sends requests one after the other until `until`, and records the status and duration of each. */
async function loop(until, records, send) {
  while (performance.now() < until) {
    const start = performance.now();
    const status = await send();
    records.push({ status, ms: performance.now() - start });
    if (status === 429) await wait(100);
  }
}

function percentile(records, part) {
  const times = records.map(({ ms }) => ms).sort((a, b) => a - b);
  return times[Math.min(times.length - 1, Math.floor(times.length * part))] ?? Number.NaN;
}

/** Returns the value of a metric of a level, or the sum of its series. */
async function metric(server, family, level = name) {
  const response = await server.open("GET", "/metrics");
  let text = "";
  for await (const chunk of response) text += chunk;
  const lines = text
    .split("\n")
    .filter((line) => line.startsWith(`${family}{`) && line.includes(`priority_level="${level}"`));
  return lines.reduce((sum, line) => sum + Number(line.slice(line.lastIndexOf(" "))), 0);
}

/** Returns the number of seats that a list of 1,200 Secrets costs. */
async function measureWidth(server) {
  const path = `/api/v1/namespaces/${name}/secrets`;
  const body = (i) => JSON.stringify({ metadata: { name: `s${i}` }, data: { value: "eHh4".repeat(400) } });
  for (let i = 0; i < 1200; i += 20)
    await Promise.all(Array.from({ length: 20 }, (_, at) => server.send("POST", path, body(i + at))));
  // The estimate uses a count that is refreshed once a minute at most on the real server.
  await wait(130_000);
  const family = "apiserver_flowcontrol_work_estimated_seats_sum";
  const before = await metric(server, family, `${name}-wide`);
  await statusOf(server, "GET", path, undefined, as("lister"));
  return (await metric(server, family, `${name}-wide`)) - before;
}

/** Lifts the limit of borrowing under load, and returns the level's seats before and after three adjustments. */
async function measureBorrowing(server, created) {
  const family = "apiserver_flowcontrol_current_limit_seats";
  const before = await metric(server, family);
  const patch = JSON.stringify([{ op: "remove", path: "/spec/limited/borrowingLimitPercent" }]);
  await server.send("PATCH", `${flowcontrol}/prioritylevelconfigurations/${name}`, patch, {
    "content-type": "application/json-patch+json",
  });
  const until = performance.now() + 35_000;
  const send = (i) =>
    statusOf(server, "POST", created, JSON.stringify({ metadata: { name: `b${i}` } }), as("elephant"));
  const loads = Array.from({ length: elephants }, (_, i) => loop(until, [], () => send(i)));
  await wait(33_000);
  const after = await metric(server, family);
  await Promise.all(loads);
  return [before, after];
}

/** Records of a server's load. */
const emptyRecords = () => ({ writes: [], reads: [], readMs: 0 });

const readersProgram = fileURLToPath(new URL("./apiserver/readers.mjs", import.meta.url));

/** Reads as the mouse, in another process, and returns the records. */
async function readAsMouse({ url, token }, forMs) {
  const options = { url, token, path: read, headers: as("mouse"), readers, forMs };
  const { stdout } = await promisify(execFile)(process.execPath, [readersProgram, JSON.stringify(options)], {
    maxBuffer: 256 * 1024 * 1024,
  });
  return JSON.parse(stdout);
}

/** Loads a server with elephants and a mouse for a turn. */
async function turn(server, records, turnMs) {
  const until = performance.now() + 2 * holdMs + turnMs;
  const loads = Array.from({ length: elephants }, (_, i) =>
    loop(until, records.writes, () =>
      statusOf(server, "POST", created, JSON.stringify({ metadata: { name: `c${i}` } }), as("elephant")),
    ),
  );
  // The mouse comes when the elephants' queues are full.
  await wait(2 * holdMs);
  records.readMs += until - performance.now();
  loads.push(readAsMouse(server, until - performance.now()).then((reads) => records.reads.push(...reads)));
  await Promise.all(loads);
}

function summarize(server, { writes, reads, readMs }, [seats, borrowing], width) {
  return {
    server: server.name,
    readsPerSecond: (reads.length * 1000) / readMs,
    p50: percentile(reads, 0.5),
    p99: percentile(reads, 0.99),
    refusedReads: reads.filter(({ status }) => status === 429).length,
    failedReads: reads.filter(({ status }) => status !== 200 && status !== 429).length,
    writes: writes.filter(({ status }) => status === 201).length,
    refusedWrites: writes.filter(({ status }) => status === 429).length,
    seats,
    seatsAfterBorrowing: borrowing,
    seatsOfAList: width,
  };
}

async function compareServers(all, webhook) {
  const objects = objectsFor(webhook);
  for (const server of all)
    for (const [path, object] of objects) await server.send("POST", path, JSON.stringify(object));
  // The real server's flow control and admission learn of objects through watches.
  await wait(3000);
  const records = all.map(emptyRecords);
  for (let at = 0; at < turns; at += 1)
    for (const [index, server] of all.entries()) await turn(server, records[index], (seconds * 1000) / turns);
  const borrowing = await Promise.all(all.map((server) => measureBorrowing(server, created)));
  const widths = await Promise.all(all.map(measureWidth));
  for (const server of all)
    for (const [path, object] of objects.toReversed())
      await server.send("DELETE", `${path}/${object.metadata.name}`).catch(() => undefined);
  return all.map((server, index) => summarize(server, records[index], borrowing[index], widths[index]));
}

const servers = [await startOurs({ tls: false })];
if (values.real !== undefined || values.kubeconfig !== undefined) servers.push(connectReal(values));
else console.error("no real server given: --kubeconfig FILE, or --real URL --token TOKEN");
const webhook = await startSlowWebhook();
try {
  const results = await compareServers(servers, webhook);
  if (values.json) console.log(JSON.stringify(results));
  else console.table(results);
} finally {
  webhook.close();
  for (const server of servers) await server.close();
}
