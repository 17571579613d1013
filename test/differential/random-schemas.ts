// Defines custom resources with random schemas on a real kube-apiserver and on ours, sends random objects to both, and
// reports where the answers differ.
//
// PROBE_KUBECONFIG=… tsx test/differential/random-schemas.ts [--count N] [--seed N]
//
// A seed always gives the same definition and the same requests: `--seed N --count 1` repeats it.
import { parseArgs } from "node:util";
import type { Difference } from "./compare.js";
import { comparable, differences } from "./compare.js";
import type { Step } from "./probe.js";
import type { Draw } from "./random/draw.js";
import { drawFrom } from "./random/draw.js";
import { changedSchema, changedValue, randomSchema, randomValue } from "./random/schemas.js";
import type { Server } from "./servers.js";
import { ownServer, realServer } from "./servers.js";

type Json = Record<string, unknown>;

const { values } = parseArgs({
  options: {
    count: { type: "string" },
    seed: { type: "string" },
    verbose: { type: "boolean" },
  },
});
const kubeconfig = process.env["PROBE_KUBECONFIG"];
if (kubeconfig === undefined) throw new Error("PROBE_KUBECONFIG is required: the kubeconfig of a kube-apiserver");
const servers = { real: realServer(kubeconfig), own: await ownServer() };
const first = Number(values.seed ?? Date.now() % 1_000_000);
const count = Number(values.count ?? 50);
const run = Date.now().toString(36);
const definitions = "/apis/apiextensions.k8s.io/v1/customresourcedefinitions";
const delay = (ms: number): Promise<void> => new Promise((resolve) => setTimeout(resolve, ms));

async function ask(server: Server, step: Step): Promise<{ answer: Json; parsed: Json }> {
  const headers = {
    "user-agent": "probe/1",
    authorization: "Bearer admin-token",
    ...(step.json === undefined ? {} : { "content-type": "application/json" }),
    ...step.headers,
  };
  const answer = await server.send(
    step.method,
    step.path,
    headers,
    step.json === undefined ? step.raw : JSON.stringify(step.json),
  );
  const text = new TextDecoder().decode(answer.body);
  return { answer: comparable(answer, step), parsed: text.startsWith("{") ? (JSON.parse(text) as Json) : {} };
}

/** Cuts a text to start shortly before its first difference from another. */
function cutToDifference(value: unknown, other: unknown): unknown {
  if (typeof value !== "string" || typeof other !== "string") return value;
  let at = 0;
  while (at < value.length && value[at] === other[at]) at += 1;
  return `${at > 80 ? "…" : ""}${value.slice(Math.max(0, at - 80), at + 300)}`;
}

/** One definition with its objects and the differences found. */
class Case {
  readonly #draw: Draw;
  readonly #group: string;
  readonly #seed: number;
  #schema: { spec: Json; status: Json };
  readonly #status: boolean;
  /** Resource versions on the two servers. */
  #versions: [string, string] = ["", ""];
  #stored: Json | undefined;
  readonly found: string[] = [];
  requests = 0;

  constructor(seed: number) {
    this.#seed = seed;
    this.#draw = drawFrom(seed, 7);
    this.#group = `s${String(seed)}-${run}.rand.dev`;
    this.#schema = this.#drawn();
    this.#status = this.#draw.chance(0.5);
  }

