import type { Container, Pod } from "../../../kinds/core/v1.js";
import type { DeepReadonly } from "../../../meta/object.js";
import { getControllerOwner } from "../../../objects/owner-references.js";
import { isCommonCommand, runCommonCommand } from "./common-commands.js";
import type { ImageScript, ProcessContext } from "./images.js";
import { isSidecar } from "./restart-policy.js";

type Run = NonNullable<ImageScript["run"]>;

/** Time that a process takes whose command isn't known. */
const workTime = "1s";

/**
 * Returns the process of a container without a script: containers that are meant to end do, those of Jobs and init
 * containers. Others stay up: `undefined`.
 */
export function defaultProcess(pod: DeepReadonly<Pod>, container: DeepReadonly<Container>): Run | undefined {
  const isInit = pod.spec?.initContainers?.some(({ name }) => name === container.name) === true;
  const ends = isInit || getControllerOwner(pod)?.kind === "Job";
  return ends && !isSidecar(container) ? playCommand : undefined;
}

/** Plays the command if it's a common one or a shell that runs such ones. Any other one takes a while and succeeds. */
async function playCommand(process: ProcessContext): Promise<number> {
  const script = shellScript(process.args);
  const steps = script === undefined ? [process.args] : script.map((words) => words.filter((word) => word !== ""));
  const isKnown = steps.every(([name = "", code = "0"]) =>
    name === "exit" ? script !== undefined && /^\d+$/.test(code) : isCommonCommand(name),
  );
  if (!isKnown) {
    await process.sleep(workTime);
    return 0;
  }
  let last = 0;
  for (const args of steps) {
    if (args[0] === "exit") return Number(args[1] ?? last) & 255;
    last = await runCommonCommand({ ...process, args });
  }
  return last;
}

/** Returns the words of each command of a simple shell script, such as `sleep 1; exit 3`. */
function shellScript([shell = "", flag, script = ""]: readonly string[]): string[][] | undefined {
  if (!/(^|\/)(ba|a|da)?sh$/.test(shell) || flag !== "-c" || /[&|<>$`'"(){}*\\]/.test(script)) return undefined;
  return script
    .split(/[;\n]/)
    .map((command) => command.trim())
    .filter((command) => command !== "")
    .map((command) => command.split(/\s+/));
}
