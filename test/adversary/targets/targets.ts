import type { Target } from "../target.js";

/** Modules of targets. A child loads those that it runs. */
const groups: readonly (() => Promise<Record<string, Target>>)[] = [
  async () => (await import("./codecs.js")).codecs,
  async () => (await import("./texts.js")).texts,
  async () => (await import("./expressions.js")).expressions,
  async () => (await import("./streams.js")).streams,
  async () => (await import("./answers.js")).answers,
  async () => (await import("./server.js")).server,
  async () => (await import("./updates.js")).updates,
  async () => (await import("./port.js")).port,
  async () => (await import("./proxy.js")).proxies,
  async () => (await import("./aggregated.js")).aggregated,
  async () => (await import("./mux.js")).multiplexed,
  async () => (await import("./webhooks.js")).webhooks,
  async () => (await import("./stored.js")).stored,
  async () => (await import("./documents.js")).documents,
];
const planted = async (): Promise<Record<string, Target>> => (await import("./planted.js")).planted;

/** Names of all targets. */
export const targetNames: readonly string[] = (await Promise.all(groups.map((load) => load()))).flatMap(Object.keys);

/** Returns the target with a name. */
export async function loadTarget(name: string): Promise<Target> {
  for (const load of [...groups, planted]) {
    const target = (await load())[name];
    if (target !== undefined) return target;
  }
  throw new Error(`unknown target "${name}"`);
}
