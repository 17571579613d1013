// Records the answers of a real kube-apiserver to the probes of some topics, as data for the unit tests.
//
// PROBE_KUBECONFIG=… tsx test/differential/record-steps.ts [TOPIC]…
import { writeFileSync } from "node:fs";
import { answerOf, filled, NAMESPACE, recordedTopics } from "../golden/steps/answers.js";
import type { Step } from "./probe.js";
import { realServer } from "./servers.js";
import { topics } from "./topics/index.js";

const kubeconfig = process.env["PROBE_KUBECONFIG"];
if (kubeconfig === undefined) throw new Error("PROBE_KUBECONFIG is required: the kubeconfig of a kube-apiserver");
const server = realServer(kubeconfig);
const wanted = process.argv.length > 2 ? process.argv.slice(2) : Object.keys(recordedTopics);

async function send(given: Step, variables: Record<string, string>): Promise<Record<string, unknown>> {
  const step = filled(given, variables);
  if (step.pauseMs !== undefined) await new Promise((resolve) => setTimeout(resolve, step.pauseMs));
  const headers = {
    authorization: `Bearer ${step.token ?? "admin-token"}`,
    ...(step.json === undefined ? {} : { "content-type": "application/json" }),
    ...step.headers,
  };
  const ask = (): ReturnType<typeof server.send> =>
    server.send(step.method, step.path, headers, step.json === undefined ? step.raw : JSON.stringify(step.json));
  let answer = await ask();
  for (let tries = 0; step.until !== undefined && answer.status !== step.until && tries < 60; tries += 1) {
    await new Promise((resolve) => setTimeout(resolve, 200));
    answer = await ask();
  }
  const body = JSON.parse(new TextDecoder().decode(answer.body)) as Record<string, unknown>;
  for (const [name, pointer] of Object.entries(step.capture ?? {}))
    variables[name] = String(
      pointer
        .split("/")
        .slice(1)
        .reduce<unknown>((value, part) => (value as Record<string, unknown> | undefined)?.[part], body),
    );
  return answerOf(answer.status, answer.headers["warning"], body);
}

await send({ method: "POST", path: "/api/v1/namespaces", json: { metadata: { name: NAMESPACE } } }, {});
for (const name of wanted) {
  const topic = topics.find((each) => each.name === name);
  const fits = recordedTopics[name];
  if (topic === undefined || fits === undefined) throw new Error(`unknown topic ${name}`);
  for (const step of topic.setup ?? []) await send(step, { ns: NAMESPACE });
  const lines: string[] = [];
  for (const { id, steps } of topic.probes) {
    if (!fits.test(id)) continue;
    const variables = { ns: NAMESPACE };
    const answers: Record<string, unknown>[] = [];
    for (const step of steps) {
      const answer = await send(step, variables);
      if (step.silent !== true) answers.push(answer);
    }
    lines.push(` ${JSON.stringify([id, answers])}`);
  }
  writeFileSync(new URL(`../golden/steps/${name}.json`, import.meta.url), `[\n${lines.join(",\n")}\n]\n`);
  console.log(`${name}: ${String(lines.length)} probes`);
}
await server.close();
