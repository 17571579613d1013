import type { PortStream, TerminalSize } from "../../../apiserver/kubelets/kubelet.js";
import { ConfigError } from "../../../errors/errors.js";
import type { Container, Pod } from "../../../kinds/core/v1.js";
import type { DeepReadonly } from "../../../meta/object.js";
import { parseDuration } from "../../time/duration.js";

/** Output stream of a simulated container. */
export interface ContainerOutput {
  /** Appends text or bytes. Each line of the main process becomes a line of the container's log. */
  write(data: string | Uint8Array): void;
  /**
   * Resolves when the clients that receive the output have room for more. Await it between writes of much output, which
   * otherwise waits for them in memory.
   */
  readonly ready: Promise<void>;
}

/** Context of a function that plays a process in a container. */
export interface ProcessContext {
  /** Command and arguments, after the expansion of `$(VARIABLE)`. */
  readonly args: readonly string[];
  /** Environment variables, those from ConfigMaps, Secrets and the downward API included. */
  readonly env: Readonly<Record<string, string>>;
  /** The pod when the process started. */
  readonly pod: DeepReadonly<Pod>;
  /** The container. */
  readonly container: DeepReadonly<Container>;
  /** Number of times the container was restarted. */
  readonly restartCount: number;
  /** Standard output. */
  readonly stdout: ContainerOutput;
  /** Standard error. */
  readonly stderr: ContainerOutput;
  /**
   * Standard input: of a command, from the client that runs it; of the main process, from attached clients, if the
   * container has `stdin: true`. Otherwise it's empty.
   */
  readonly stdin: AsyncIterableIterator<Uint8Array>;
  /** True if the process runs in a terminal. Standard error is then part of standard output. */
  readonly tty: boolean;
  /** Calls back with the size of the client's terminal each time it changes. */
  onResize(callback: (size: TerminalSize) => void): void;
  /**
   * Aborts when the container is stopped, like the signal SIGTERM. A process that still runs at the end of the grace
   * period is killed: its result doesn't count, and its exit code is 137.
   */
  readonly signal: AbortSignal;
  /** Returns the time of the cluster's clock in milliseconds since the epoch. */
  now(): number;
  /**
   * Waits on the cluster's clock: a number of milliseconds, or a duration such as `90s`. Rejects when `signal` aborts.
   */
  sleep(duration: number | string): Promise<void>;
}

/** Attempt to pull an image. */
export interface PullAttempt {
  /** The image. */
  readonly image: string;
  /** Name of the node. */
  readonly node: string;
  /** Number of failed attempts for this container. */
  readonly failures: number;
}

/** Probe of a simulated container. */
export interface ProbeAttempt {
  /** Kind of the probe. */
  readonly type: "startup" | "readiness" | "liveness";
  /** The pod. */
  readonly pod: DeepReadonly<Pod>;
  /** The container. */
  readonly container: DeepReadonly<Container>;
  /** Milliseconds since the container started. */
  readonly runningMs: number;
}

/** Resources that a container uses, such as `{ cpu: "250m", memory: "64Mi" }`. */
export type ContainerUsage = Readonly<Record<string, string>>;

/** Usage of a container without a script. */
export const defaultUsage: ContainerUsage = { cpu: "1m", memory: "10Mi" };

/** A running container whose usage is measured. */
export interface UsageSample {
  /** The pod. */
  readonly pod: DeepReadonly<Pod>;
  /** The container. */
  readonly container: DeepReadonly<Container>;
  /** Milliseconds since the container started. */
  readonly runningMs: number;
}

/**
 * Behaviour of the containers of an image. By default an image is present on every node, and its containers start at
 * once, pass all probes and run until they are stopped.
 *
 * @example
 * ```ts
 * import { createCluster, type ImageScript } from "kubestream/cluster";
 *
 * const worker: ImageScript = {
 *   pull: "2s",
 *   async run({ args, env, stdout, sleep }) {
 *     stdout.write(`processing ${args[0]} for ${env["TEAM"]}\n`);
 *     await sleep("1m");
 *     return 0;
 *   },
 * };
 * await using cluster = await createCluster({ images: { "worker:*": worker } });
 * ```
 */
