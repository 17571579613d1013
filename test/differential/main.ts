// Sends the same requests to a real kube-apiserver and to ours, and reports where the answers differ.
//
// PROBE_KUBECONFIG=… tsx test/differential/main.ts [--only GLOB]… [--limit N] [--summary]
//
// PROBE_SERVER names the kind of the real server, if it isn't the usual one; only topics for this kind run.
import { parseArgs } from "node:util";
import { cbor } from "../../src/codec/cbor/cbor.js";
import { protobuf } from "../../src/codec/protobuf/protobuf.js";
import type { Difference } from "./compare.js";
import { comparable, differences } from "./compare.js";
import type { ServerKind, Step, Topic } from "./probe.js";
import type { Server } from "./servers.js";
import { ownServer, realServer } from "./servers.js";
import { topics } from "./topics/index.js";

const { values } = parseArgs({
  options: {
    only: { type: "string", multiple: true },
    limit: { type: "string" },
    summary: { type: "boolean" },
    verbose: { type: "boolean" },
  },
});
const limit = Number(values.limit ?? 12);

type Variables = Record<string, string>;

function glob(pattern: string): RegExp {
  return new RegExp(
    `^${pattern
      .split("*")
      .map((part) => part.replace(/[.+?^${}()|[\]\\]/g, "\\$&"))
      .join(".*")}$`,
  );
}

const only = (values.only ?? ["*"]).map(glob);

function fill<T>(value: T, variables: Variables): T {
  if (typeof value === "string")
    return value.replace(/\$\{(\w+)\}/g, (whole, name: string) => variables[name] ?? whole) as T;
  if (value instanceof Uint8Array || typeof value !== "object" || value === null) return value;
  if (Array.isArray(value)) return value.map((each) => fill(each, variables) as unknown) as T;
  return Object.fromEntries(
    Object.entries(value).map(([key, each]) => [fill(key, variables), fill(each as unknown, variables)]),
  ) as T;
}

function at(body: unknown, pointer: string): unknown {
  let value = body;
  for (const part of pointer.split("/").slice(1)) value = (value as Record<string, unknown> | undefined)?.[part];
  return value;
}

const mediaTypes = {
  json: "application/json",
  protobuf: "application/vnd.kubernetes.protobuf",
  cbor: "application/cbor",
} as const;

function encoded(json: unknown, encoding: Step["encode"]): string | Uint8Array {
  if (encoding === undefined) return JSON.stringify(json);
  return (encoding === "cbor" ? cbor() : protobuf()).encode(json as object);
}

async function ask(server: Server, given: Step, variables: Variables): Promise<Record<string, unknown>> {
  const step = fill(given, variables);
  if (step.compact !== undefined) await server.compact(Number(step.compact));
  if (step.pauseMs !== undefined) await new Promise((resolve) => setTimeout(resolve, step.pauseMs));
  const token = step.token ?? "admin-token";
  const body = step.json === undefined ? step.raw : encoded(step.json, step.encode);
  const headers: Record<string, string> = {
    "user-agent": "probe/1",
    ...(token === "" ? {} : { authorization: `Bearer ${token}` }),
    ...(step.json === undefined ? {} : { "content-type": mediaTypes[step.encode ?? "json"] }),
    ...step.headers,
  };
  let answer = await server.send(step.method, step.path, headers, body);
  for (let tries = 0; step.until !== undefined && answer.status !== step.until && tries < 60; tries += 1) {
    await new Promise((resolve) => setTimeout(resolve, 200));
    answer = await server.send(step.method, step.path, headers, body);
  }
  if (step.capture !== undefined) {
    const parsed = JSON.parse(new TextDecoder().decode(answer.body)) as unknown;
    for (const [name, pointer] of Object.entries(step.capture)) variables[name] = String(at(parsed, pointer));
  }
  return comparable(answer, step);
}

/** Cuts two texts to start shortly before their first difference. */
function cutToDifference(wanted: unknown, got: unknown): readonly [unknown, unknown] {
  if (typeof wanted !== "string" || typeof got !== "string") return [wanted, got];
  let at = 0;
  while (at < wanted.length && wanted[at] === got[at]) at += 1;
  const cut = (text: string): string => (at > 60 ? `…${text.slice(at - 40, at + 200)}` : text.slice(0, 260));
  return [cut(wanted), cut(got)];
}

const show = (value: unknown): string => {
  const text = JSON.stringify(value) ?? "absent";
  return text.length > 700 ? `${text.slice(0, 700)}…` : text;
};

async function runTopic(topic: Topic, real: Server, own: Server): Promise<{ probes: number; different: number }> {
  const probes = topic.probes.filter(({ id }) => only.some((pattern) => pattern.test(`${topic.name}/${id}`)));
  if (probes.length === 0) return { probes: 0, different: 0 };
  const ns = `p-${topic.name}-${Date.now().toString(36)}`;
  const first: readonly Step[] = [
    { method: "POST", path: "/api/v1/namespaces", json: { metadata: { name: ns } } },
    ...(topic.setup ?? []),
  ];
  const variables: [Variables, Variables] = [{ ns }, { ns }];
  for (const step of first) {
    const [wanted, got] = await Promise.all([ask(real, step, variables[0]), ask(own, step, variables[1])]);
    if (Number(wanted["status"]) >= 300 || Number(got["status"]) >= 300)
      console.log(`${topic.name}: set-up ${step.method} ${step.path}: real ${show(wanted)}, ours ${show(got)}`);
  }
  let different = 0;
  for (const probe of probes) {
    const own_ = { ...variables[1] };
    const real_ = { ...variables[0] };
    const found: (readonly [step: Step, difference: Difference])[] = [];
    for (const step of probe.steps) {
      const [wanted, got] = await Promise.all([ask(real, step, real_), ask(own, step, own_)]);
      // A real server that panics closes the connection without an answer to compare.
      if (wanted["status"] === 0) continue;
      if (values.verbose === true)
        console.log(`  ${step.method} ${step.path} real ${JSON.stringify(wanted)}\n      own ${JSON.stringify(got)}`);
      if (step.silent === true) {
        if (wanted["status"] !== got["status"]) found.push([step, { at: "/status", real: wanted, own: got }]);
      } else found.push(...differences(wanted, got).map((difference) => [step, difference] as const));
    }
    if (found.length === 0) continue;
    different += 1;
    if (values.summary === true) continue;
    console.log(`DIFF ${topic.name}/${probe.id}`);
    for (const [step, { at: place, real: whole, own: other }] of found.slice(0, limit)) {
      const [wanted, got] = cutToDifference(whole, other);
      console.log(`   ${step.method} ${step.path} ${place}\n      real ${show(wanted)}\n      ours ${show(got)}`);
    }
  }
  console.log(`${topic.name}: ${different} of ${probes.length} probes differ`);
  return { probes: probes.length, different };
}

const kubeconfig = process.env["PROBE_KUBECONFIG"];
if (kubeconfig === undefined) throw new Error("PROBE_KUBECONFIG is required: the kubeconfig of a kube-apiserver");
const real = realServer(kubeconfig);
const kind = process.env["PROBE_SERVER"] as ServerKind | undefined;
const own = await ownServer(kind);
let total = 0;
try {
  for (const topic of topics) if (topic.server === kind) total += (await runTopic(topic, real, own)).different;
} finally {
  await real.close();
  await own.close();
}
console.log(`${total} probes differ`);
process.exit(total === 0 ? 0 : 1);
