import { KubestreamError } from "../../src/errors/kubestream-error.js";
import { createRandom } from "../simulation/random.js";
import type { Usage } from "./meter.js";
import { measure } from "./meter.js";
import { buildShape, chooseSplit, whole } from "./shapes.js";
import type { Target } from "./target.js";

/** Result of a case. */
export interface CaseResult {
  /** Reasons why the case failed; empty if it passed. */
  readonly problems: readonly string[];
  /** Measured and allowed CPU time in milliseconds. */
  readonly cpuMs: readonly [measured: number, allowed: number];
  /** Measured and allowed memory in bytes. */
  readonly memory: readonly [measured: number, allowed: number];
}

/** Memory that any run may use: code, tables and garbage that is not collected yet. */
const freeMemory = 64 * 1024 * 1024;
/** A chunk from a network is a packet, whose headers cost the sender about as much. */
const bytesPerChunk = 64;
const defaultMaxBytes = 1024 * 1024;
const prototypeKeys = Object.getOwnPropertyNames(Object.prototype).length;

/** Builds the input of a seed and runs it, again if a bound was exceeded, because a machine under load adds time. */
export async function runCase(
  target: Target,
  name: string,
  seed: number,
  { parseCost, begin }: { readonly parseCost: number; readonly begin: (plan: string) => Promise<void> },
): Promise<CaseResult> {
  const random = createRandom(seed, name);
  const largest = target.maxBytes ?? defaultMaxBytes;
  const budget = random.pick([largest, largest, Math.ceil(largest / 4), Math.ceil(largest / 64)]);
  const shape = buildShape(random, target.vocabulary, budget);
  const split = target.chunked === true ? chooseSplit(random) : whole;
  const bytes = Uint8Array.from(Buffer.from(shape.text.slice(0, Math.min(largest, split.maxBytes)), "latin1"));
  const chunks = split.cut(bytes);
  await begin(`${String(bytes.length)} bytes, ${split.plan}: ${shape.plan}`);
  const { cpuFactor = 20, cpuMs = 100, memoryFactor = 30 } = target.allowance ?? {};
  const weight = bytes.length + bytesPerChunk * chunks.length;
  const allowedMs = cpuMs + cpuFactor * parseCost * weight;
  const allowedMemory = freeMemory + memoryFactor * weight;
  const text = new TextDecoder().decode(bytes);
  let problems: string[] = [];
  let used: Usage = { cpuMs: Infinity, memory: Infinity };
  for (let attempt = 0; attempt < 3; attempt++) {
    let error: unknown;
    const run = await target.prepare({ bytes, chunks, text });
    try {
      await measure(run, ({ cpuMs: spent, memory }) => {
        used = { cpuMs: Math.min(used.cpuMs, spent), memory: Math.min(used.memory, memory) };
      });
    } catch (reason) {
      error = reason;
    }
    await target.cleanUp?.();
    problems = [...unexpected(error, target), ...changedPrototype()];
    if (problems.length > 0) break;
    if (used.cpuMs > allowedMs)
      problems.push(`took ${used.cpuMs.toFixed(0)} ms of CPU; ${allowedMs.toFixed(0)} allowed`);
    if (used.memory > allowedMemory)
      problems.push(`used ${megabytes(used.memory)} MB; ${megabytes(allowedMemory)} allowed`);
    if (problems.length === 0) break;
  }
  return { problems, cpuMs: [used.cpuMs, allowedMs], memory: [used.memory, allowedMemory] };
}

/** The package's own errors and syntax errors are answers to bad input. Anything else is a mistake. */
function unexpected(error: unknown, target: Target): string[] {
  if (error === undefined || error instanceof KubestreamError || error instanceof SyntaxError) return [];
  if (target.refuses?.(error) === true) return [];
  return [`threw ${error instanceof Error ? (error.stack ?? error.message) : String(error)}`];
}

function changedPrototype(): string[] {
  const added = Object.getOwnPropertyNames(Object.prototype).length !== prototypeKeys;
  return added ? ["changed Object.prototype"] : [];
}

function megabytes(bytes: number): string {
  return (bytes / 1024 / 1024).toFixed(0);
}
