import type { ContainerSession, KubeletConnection, PortRequest } from "../../apiserver/kubelets/kubelet.js";
import { utf8Encode } from "../../internal/bytes.js";
import type { ContainerPlayer } from "./containers/container-player.js";
import { runCommand } from "./containers/default-process.js";
import type { ContainerOutput } from "./containers/images.js";
import { runProcess } from "./containers/process.js";
import type { PodPlayer } from "./pod-player.js";
import type { SimulatedNode } from "./simulated-node.js";

/** Creates the part of the connection to simulated nodes that serves exec, attach and port forwarding. */
export function createContainerSessions(
  nodes: ReadonlyMap<string, SimulatedNode>,
): Required<Pick<KubeletConnection, "session" | "connect">> {
  return {
    session({ node: nodeName, namespace, pod: podName, container, command, tty }) {
      const node = nodes.get(nodeName);
      if (node === undefined || node.state !== "up") return undefined;
      const pod = node.player(`${namespace}/${podName}`);
      const player = pod?.containers.get(container);
      if (pod === undefined || player?.signal === undefined)
        return { refused: `unable to upgrade connection: container not found (${JSON.stringify(container)})` };
      if (command === undefined) return (session) => player.runs.console.attach(session);
      return (session) => execute({ pod, player, command, tty }, session);
    },
    connect(request) {
      const node = nodes.get(request.node);
      if (node === undefined || node.state !== "up") return undefined;
      const pod = node.player(`${request.namespace}/${request.pod}`);
      return pod === undefined
        ? { refused: `pod not found (${JSON.stringify(`${request.pod}_${request.namespace}`)})` }
        : connectPort(pod, request);
    },
  };
}

interface Execution {
  readonly pod: PodPlayer;
  readonly player: ContainerPlayer;
  readonly command: readonly string[];
  readonly tty: boolean;
}

/** Runs a command next to the main process of a container. */
async function execute({ pod, player, command, tty }: Execution, session: ContainerSession): Promise<number> {
  const output = (stream: "stdout" | "stderr"): ContainerOutput => {
    let ready = Promise.resolve();
    return {
      get ready() {
        return ready;
      },
      write(data) {
        ready = session.write(stream, typeof data === "string" ? utf8Encode(data) : data);
      },
    };
  };
  const stdout = output("stdout");
  const { container, signal } = player;
  const { restartCount } = player.runs;
  const env = await pod.commandEnvironment(player);
  const { exec = runCommand } = pod.script(container.image ?? "");
  return runProcess(exec, {
    clock: pod.clock,
    pod: pod.pod(),
    container,
    args: command,
    env,
    restartCount,
    stdin: session.stdin,
    stdout,
    stderr: tty ? stdout : output("stderr"),
    tty,
    onResize: (callback) => session.onResize(callback),
    signal: AbortSignal.any(signal === undefined ? [session.signal] : [session.signal, signal]),
  });
}

/** Connects to the first running container of a pod that serves a port. */
function connectPort(pod: PodPlayer, { port }: PortRequest): ReturnType<Required<KubeletConnection>["connect"]> {
  for (const { container, signal } of pod.containers.values()) {
    const serve = signal && pod.script(container.image ?? "").ports?.[port];
    if (serve === undefined) continue;
    return async ({ input, write, signal: left }) => serve({ input, write, signal: AbortSignal.any([left, signal!]) });
  }
  return { refused: `failed to connect to localhost:${port} inside the pod: connection refused` };
}
