import { hostnameOf } from "./environment.js";
import type { ProcessContext } from "./images.js";

type Command = (process: ProcessContext) => number | Promise<number>;

/** Commands that images without a script for commands have. */
const commands: Readonly<Record<string, Command>> = {
  true: () => 0,
  false: () => 1,
  echo({ args, stdout }) {
    stdout.write(`${args.slice(1).join(" ")}\n`);
    return 0;
  },
  date({ stdout, now }) {
    const [day, date, month, year, time] = new Date(now()).toUTCString().split(/,? /);
    stdout.write(`${day} ${month} ${date!.replace(/^0/, " ")} ${time} UTC ${year}\n`);
    return 0;
  },
  env({ env, stdout }) {
    for (const [name, value] of Object.entries(env)) stdout.write(`${name}=${value}\n`);
    return 0;
  },
  hostname({ pod, stdout }) {
    stdout.write(`${hostnameOf(pod)}\n`);
    return 0;
  },
  async cat({ args, stdin, stdout, stderr }) {
    for (const file of args.slice(1)) stderr.write(`cat: ${file}: No such file or directory\n`);
    if (args.length > 1) return 1;
    for await (const bytes of stdin) {
      stdout.write(bytes);
      await stdout.ready;
    }
    return 0;
  },
  async sleep({ args, stderr, sleep }) {
    const times = args.slice(1);
    const invalid = times.length === 0 ? "" : times.find((time) => Number.isNaN(sleepMs(time)));
    if (invalid !== undefined) {
      stderr.write(`sleep: invalid time interval '${invalid}'\n`);
      return 1;
    }
    const totalMs = times.reduce((sum, time) => sum + sleepMs(time), 0);
    // A timer can't be longer.
    for (let left = totalMs; left > 0; left -= longestTimerMs) await sleep(Math.min(left, longestTimerMs));
    return 0;
  },
};

const longestTimerMs = 2 ** 31 - 1;
const units: Readonly<Record<string, number>> = { "": 1_000, s: 1_000, m: 60_000, h: 3_600_000, d: 86_400_000 };

/** Returns the milliseconds of a time of `sleep`, such as `30`, `1.5m` or `infinity`; NaN if it's invalid. */
function sleepMs(time: string): number {
  if (time === "infinity" || time === "inf") return Number.POSITIVE_INFINITY;
  const [, number, unit] = /^(\d+(?:\.\d*)?|\.\d+)([smhd]?)$/.exec(time) ?? [];
  return Number(number ?? Number.NaN) * units[unit ?? ""]!;
}

function findCommand(args: readonly string[]): Command | undefined {
  const name = (args[0] ?? "").replace(/^(\/usr)?\/bin\//, "");
  // With arguments, `env` starts another program.
  const isKnown = Object.hasOwn(commands, name) && (name !== "env" || args.length === 1);
  return isKnown ? commands[name] : undefined;
}

/** Returns true for the command line of a common command, which may start with its name or its path. */
export function isCommonCommand(args: readonly string[]): boolean {
  return findCommand(args) !== undefined;
}

/** Runs one of the common commands. Any other ends with code 127, with the message of a container runtime. */
export function runCommonCommand(process: ProcessContext): number | Promise<number> {
  const command = findCommand(process.args);
  if (command !== undefined) return command(process);
  const [name = ""] = process.args;
  const reason = name.includes("/") ? `stat ${name}: no such file or directory` : "executable file not found in $PATH";
  process.stderr.write(`exec failed: unable to start container process: exec: ${JSON.stringify(name)}: ${reason}\n`);
  return 127;
}