export interface ImageScript {
  /**
   * Time that a pull takes, in milliseconds or as a duration such as `2s`, or a function that returns it. A pull fails
   * if the function throws. Default: the image is already present.
   */
  readonly pull?: string | number | ((attempt: PullAttempt) => string | number | Promise<string | number>) | undefined;
  /**
   * The container's process. The container exits with the returned code (0 if it returns nothing), with 1 if the
   * function throws, or with 143 if it throws after `signal` has aborted. Default: common commands such as `sleep 30`,
   * `false` or `sh -c "exit 3"` do what they say; other processes run until they're stopped, but those of Jobs and init
   * containers end after a second with 0, except for the image `pause`.
   */
  readonly run?: ((process: ProcessContext) => number | void | Promise<number | void>) | undefined;
  /**
   * Commands that clients, exec probes and lifecycle hooks run, with the exit code as result; `args` is the command.
   * Default: clients can run `cat` (for standard input), `date`, `echo`, `env`, `false`, `hostname`, `sleep`, `true` and
   * shell commands that consist of them, such as `sh -c "echo a && exit 3"`; other commands aren't found; in probes and
   * hooks every command succeeds without output.
   */
  readonly exec?: ((process: ProcessContext) => number | void | Promise<number | void>) | undefined;
  /**
   * Servers of the container's ports, for port forwarding. The connection closes when the promise settles; an error is
   * reported to the client. Default: the connection is refused.
   */
  readonly ports?: Readonly<Record<number, (connection: PortStream) => void | Promise<void>>> | undefined;
  /**
   * Result of a probe: true for success. A text is the reason of a failure. Default: every probe succeeds.
   */
  readonly probe?: ((attempt: ProbeAttempt) => boolean | string | Promise<boolean | string>) | undefined;
  /**
   * Resources that a container uses, which `metrics.k8s.io` reports: quantities, or a function that returns them.
   * Default: 1m of CPU and 10Mi of memory.
   */
  readonly usage?: ContainerUsage | ((sample: UsageSample) => ContainerUsage) | undefined;
}

/** Behaviour of images by pattern, in which `*` stands for any characters. The first pattern that matches counts. */
export type ImageScripts = Readonly<Record<string, ImageScript>>;

const unscripted: ImageScript = {};

/** Returns the time of a pull in milliseconds. Throws a `TypeError` for an invalid duration. */
export function pullMs(duration: string | number): number {
  if (typeof duration === "string") return parseDuration(duration);
  if (duration >= 0) return duration;
  throw new TypeError(`must be a duration, such as "2s", or a non-negative number of milliseconds, not ${duration}`);
}

/** Returns the script of an image. */
export type ImageLookup = (image: string) => ImageScript;

/** Reads the option `images`. Throws a `ConfigError` for an invalid duration. */
export function readImages(scripts: ImageScripts): ImageLookup {
  for (const [pattern, { pull }] of Object.entries(scripts)) {
    try {
      if (typeof pull !== "function") pullMs(pull ?? 0);
    } catch (error) {
      throw new ConfigError(`images[${JSON.stringify(pattern)}].pull: ${(error as Error).message}`);
    }
  }
  const patterns = Object.entries(scripts).map(([pattern, script]) => ({ parts: pattern.split("*"), script }));
  const known = new Map<string, ImageScript>();
  return (image) => {
    let script = known.get(image);
    if (script === undefined) {
      script = patterns.find(({ parts }) => matches(parts, image))?.script ?? unscripted;
      known.set(image, script);
    }
    return script;
  };
}

/** True if the text consists of the parts, with any characters between them. */
function matches(parts: readonly string[], text: string): boolean {
  const [first = "", ...rest] = parts;
  const last = rest.pop();
  if (last === undefined) return text === first;
  if (!text.startsWith(first)) return false;
  let at = first.length;
  for (const part of rest) {
    const found = text.indexOf(part, at);
    if (found < 0) return false;
    at = found + part.length;
  }
  return text.length - last.length >= at && text.endsWith(last);
}
