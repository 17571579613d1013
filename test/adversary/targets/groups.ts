import type { Target } from "../target.js";

/** Modules of targets. Each group runs in a child of its own, which loads only what the group needs. */
export const groups: Readonly<Record<string, () => Promise<Record<string, Target>>>> = {
  codecs: async () => (await import("./codecs.js")).codecs,
  texts: async () => (await import("./texts.js")).texts,
  expressions: async () => (await import("./expressions.js")).expressions,
  streams: async () => (await import("./streams.js")).streams,
  answers: async () => (await import("./answers.js")).answers,
  server: async () => (await import("./server.js")).server,
  updates: async () => (await import("./updates.js")).updates,
  port: async () => (await import("./port.js")).port,
  proxies: async () => (await import("./proxy.js")).proxies,
  aggregated: async () => (await import("./aggregated.js")).aggregated,
  multiplexed: async () => (await import("./mux.js")).multiplexed,
  webhooks: async () => (await import("./webhooks.js")).webhooks,
  stored: async () => (await import("./stored.js")).stored,
  documents: async () => (await import("./documents.js")).documents,
};
const planted = async (): Promise<Record<string, Target>> => (await import("./planted.js")).planted;

/** Returns a target of a group. */
export async function loadTarget(group: string, name: string): Promise<Target> {
  const target = (await (groups[group] ?? planted)())[name];
  if (target === undefined) throw new Error(`unknown target "${name}"`);
  return target;
}
