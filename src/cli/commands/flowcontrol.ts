import { readFileSync, writeFileSync } from "node:fs";
import { ConfigError } from "../../errors/errors.js";
import type { FlowPlanOptions, PlannedFlow } from "../../flowcontrol/flow-plan.js";
import { drawFlowPlan, formatFlowPlan, getShuffleShardingCollision } from "../../flowcontrol/format-flow-plan.js";
import { planFlowControl } from "../../flowcontrol/plan-flow-control.js";
import { bootstrapObjects } from "../../gen/bootstrap.js";
import { parseYamlDocuments } from "../../internal/yaml/yaml.js";
import { UsageError } from "../program/command.js";
import { parseOptions } from "../program/parse-options.js";

const help = `Usage: kubestream flowcontrol plan [OPTIONS] FILE
       kubestream flowcontrol sharding

Simulates API Priority and Fairness for a workload: who waits, who is rejected, who borrows seats. FILE holds YAML or
JSON documents: FlowSchemas and PriorityLevelConfigurations, which are added to those of a new cluster or replace them by
name, and one document with the workload (- is standard input):

  flows:
  - name: batch
    request: { user: batch, groups: ["system:authenticated"], verb: list, resource: pods }
    clients: 50              # or requestsPerSecond
    durationMs: 800
    seats: 5

sharding prints the probability that a light flow shares all its queues with heavy ones, by number and size of hands.

Options of plan:
  --seats NUMBER                 seats of the server, max-requests-inflight plus max-mutating-requests-inflight (600)
  --seconds NUMBER               simulated time (60)
  --seed NUMBER                  seed of the random arrivals (1)
  --svg FILE                     also draw the waits as an SVG image
  --json                         print the results as JSON
  -h, --help                     show this help

Example:
  kubestream flowcontrol plan workload.yaml --seats 600 --svg waits.svg`;

/** Hand sizes and numbers of queues of the documentation of API Priority and Fairness. */
const documentedHands: readonly [handSize: number, queues: number][] = [
  [12, 32],
  [10, 32],
  [10, 64],
  [9, 64],
  [8, 64],
  [8, 128],
  [7, 128],
  [7, 256],
  [6, 256],
  [6, 512],
  [6, 1024],
];

interface Named {
  readonly kind?: string;
  readonly metadata?: { readonly name?: string };
}

/** Runs the subcommand. */
export function run(words: readonly string[]): Promise<number> {
  const { values, positionals } = parseOptions({
    args: [...words],
    allowPositionals: true,
    options: {
      seats: { type: "string" },
      seconds: { type: "string" },
      seed: { type: "string" },
      svg: { type: "string" },
      json: { type: "boolean" },
      help: { type: "boolean", short: "h" },
    },
  });
  const [action, file] = positionals;
  if (values.help === true) console.log(help);
  else if (action === "sharding") console.log(shardingTable());
  else if (action !== "plan" || file === undefined || positionals.length > 2)
    throw new UsageError("expected `plan FILE` or `sharding`; see kubestream flowcontrol --help");
  else {
    const options = readPlan(readFileSync(file === "-" ? 0 : file, "utf8"), {
      serverSeats: numberOf("seats", values.seats),
      seconds: numberOf("seconds", values.seconds),
      seed: numberOf("seed", values.seed),
    });
    const plan = planFlowControl(options);
    console.log(values.json === true ? JSON.stringify(plan, undefined, 2) : formatFlowPlan(plan));
    if (values.svg !== undefined) writeFileSync(values.svg, drawFlowPlan(plan));
  }
  return Promise.resolve(0);
}

function numberOf(name: string, text: string | undefined): number | undefined {
  if (text === undefined) return undefined;
  const value = Number(text);
  if (text.trim() === "" || !Number.isFinite(value)) throw new UsageError(`--${name} must be a number`);
  return value;
}

/** Reads the documents of a plan. Throws a `ConfigError` that names the document. */
export function readPlan(text: string, settings: Partial<FlowPlanOptions>): FlowPlanOptions {
  const objects = new Map<string, Named>();
  const add = (object: Named): unknown => objects.set(`${object.kind ?? ""}/${object.metadata?.name ?? ""}`, object);
  for (const object of bootstrapObjects(["FlowSchema", "PriorityLevelConfiguration"]) as readonly Named[]) add(object);
  let flows: readonly PlannedFlow[] | undefined;
  for (const [index, document] of parseYamlDocuments(text).entries()) {
    if (document === null) continue;
    const at = `document ${String(index + 1)}`;
    if (typeof document !== "object") throw new ConfigError(`${at}: expected an object`);
    if ("flows" in document) {
      if (!Array.isArray(document.flows)) throw new ConfigError(`${at}: flows must be a list`);
      for (const [position, flow] of (document.flows as unknown[]).entries())
        if (typeof (flow as { request?: { user?: unknown } } | null)?.request?.user !== "string")
          throw new ConfigError(`${at}: flows[${String(position)}].request.user is required`);
      flows = (document.flows as PlannedFlow[]).map((flow, position) => ({
        ...flow,
        name: (flow.name as string | undefined) ?? `flow ${String(position + 1)}`,
        request: { ...flow.request, groups: (flow.request.groups as readonly string[] | undefined) ?? [] },
      }));
    } else {
      const { kind } = document as Named;
      if (kind !== "FlowSchema" && kind !== "PriorityLevelConfiguration")
        throw new ConfigError(`${at}: expected a FlowSchema, a PriorityLevelConfiguration or a list of flows`);
      add(document);
    }
  }
  if (flows === undefined) throw new ConfigError("the file has no document with flows");
  const of = (wanted: string): Named[] => [...objects.values()].filter(({ kind }) => kind === wanted);
  return {
    ...settings,
    schemas: of("FlowSchema"),
    levels: of("PriorityLevelConfiguration"),
    flows,
  };
}

function shardingTable(): string {
  const header = ["HAND SIZE", "QUEUES", "1 ELEPHANT", "4 ELEPHANTS", "16 ELEPHANTS"];
  const rows = documentedHands.map(([handSize, queues]) => [
    String(handSize),
    String(queues),
    ...[1, 4, 16].map((elephants) => String(getShuffleShardingCollision({ queues, handSize, elephants }))),
  ]);
  return [header, ...rows]
    .map((row) => row.map((cell, at) => (at < 4 ? cell.padEnd(at < 2 ? 11 : 26) : cell)).join(""))
    .join("\n");
}
