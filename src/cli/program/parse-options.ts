import { type ParseArgsConfig, parseArgs } from "node:util";
import { UsageError } from "./command.js";

/** Parses options like `parseArgs`, but suggests the nearest option for an unknown one. */
export function parseOptions<T extends ParseArgsConfig>(config: T): ReturnType<typeof parseArgs<T>> {
  try {
    return parseArgs({ ...config, args: plainSwitches(config), allowNegative: true }) as ReturnType<
      typeof parseArgs<T>
    >;
  } catch (error) {
    const unknown =
      error instanceof Error && "code" in error && error.code === "ERR_PARSE_ARGS_UNKNOWN_OPTION"
        ? /'--([^']+)'/.exec(error.message)?.[1]
        : undefined;
    if (unknown === undefined) throw error;
    const most = (name: string): number => Math.max(2, name.length / 3);
    const [nearest] = Object.keys(config.options ?? {})
      // Names of another length are further away than that, and a long one takes a while to compare.
      .filter((name) => Math.abs(name.length - unknown.length) <= most(name))
      .map((name) => ({ name, distance: editDistance(unknown, name) }))
      .filter(({ name, distance }) => distance <= most(name))
      .sort((a, b) => a.distance - b.distance);
    const hint = nearest === undefined ? "" : `; did you mean --${nearest.name}?`;
    throw new UsageError(`unknown option --${unknown}${hint}`);
  }
}

/** Rewrites switches with a value, as Go programs accept them: `--name=true` to `--name`, `--name=false` to `--no-name`. */
function plainSwitches({ args = [], options = {} }: ParseArgsConfig): string[] {
  let kept: string[] = [];
  for (const word of args) {
    const [, name = "", value] = /^--([^=]+)=(true|false)$/.exec(word) ?? [];
    if (options[name]?.type !== "boolean") kept.push(word);
    else {
      // The last value of a switch counts.
      kept = kept.filter((before) => before !== `--${name}` && before !== `--no-${name}`);
      kept.push(value === "true" ? `--${name}` : `--no-${name}`);
    }
  }
  return kept;
}

/** Returns the number of characters to insert, delete or replace. */
function editDistance(from: string, to: string): number {
  let row = Array.from({ length: to.length + 1 }, (_, index) => index);
  for (let i = 1; i <= from.length; i++) {
    const next = [i];
    for (let j = 1; j <= to.length; j++)
      next.push(Math.min(row[j]! + 1, next[j - 1]! + 1, row[j - 1]! + (from[i - 1] === to[j - 1] ? 0 : 1)));
    row = next;
  }
  return row[to.length]!;
}
