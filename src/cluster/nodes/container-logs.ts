import type { ContainerLogRequest, KubeletConnection } from "../../apiserver/kubelets/kubelet.js";
import { utf8Encode } from "../../internal/bytes.js";
import type { ContainerLog, LogLine } from "./containers/container-log.js";
import type { SimulatedNode } from "./simulated-node.js";

/** Creates the part of the connection to simulated nodes that reads logs. */
export function createContainerLogs(
  nodes: ReadonlyMap<string, SimulatedNode>,
  clock: { now(): number },
): Pick<KubeletConnection, "logs"> {
  return {
    logs(request) {
      const node = nodes.get(request.node);
      if (node === undefined || node.state !== "up") return undefined;
      const { container, pod, previous } = request;
      const player = node.player(`${request.namespace}/${request.pod}`)?.containers.get(container);
      if (previous && player?.runs.previousLog === undefined)
        return { refused: `previous terminated container "${container}" in pod "${pod}" not found` };
      const waiting =
        player?.state !== undefined && "waiting" in player.state ? player.state.waiting.reason : undefined;
      if (player === undefined || (player.id === "" && player.view.is !== "exited"))
        return {
          refused: `container "${container}" in pod "${pod}" is waiting to start: ${waiting ?? "ContainerCreating"}`,
        };
      return readLog(previous ? player.runs.previousLog! : player.runs.log, request, clock.now());
    },
  };
}

/** Returns the lines of a log as the request wants them. */
function readLog(
  log: ContainerLog,
  {
    follow,
    timestamps,
    tailLines,
    sinceSeconds,
    sinceMs,
    limitBytes = Number.POSITIVE_INFINITY,
    stream,
  }: ContainerLogRequest,
  nowMs: number,
): AsyncIterator<Uint8Array, undefined> {
  const oldest = sinceMs ?? (sinceSeconds === undefined ? Number.NEGATIVE_INFINITY : nowMs - sinceSeconds * 1_000);
  const isWanted = ({ atMs, stream: from }: LogLine): boolean =>
    atMs >= oldest && (stream === undefined || from === stream);
  const format = ({ atMs, text }: LogLine): string =>
    timestamps ? `${new Date(atMs).toISOString().replace("Z", "000000Z")} ${text}` : text;
  let left = limitBytes;
  let position = log.length;
  let closed = false;
  let wake: (() => void) | undefined;
  const unfollow = log.follow(() => wake?.());
  const encode = (lines: readonly LogLine[]): Uint8Array => {
    const bytes = utf8Encode(lines.map(format).join("")).subarray(0, left);
    left -= bytes.length;
    return bytes;
  };
  const wanted = log.from(0).filter(isWanted);
  let first: Uint8Array | undefined = encode(
    wanted.slice(tailLines === undefined ? 0 : Math.max(0, wanted.length - tailLines)),
  );
  const end = (): IteratorResult<Uint8Array, undefined> => {
    closed = true;
    unfollow();
    wake?.();
    return { done: true, value: undefined };
  };
  return {
    async next() {
      if (first !== undefined && first.length > 0) {
        const value = first;
        first = undefined;
        return { done: false, value };
      }
      for (;;) {
        if (closed || !follow || left <= 0) return end();
        const lines = log.from(position);
        position = log.length;
        const bytes = encode(lines.filter(isWanted));
        if (bytes.length > 0) return { done: false, value: bytes };
        if (log.ended) return end();
        await new Promise<void>((resolve) => {
          wake = resolve;
        });
      }
    },
    return: () => Promise.resolve(end()),
  };
}
