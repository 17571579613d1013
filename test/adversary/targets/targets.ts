import { groups } from "./groups.js";

/** Names of the targets of each group. */
export const targetGroups: Readonly<Record<string, readonly string[]>> = Object.fromEntries(
  await Promise.all(Object.entries(groups).map(async ([group, load]) => [group, Object.keys(await load())] as const)),
);

/** Names of all targets. */
export const targetNames: readonly string[] = Object.values(targetGroups).flat();