  #drawn(): { spec: Json; status: Json } {
    const draw = this.#draw;
    const spec = randomSchema(draw, 3);
    return {
      spec:
        spec["type"] === "object"
          ? spec
          : { type: "object", properties: { a: spec, b: randomSchema(draw, 2), c: randomSchema(draw, 2) } },
      status: randomSchema(draw, 1),
    };
  }

  get #root(): Json {
    return {
      type: "object",
      properties: this.#schema,
      ...(this.#seed % 5 === 0
        ? {
            "x-kubernetes-validations": [
              { rule: "!has(self.spec) || !has(oldSelf.spec) || has(self.spec.a) || !has(oldSelf.spec.a)" },
              { rule: "has(self.spec)" },
            ],
          }
        : {}),
    };
  }

  get #collection(): string {
    return `/apis/${this.#group}/v1/things`;
  }

  get #versionSpec(): Json {
    return {
      name: "v1",
      served: true,
      storage: true,
      schema: { openAPIV3Schema: this.#root },
      ...(this.#status ? { subresources: { status: {} } } : {}),
    };
  }

  async send(step: Step, quiet = false): Promise<{ readonly real: Json; readonly own: Json; readonly answer: Json }> {
    const versioned = (version: string): Step => JSON.parse(JSON.stringify(step).replaceAll("${rv}", version)) as Step;
    const [real, own] = await Promise.all([
      ask(servers.real, versioned(this.#versions[0])),
      ask(servers.own, versioned(this.#versions[1])),
    ]);
    this.requests += 1;
    if (values.verbose === true)
      console.log(
        `${step.method} ${step.path} ${JSON.stringify(step.json ?? step.raw)}\n   real ${JSON.stringify(real.answer)}\n   ours ${JSON.stringify(own.answer)}`,
      );
    const found = differences(real.answer, own.answer);
    if (!quiet && found.length > 0) this.#tell(step, found);
    return { real: real.parsed, own: own.parsed, answer: real.answer };
  }

  #tell(step: Step, found: readonly Difference[]): void {
    const shown = found
      .filter(
        ({ at }) => !at.startsWith("/body/details/causes") || !found.some((other) => other.at === "/body/message"),
      )
      .slice(0, 3);
    const text = (value: unknown): string => (JSON.stringify(value) ?? "absent").slice(0, 3000);
    this.found.push(
      `seed ${String(this.#seed)} ${step.method} ${step.path.replace(this.#group, "G")} ${text(step.json ?? step.raw)}\n   before ${text(this.#stored?.["spec"])} status ${text(this.#stored?.["status"])}\n   schema ${JSON.stringify(this.#schema)}\n${shown.map(({ at, real, own }) => `   ${at}\n      real ${text(cutToDifference(real, own))}\n      ours ${text(cutToDifference(own, real))}`).join("\n")}`,
    );
  }

  /** Creates the definition. If both servers reject it, draws another one, a limited number of times. */
  async define(): Promise<boolean> {
    for (let tries = 0; tries < 8; tries += 1) {
      if (await this.#define()) return true;
      this.#schema = this.#drawn();
    }
    return false;
  }

  async #define(): Promise<boolean> {
    const made = await this.send({
      method: "POST",
      path: definitions,
      json: {
        apiVersion: "apiextensions.k8s.io/v1",
        kind: "CustomResourceDefinition",
        metadata: { name: `things.${this.#group}` },
        spec: {
          group: this.#group,
          scope: "Cluster",
          names: { plural: "things", kind: "Thing" },
          versions: [this.#versionSpec],
        },
      },
      ignore: ["/status/conditions/*/lastTransitionTime"],
    });
    return made.answer["status"] === 201;
  }

  async served(): Promise<void> {
    for (let tries = 0; tries < 60; tries += 1) {
      const answers = await Promise.all([
        ask(servers.real, { method: "GET", path: this.#collection }),
        ask(servers.own, { method: "GET", path: this.#collection }),
      ]);
      if (answers.every(({ answer }) => answer["status"] === 200)) return;
      await delay(200);
    }
    throw new Error(`${this.#group} is not served`);
  }

  #object(spec: unknown, status?: unknown): Json {
    return {
      apiVersion: `${this.#group}/v1`,
      kind: "Thing",
      metadata: { name: "x" },
      spec,
      ...(status === undefined ? {} : { status }),
    };
  }

  async #read(): Promise<void> {
    const { real, own, answer } = await this.send({ method: "GET", path: `${this.#collection}/x` });
    if (answer["status"] !== 200) {
      this.#stored = undefined;
      return;
    }
    const version = (object: Json): string =>
      String((object["metadata"] as Json | undefined)?.["resourceVersion"] ?? "");
    this.#stored = real;
    this.#versions = [version(real), version(own)];
  }

  async objects(): Promise<void> {
    const draw = this.#draw;
    const query = (): string => draw.pick(["", "", "", "&fieldValidation=Strict", "&fieldValidation=Ignore"]);
    for (let at = 0; at < 6; at += 1) {
      const object = this.#object(
        randomValue(draw, this.#schema.spec, 0.08),
        draw.chance(0.3) ? randomValue(draw, this.#schema.status, 0.1) : undefined,
      );
      if (draw.chance(0.3))
        await this.send({
          method: "PATCH",
          path: `${this.#collection}/x?dryRun=All&fieldManager=m${query()}`,
          headers: { "content-type": "application/apply-patch+yaml" },
          raw: JSON.stringify(object),
        });
      else await this.send({ method: "POST", path: `${this.#collection}?dryRun=All${query()}`, json: object });
    }
    for (let at = 0; at < 12; at += 1) {
      const made = await this.send({
        method: "POST",
        path: this.#collection,
        json: this.#object(
          randomValue(draw, this.#schema.spec, at < 6 ? 0.03 : 0),
          draw.chance(0.3) ? randomValue(draw, this.#schema.status, 0) : undefined,
        ),
      });
      if (made.answer["status"] === 201) break;
    }
    await this.#read();
    await this.changes(8);
  }

  /** Changes the schema of the definition; stored objects stay. */
  async redefine(): Promise<void> {
    this.#schema = { ...this.#schema, spec: changedSchema(this.#draw, this.#schema.spec, 2) };
    await this.send({
      method: "PATCH",
      path: `${definitions}/things.${this.#group}`,
      headers: { "content-type": "application/json-patch+json" },
      raw: JSON.stringify([{ op: "replace", path: "/spec/versions/0", value: this.#versionSpec }]),
      ignore: ["/status/conditions/*/lastTransitionTime", "/metadata/managedFields"],
    });
  }

  async changes(count: number): Promise<void> {
    await this.#read();
    for (let at = 0; at < count; at += 1) {
      await this.#change();
      await this.#read();
    }
  }

  async #change(): Promise<void> {
    const draw = this.#draw;
    const path = `${this.#collection}/x`;
    const { spec, status } = this.#stored ?? {};
    const sub = this.#status && draw.chance(0.3) ? "/status" : "";
    const next = draw.chance(0.15) ? spec : changedValue(draw, spec ?? {}, this.#schema.spec, 0.08);
    const nextStatus =
      sub === "" && draw.chance(0.8) ? status : changedValue(draw, status ?? {}, this.#schema.status, 0.08);
    const object = this.#object(next, nextStatus);
    const query = draw.pick(["", "", "&fieldValidation=Strict"]);
    await draw.weighted<() => Promise<unknown>>([
      [
        4,
        () => () =>
          this.send({
            method: "PUT",
            path: `${path}${sub}?fieldManager=p${query}`,
            json: {
              ...object,
              metadata: {
                name: "x",
                resourceVersion: "${rv}",
                ...draw.put(0.2, () => ({ labels: { a: draw.pick(["b", "c d"]) } })),
              },
            },
          }),
      ],
      [
        2,
        () => () =>
          this.send({
            method: "PATCH",
            path: `${path}${sub}?fieldManager=q${query}`,
            headers: { "content-type": "application/merge-patch+json" },
            raw: JSON.stringify(
              sub === ""
                ? { spec: draw.chance(0.7) ? randomValue(draw, this.#schema.spec, 0.15) : next }
                : { status: nextStatus },
            ),
          }),
      ],
      [
        1,
        () => () =>
          this.send({
            method: "PATCH",
            path: `${path}${sub}?fieldManager=q`,
            headers: { "content-type": "application/json-patch+json" },
            raw: JSON.stringify([
              {
                op: draw.pick(["add", "replace", "remove"]),
                path: `/spec/${draw.pick(["a", "b", "c", "zz"])}`,
                value: draw.pick([null, "a", 1, {}, []]),
              },
            ]),
          }),
      ],
      [
        5,
        () => () =>
          this.send({
            method: "PATCH",
            path: `${path}${sub}?fieldManager=${draw.pick(["m", "n"])}&force=${String(draw.chance(0.5))}${query}`,
            headers: { "content-type": "application/apply-patch+yaml" },
            raw: JSON.stringify(draw.chance(0.6) ? object : this.#object(randomValue(draw, this.#schema.spec, 0.05))),
          }),
      ],
    ])();
  }

  async end(): Promise<void> {
    await this.send({ method: "DELETE", path: `${definitions}/things.${this.#group}` }, true);
  }
}

console.log(`seeds ${String(first)} to ${String(first + count - 1)}`);
let requests = 0;
let different = 0;
const batch = 10;
try {
  for (let from = first; from < first + count; from += batch) {
    const cases = Array.from({ length: Math.min(batch, first + count - from) }, (_, at) => new Case(from + at));
    const defined: Case[] = [];
    for (const one of cases) if (await one.define()) defined.push(one);
    await Promise.all(defined.map((one) => one.served()));
    await Promise.all(defined.map((one) => one.objects()));
    await Promise.all(defined.map((one) => one.redefine()));
    // A real server takes a moment until it uses the new schema.
    await delay(1500);
    await Promise.all(defined.map((one) => one.changes(10)));
    await Promise.all(defined.map((one) => one.end()));
    for (const one of cases) {
      requests += one.requests;
      if (one.found.length === 0) continue;
      different += 1;
      console.log(`DIFF ${one.found.slice(0, 2).join("\n")}`);
    }
  }
} finally {
  await servers.real.close();
  await servers.own.close();
}
console.log(
  `${String(count)} definitions, ${String(requests)} requests, ${String(different)} definitions with differences`,
);
process.exit(different === 0 ? 0 : 1);
