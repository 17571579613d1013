import { setImmediate as nextTurn } from "node:timers/promises";
import { KubestreamError } from "../../src/errors/kubestream-error.js";
import { createRandom } from "../simulation/random.js";
import { newHandles, openHandles } from "../support/open-handles.js";
import type { Usage } from "./meter.js";
import { measure, parseCostPerByte } from "./meter.js";
import { buildShape, chooseSplit, whole } from "./shapes.js";
import type { Target } from "./target.js";
import { Refused } from "./target.js";

/** Result of a case. */
export interface CaseResult {
  /** Reasons why the case failed; empty if it passed. */
  readonly problems: readonly string[];
  /** True if the case failed only because it took more CPU time or memory than allowed, or because a child started slowly. */
  readonly exceeded: boolean;
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
const ordinaryFactor = 12;
/** Largest body of a request. */
const largestRequest = 3 * 1024 * 1024;
/**
 * CPU time of a whole request in multiples of `JSON.parse` of the largest body. On an idle machine 45 are a second; the
 * worst shape, a pod of a million empty structs in Protobuf, needs 52.
 */
const requestFactor = 60;
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

/** Parts of a case that a child reports. */
export interface Progress {
  /** CPU time of `JSON.parse` for a byte in milliseconds. */
  readonly parseCost: number;
  /** Reports the shape. */
  readonly begin: (plan: string) => Promise<void>;
  /** Reports that the ordinary input was measured and the hostile input follows. */
  readonly started: () => Promise<void>;
}

/** Attempts to stay within the bounds. */
const attempts = 4;
/** Multiple of the allowed CPU time that no load explains. */
const hopeless = 3;

/**
 * Builds the input of a seed and runs it. If a bound was exceeded, runs it again next to what it's compared with,
 * because both take longer on a machine under load.
 */
export async function runCase(
  target: Target,
  name: string,
  seed: number,
  { parseCost, begin, started }: Progress,
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
  const ordinary = await ordinaryUsage(target, name);
  await started();
  const text = new TextDecoder().decode(bytes);
  let bounds = boundsOf(weight, parseCost, ordinary, bytes.length, target);
  let problems: string[] = [];
  let exceeded = false;
  let used: Usage = { cpuMs: Infinity, memory: Infinity };
  let cost = parseCost;
  const handles = openHandles();
  for (let attempt = 0; attempt < attempts; attempt++) {
    let error: unknown;
    const run = await target.prepare({ bytes, chunks, text });
    try {
      await measure(run, (usage) => (used = least(used, usage)));
    } catch (reason) {
      error = reason;
    }
    await target.cleanUp?.();
    problems = [...unexpected(error, target), ...changedPrototype(), ...(await leftOpen(handles))];
    exceeded = false;
    if (problems.length > 0) break;
    if (used.cpuMs > bounds.cpuMs) {
      cost = Math.max(cost, parseCostPerByte());
      const now = attempt === 0 ? await measureOrdinary(target) : ordinary;
      bounds = most(bounds, boundsOf(weight, cost, now, bytes.length, target));
    }
    problems = exceededBounds(used, bounds);
    exceeded = problems.length > 0;
    if (!exceeded || (attempt > 0 && used.cpuMs > hopeless * bounds.cpuMs)) break;
  }
  return {
    problems,
    exceeded,
    cpuMs: [used.cpuMs, bounds.cpuMs],
    memory: [used.memory, bounds.memory],
    factor: Math.max(0, used.cpuMs - freeMs) / (cost * weight),
  };
}

function least(a: Usage, b: Usage): Usage {
  return { cpuMs: Math.min(a.cpuMs, b.cpuMs), memory: Math.min(a.memory, b.memory) };
}

function most(a: Usage, b: Usage): Usage {
  return { cpuMs: Math.max(a.cpuMs, b.cpuMs), memory: Math.max(a.memory, b.memory) };
}

/** Returns what an input may use. */
function boundsOf(weight: number, parseCost: number, ordinary: Ordinary, size: number, target: Target): Usage {
  const { cpuMs, memory } = scaled(ordinary, size / largestAccepted(target));
  const request = target.wholeRequest === true ? requestFactor * parseCost * largestRequest : Infinity;
  return {
    cpuMs: freeMs + Math.max(parseFactor * parseCost * weight, Math.min(ordinaryFactor * cpuMs, request)),
    memory: freeMemory + Math.max(memoryFactor * weight, ordinaryMemoryFactor * memory),
  };
}

function exceededBounds(used: Usage, bounds: Usage): string[] {
  const problems: string[] = [];
  if (used.cpuMs > bounds.cpuMs)
    problems.push(`took ${used.cpuMs.toFixed(0)} ms of CPU; ${bounds.cpuMs.toFixed(0)} allowed`);
  if (used.memory > bounds.memory)
    problems.push(`used ${megabytes(used.memory)} MB; ${megabytes(bounds.memory)} allowed`);
  return problems;
}

/** Usage of ordinary input of a target: a small one, and one of the largest size that is accepted. */
interface Ordinary {
  readonly small: Usage;
  readonly large: Usage;
}

const none: Usage = { cpuMs: 0, memory: 0 };
const measured = new Map<string, Ordinary>();

/** Returns what ordinary input takes on the path of a target. It is measured once in a process. */
async function ordinaryUsage(target: Target, name: string): Promise<Ordinary> {
  let known = measured.get(name);
  if (known === undefined) {
    known = await measureOrdinary(target);
    measured.set(name, known);
  }
  return known;
}

async function measureOrdinary(target: Target): Promise<Ordinary> {
  if (target.wellFormed === undefined) return { small: none, large: none };
  const largest = largestAccepted(target);
  return { small: await usageOf(target, largest >> 6), large: await usageOf(target, largest - longestPart) };
}

/** Returns the usage of ordinary input of a part of the largest size. */
function scaled({ small, large }: Ordinary, part: number): Usage {
  return { cpuMs: small.cpuMs + large.cpuMs * part, memory: small.memory + large.memory * part };
}

function largestAccepted(target: Target): number {
  return target.acceptedBytes ?? target.maxBytes ?? defaultMaxBytes;
}

/** Measures ordinary input. Its end may be an error, too: a connection that closes, or the next answer of a provider. */
async function usageOf(target: Target, size: number): Promise<Usage> {
  const bytes = Uint8Array.from(Buffer.from(target.wellFormed!(size), "latin1"));
  const input = { bytes, chunks: [bytes], text: new TextDecoder().decode(bytes) };
  let used: Usage = { cpuMs: Infinity, memory: Infinity };
  // The first run compiles the code.
  for (let round = 0; round < 3; round++) {
    const run = await target.prepare(input);
    let result: unknown;
    try {
      await measure(
        async () => (result = await run()),
        (usage) => (used = least(used, usage)),
      );
    } catch (error) {
      if (unexpected(error, target).length > 0) throw error;
    } finally {
      await target.cleanUp?.();
    }
    // A refusal takes no time, so that nothing may be compared with it.
    if (result instanceof Refused) throw new Error(`the ordinary input is refused: ${result.answer}`);
  }
  return used;
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
  const sockets = (): string[] => newHandles(before).filter((handle) => !handle.endsWith(" Immediate"));
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
