import { setImmediate as nextTurn } from "node:timers/promises";
import { KubestreamError } from "../../src/errors/kubestream-error.js";
import { createRandom } from "../simulation/random.js";
import { newHandles, openHandles } from "../support/open-handles.js";
import type { Usage } from "./meter.js";
import { measure } from "./meter.js";
import { buildShape, chooseSplit, whole } from "./shapes.js";
import type { Target } from "./target.js";
import { Refused } from "./target.js";

/** Result of a case. */
export interface CaseResult {
  /** Reasons why the case failed; empty if it passed. */
  readonly problems: readonly string[];
  /** Measured and allowed CPU time in milliseconds. */
  readonly cpuMs: readonly [measured: number, allowed: number];
  /** Measured and allowed memory in bytes. */
  readonly memory: readonly [measured: number, allowed: number];
  /** CPU time beyond the free part, in multiples of `JSON.parse` of as many bytes. */
  readonly factor: number;
}

/** CPU time that any run may take: timers, garbage collection, a first compilation. */
const freeMs = 100;
/** Memory that any run may use: code, tables and garbage that is not collected yet. */
const freeMemory = 64 * 1024 * 1024;
/** CPU time in multiples of `JSON.parse` of as many bytes. */
const parseFactor = 20;
/** Memory in multiples of the input. */
const memoryFactor = 30;
/** CPU time in multiples of that of as many bytes of ordinary input on the same path: their values are longer. */
const ordinaryFactor = 15;
/** Memory in multiples of that of the same ordinary input. */
const ordinaryMemoryFactor = 5;
/** A chunk from a network is a packet, whose headers cost the sender about as much. */
const bytesPerChunk = 64;
const defaultMaxBytes = 1024 * 1024;
/** Ordinary input ends with a whole part. It must not exceed a limit, because its refusal takes no time. */
const longestPart = 1024;
/** Time that sockets have to close; the limit ends only what hangs. */
const closesWithinMs = 30_000;
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
  const weight = bytes.length + bytesPerChunk * chunks.length;
  const ordinary = await ordinaryUsage(target, name, bytes.length);
  const allowedMs = freeMs + Math.max(parseFactor * parseCost * weight, ordinaryFactor * ordinary.cpuMs);
  const allowedMemory = freeMemory + Math.max(memoryFactor * weight, ordinaryMemoryFactor * ordinary.memory);
  const text = new TextDecoder().decode(bytes);
  let problems: string[] = [];
  let used: Usage = { cpuMs: Infinity, memory: Infinity };
  const handles = openHandles();
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
    problems = [...unexpected(error, target), ...changedPrototype(), ...(await leftOpen(handles))];
    if (problems.length > 0) break;
    if (used.cpuMs > allowedMs)
      problems.push(`took ${used.cpuMs.toFixed(0)} ms of CPU; ${allowedMs.toFixed(0)} allowed`);
    if (used.memory > allowedMemory)
      problems.push(`used ${megabytes(used.memory)} MB; ${megabytes(allowedMemory)} allowed`);
    if (problems.length === 0) break;
  }
  return {
    problems,
    cpuMs: [used.cpuMs, allowedMs],
    memory: [used.memory, allowedMemory],
    factor: Math.max(0, used.cpuMs - freeMs) / (parseCost * weight),
  };
}

/** Usage of ordinary input of a target: a small one, and one of the largest size that is accepted. */
const measured = new Map<string, { readonly small: Usage; readonly large: Usage }>();
const none: Usage = { cpuMs: 0, memory: 0 };

/** Returns what ordinary input of a size takes on the way of a target. It is measured once in a process. */
async function ordinaryUsage(target: Target, name: string, size: number): Promise<Usage> {
  if (target.wellFormed === undefined) return none;
  const largest = target.acceptedBytes ?? target.maxBytes ?? defaultMaxBytes;
  let known = measured.get(name);
  if (known === undefined) {
    known = { small: await usageOf(target, largest >> 6), large: await usageOf(target, largest - longestPart) };
    measured.set(name, known);
  }
  const { small, large } = known;
  const part = size / largest;
  return { cpuMs: small.cpuMs + large.cpuMs * part, memory: small.memory + large.memory * part };
}

/** Measures ordinary input. Its end may be an error, too: a connection that closes, or the next answer of a provider. */
async function usageOf(target: Target, size: number): Promise<Usage> {
  const bytes = Uint8Array.from(Buffer.from(target.wellFormed!(size), "latin1"));
  const input = { bytes, chunks: [bytes], text: new TextDecoder().decode(bytes) };
  let least: Usage = { cpuMs: Infinity, memory: Infinity };
  // The first run compiles the code.
  for (let round = 0; round < 3; round++) {
    const run = await target.prepare(input);
    let result: unknown;
    try {
      await measure(
        async () => (result = await run()),
        ({ cpuMs, memory }) => {
          least = { cpuMs: Math.min(least.cpuMs, cpuMs), memory: Math.min(least.memory, memory) };
        },
      );
    } catch (error) {
      if (unexpected(error, target).length > 0) throw error;
    } finally {
      await target.cleanUp?.();
    }
    // A refusal takes no time, so that nothing may be compared with it.
    if (result instanceof Refused) throw new Error(`the ordinary input is refused: ${result.answer}`);
  }
  return least;
}

/** The package's own errors and syntax errors are answers to bad input. Anything else is a mistake. */
function unexpected(error: unknown, target: Target): string[] {
  if (error === undefined || error instanceof KubestreamError || error instanceof SyntaxError) return [];
  if (target.refuses?.(error) === true) return [];
  return [`threw ${error instanceof Error ? (error.stack ?? error.message) : String(error)}`];
}

/** Sockets and servers that the case opened may take a moment to close. Timers end with them, or by themselves. */
async function leftOpen(before: ReadonlyMap<string, number>): Promise<string[]> {
  const until = performance.now() + closesWithinMs;
  const sockets = (): string[] => newHandles(before).filter((handle) => !/ (?:Timeout|Immediate)$/.test(handle));
  let left = sockets();
  while (left.length > 0 && performance.now() < until) {
    await nextTurn();
    left = sockets();
  }
  return left.length > 0 ? [`left open: ${left.join(", ")}`] : [];
}

function changedPrototype(): string[] {
  const added = Object.getOwnPropertyNames(Object.prototype).length !== prototypeKeys;
  return added ? ["changed Object.prototype"] : [];
}

function megabytes(bytes: number): string {
  return (bytes / 1024 / 1024).toFixed(0);
}
