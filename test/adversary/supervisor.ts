import type { ChildProcess } from "node:child_process";
import { fork } from "node:child_process";
import { fileURLToPath } from "node:url";
import type { ChildMessage } from "./child.js";
import type { CaseResult } from "./run-case.js";

/** A case that has run. */
export interface Outcome extends CaseResult {
  /** Name of the target. */
  readonly target: string;
  /** Seed of the shape. */
  readonly seed: number;
  /** Description of the input. */
  readonly plan: string;
}

/** Limit of the child's heap: enough for a server with all its tables and 30 times the largest input. */
const heapMegabytes = 384;
/** A child takes a while to load all sources and to measure ordinary input on a machine under load. */
const startsWithinMs = 600_000;
const hangsAfterMs = 300_000;
const unmeasured = { cpuMs: [0, 0], memory: [0, 0], factor: 0 } as const;

/**
 * Runs the cases of a group, one after the other, in a child process with a small heap. A crash or a hang of the child
 * fails its case, and the next case starts another.
 */
export class Supervisor implements Disposable {
  readonly #group: string;
  #child: ChildProcess | undefined;

  constructor(group: string) {
    this.#group = group;
  }

  /** Starts the child, unless one runs. */
  start(): void {
    this.#child ??= this.#fork();
  }

  /** Runs one case. */
  run(target: string, seed: number): Promise<Outcome> {
    this.start();
    const child = this.#child!;
    return new Promise((resolve) => {
      let plan = "no input yet";
      let errors = "";
      const onErrors = (chunk: string): void => {
        errors = (errors + chunk).slice(-4_000);
      };
      let timer: NodeJS.Timeout;
      const limit = (ms: number, what: string): void => {
        clearTimeout(timer);
        timer = setTimeout(() => fail(`${what} longer than ${String(ms / 1_000)} s`, true), ms);
      };
      const finish = (result: CaseResult): void => {
        clearTimeout(timer);
        child.off("message", onMessage).off("exit", onExit);
        child.stderr!.off("data", onErrors);
        resolve({ target, seed, plan, ...result });
      };
      const fail = (reason: string, exceeded: boolean): void => {
        this[Symbol.dispose]();
        finish({ problems: [reason], exceeded, ...unmeasured });
      };
      const onMessage = (message: ChildMessage): void => {
        if ("plan" in message) plan = message.plan;
        else if ("started" in message) limit(hangsAfterMs, "took");
        else finish(message.result);
      };
      const onExit = (code: number | null, signal: string | null): void => {
        fail(`ended the process with ${String(signal ?? code)}: ${errors.trim()}`, false);
      };
      limit(startsWithinMs, "started for");
      child.on("message", onMessage).once("exit", onExit);
      child.stderr!.on("data", onErrors);
      child.send({ group: this.#group, target, seed });
    });
  }

  /** Runs a case that exceeded a bound again, in a new child. Returns the second outcome. */
  async repeat({ target, seed }: Outcome): Promise<Outcome> {
    this[Symbol.dispose]();
    return this.run(target, seed);
  }

  [Symbol.dispose](): void {
    this.#child?.kill("SIGKILL");
    this.#child = undefined;
  }

  #fork(): ChildProcess {
    const child = fork(fileURLToPath(new URL("child.ts", import.meta.url)), [], {
      execArgv: ["--import", "tsx", "--expose-gc", `--max-old-space-size=${String(heapMegabytes)}`],
      stdio: ["ignore", "inherit", "pipe", "ipc"],
    });
    child.stderr!.setEncoding("utf8");
    return child;
  }
}
