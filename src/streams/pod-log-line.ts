/** A container of a pod. */
export interface PodLogSource {
  /** Namespace of the pod. */
  readonly namespace: string;
  /** Name of the pod. */
  readonly pod: string;
  /** Name of the container. */
  readonly container: string;
}

/** A line that a container wrote. */
export interface PodLogLine extends PodLogSource {
  /** Time at which the line was written, in RFC 3339 with nanoseconds. */
  readonly time: string;
  /** The line without its line ending. May contain control characters that the program wrote. */
  readonly text: string;
  /** Number from 0 to 11 that stays the same for a pod, to pick the pod's color from a palette. */
  readonly color: number;
}

/** Options for `formatPodLogLine`. */
export interface PodLogFormat {
  /** True for a colored prefix, for terminals. Default false. */
  readonly colors?: boolean | undefined;
  /** True to begin with the time of the line. Default false. */
  readonly timestamps?: boolean | undefined;
}

const colorCount = 12;
/** Foreground colors of terminals: six normal and six bright ones. */
const ansiColors = [36, 32, 35, 34, 33, 31, 96, 92, 95, 94, 93, 91];

/** Returns the color of a pod. */
export function podLogColor(namespace: string, pod: string): number {
  let hash = 0;
  for (const character of `${namespace}/${pod}`) hash = (Math.imul(hash, 31) + character.codePointAt(0)!) >>> 0;
  return hash % colorCount;
}

/**
 * Formats a line as `pod container | text`.
 *
 * @example
 * ```ts
 * import { connect } from "kubestream/node";
 * import { followPodLogs, formatPodLogLine } from "kubestream/streams";
 *
 * const client = await connect();
 * for await (const line of followPodLogs(client, { namespace: "web", labelSelector: "app=shop" }))
 *   console.log(formatPodLogLine(line, { colors: process.stdout.isTTY }));
 * ```
 */
export function formatPodLogLine(line: PodLogLine, { colors = false, timestamps = false }: PodLogFormat = {}): string {
  const prefix = `${line.pod} ${line.container} |`;
  const shown = colors ? `\u001b[${ansiColors[line.color % colorCount]!}m${prefix}\u001b[0m` : prefix;
  return `${timestamps ? `${line.time} ` : ""}${shown} ${line.text}`;
}
