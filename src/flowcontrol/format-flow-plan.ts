import { shuffleShardingCollision } from "../fairness/shuffle-sharding.js";
import { greatest } from "../internal/extremes.js";
import type { FlowPlan, FlowPlanFlow } from "./flow-plan.js";

/** Numbers of heavy flows for which the documentation of Kubernetes lists collisions. */
const elephantCounts = [1, 4, 16];

/**
 * Returns the probability that all queues of a light flow are also queues of at least one of `elephants` heavy flows,
 * so that it has to wait behind them. Exact up to the rounding of the result. Throws a `RangeError` for numbers out of
 * range.
 *
 * @example
 * ```ts
 * import { getShuffleShardingCollision } from "kubestream/flowcontrol";
 *
 * console.log(getShuffleShardingCollision({ queues: 128, handSize: 8, elephants: 16 })); // 0.0274…
 * ```
 */
export function getShuffleShardingCollision(options: {
  /** Number of queues. */
  readonly queues: number;
  /** Number of queues that a flow may use. */
  readonly handSize: number;
  /** Number of heavy flows. */
  readonly elephants: number;
}): number {
  const { queues, handSize, elephants } = options;
  for (const [name, value, least, most] of [
    ["queues", queues, 1, 4096],
    ["handSize", handSize, 1, Math.min(queues, 15)],
    ["elephants", elephants, 0, 64],
  ] as const)
    if (!Number.isInteger(value) || value < least || value > most)
      throw new RangeError(`${name} must be an integer from ${String(least)} to ${String(most)}`);
  return shuffleShardingCollision(queues, handSize, elephants);
}

/** Formats a plan as text: collisions of queues by level, results by level, and results by flow. */
export function formatFlowPlan(plan: FlowPlan): string {
  const sharded = plan.levels.filter(({ queues = 0 }) => queues > 1);
  const parts = [
    ["Probability that a light flow shares all its queues with heavy ones:"],
    table(
      ["LEVEL", "QUEUES", "HAND", ...elephantCounts.map((count) => `${String(count)} HEAVY`)],
      sharded.map(({ name, queues = 1, handSize = 1 }) => [
        name,
        queues,
        handSize,
        ...elephantCounts.map((elephants) => shuffleShardingCollision(queues, handSize, elephants).toPrecision(3)),
      ]),
    ),
    [""],
    table(
      ["LEVEL", "NOMINAL", "LOWER", "MOST SEATS", "MOST USED", "BORROWED", "MOST WAITING"],
      plan.levels.map((level) => [
        level.name,
        level.nominal,
        level.lower,
        level.mostSeats,
        level.mostUsed,
        level.borrowed,
        level.mostWaiting,
      ]),
    ),
    [""],
    table(
      [
        "FLOW",
        "SCHEMA",
        "LEVEL",
        "SENT",
        "SERVED/S",
        "WAITED",
        "REJECTED",
        "TIMED OUT",
        "WAIT P50",
        "P90",
        "P99",
        "MAX",
      ],
      plan.flows.map((flow) => [
        flow.name,
        flow.flowSchema,
        flow.priorityLevel,
        flow.requests,
        (flow.served / plan.seconds).toFixed(1),
        percent(flow.queued, flow),
        percent(flow.rejected, flow),
        percent(flow.timedOut, flow),
        ...[flow.waitMs.p50, flow.waitMs.p90, flow.waitMs.p99, flow.waitMs.max].map(duration),
      ]),
    ),
  ];
  return parts.flat().join("\n");
}

function percent(part: number, { requests }: FlowPlanFlow): string {
  return requests === 0 ? "-" : `${((100 * part) / requests).toFixed(1)}%`;
}

function duration(ms: number): string {
  return ms >= 1000 ? `${(ms / 1000).toFixed(2)}s` : `${ms.toFixed(ms < 10 ? 1 : 0)}ms`;
}

function table(header: readonly string[], rows: readonly (readonly (string | number)[])[]): string[] {
  const lines = [header, ...rows].map((row) => row.map(String));
  const widths = header.map((_, at) => greatest(lines.map((line) => line[at]!.length)));
  return lines.map((line) =>
    line
      .map((cell, at) => cell.padEnd(widths[at]!))
      .join("  ")
      .trimEnd(),
  );
}

const barBox = { left: 180, width: 520, height: 18, gap: 34 };

/** Draws the waits of a plan's flows as an SVG image: bars up to the median, the 90th and the 99th percentile. */
export function drawFlowPlan(plan: FlowPlan): string {
  const longest = Math.max(1, greatest(plan.flows.map(({ waitMs }) => waitMs.p99)));
  const x = (ms: number): string => ((barBox.width * ms) / longest).toFixed(1);
  const rows = plan.flows.map(({ name, waitMs, rejected, timedOut, ...flow }, index) => {
    const top = 40 + index * barBox.gap;
    const bar = (ms: number, colour: string): string =>
      `<rect x="${String(barBox.left)}" y="${String(top)}" width="${x(ms)}" height="${String(barBox.height)}" fill="${colour}"/>`;
    const text = `p50 ${duration(waitMs.p50)}, p99 ${duration(waitMs.p99)}, rejected ${percent(rejected + timedOut, { ...flow, name, waitMs, rejected, timedOut })}`;
    return [
      `<text x="${String(barBox.left - 8)}" y="${String(top + 13)}" text-anchor="end">${escape(name)}</text>`,
      bar(waitMs.p99, "#c6dbef"),
      bar(waitMs.p90, "#6baed6"),
      bar(waitMs.p50, "#2171b5"),
      `<text x="${String(barBox.left)}" y="${String(top + 28)}" class="note">${escape(text)}</text>`,
    ].join("");
  });
  const height = 50 + plan.flows.length * barBox.gap;
  return `<svg xmlns="http://www.w3.org/2000/svg" width="720" height="${String(height)}" font-family="sans-serif" font-size="12"><style>.note{font-size:9px;fill:#555}</style><rect width="100%" height="100%" fill="#fff"/><text x="8" y="20">Wait for seats: p50, p90 and p99, of ${String(plan.seconds)} s</text>${rows.join("")}</svg>\n`;
}

function escape(text: string): string {
  return text.replace(/[<>&"]/g, (char) => `&#${String(char.charCodeAt(0))};`);
}
