import type { Container, Pod } from "../../../kinds/core/v1.js";
import type { DeepReadonly } from "../../../meta/object.js";
import { getControllerOwner } from "../../../objects/owner-references.js";
import { isCommonCommand, runCommonCommand } from "./common-commands.js";
import type { ImageScript, ProcessContext } from "./images.js";
import type { PlayerHost } from "./player-host.js";
import { commandLine } from "./process.js";
import { isInit, isSidecar } from "./restart-policy.js";
import { expandWord, parseShellScript, redirect, type ShellCommand } from "./shell-script.js";

type Run = NonNullable<ImageScript["run"]>;

/** Time that a process takes whose command isn't known. */
const workTime = "1s";

/** Returns the function that plays the process of a container; `undefined` if it just stays up. */
export function findProcess(
  host: Pick<PlayerHost, "pod" | "script">,
  container: DeepReadonly<Container>,
): Run | undefined {
  return host.script(container.image ?? "").run ?? defaultProcess(host.pod(), container);
}

/** Returns true if the process of a container, or a command of its script, may read the environment. */
export function readsEnvironment(
  host: Pick<PlayerHost, "pod" | "script">,
  container: DeepReadonly<Container>,
): boolean {
  if (host.script(container.image ?? "").exec !== undefined) return true;
  const run = findProcess(host, container);
  return run !== undefined && run !== work;
}

/**
 * Returns the process of a container without a script. A common command, or a shell command that consists of them, does
 * what it says. Other processes of Jobs and init containers take a while and succeed, but the image `pause` never ends. All
 * others stay up: `undefined`.
 */
export function defaultProcess(pod: DeepReadonly<Pod>, container: DeepReadonly<Container>): Run | undefined {
  const words = commandLine(container, Object.fromEntries((container.env ?? []).map(({ name }) => [name, name])));
  if (isCommonCommand(words)) return runCommonCommand;
  if (commandsOf(words) !== undefined) return playCommands;
  if (words.length === 0 && isPause(container)) return undefined;
  const ends = isInit(pod, container) ? !isSidecar(container) : getControllerOwner(pod)?.kind === "Job";
  return ends ? work : undefined;
}

function isPause({ image = "" }: DeepReadonly<Container>): boolean {
  return /(^|\/)pause(:|@|$)/.test(image);
}

async function work(process: ProcessContext): Promise<number> {
  await process.sleep(workTime);
  return 0;
}

/** Runs a common command, or a shell command that consists of them. Any other ends with code 127, as in a container runtime. */
export function runCommand(process: ProcessContext): number | Promise<number> {
  return commandsOf(process.args) === undefined ? runCommonCommand(process) : playCommands(process);
}

/** Runs commands one after another. */
async function playCommands(process: ProcessContext): Promise<number> {
  let last = 0;
  for (const { runs, words, redirections } of commandsOf(process.args) ?? []) {
    if (runs !== "always" && (runs === "after success") !== (last === 0)) continue;
    const args = words.map((word) => expandWord(word, process.env));
    if (args[0] === "exit") return Number(args[1] ?? last) & 255;
    last = await runCommonCommand({ ...process, ...redirect(process, redirections), args });
  }
  return last;
}

/** Returns the commands of a shell's command line if all of them are known. */
function commandsOf([shell = "", flag, script = ""]: readonly string[]): readonly ShellCommand[] | undefined {
  if (!/(^|\/)(ba|a|da)?sh$/.test(shell) || flag !== "-c") return undefined;
  const isKnown = ({ words }: ShellCommand): boolean =>
    words[0] === "exit" ? /^\d+$/.test(words[1] ?? "0") : isCommonCommand(words);
  const commands = parseShellScript(script);
  return commands?.every(isKnown) === true ? commands : undefined;
}
