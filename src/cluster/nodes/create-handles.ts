import type { Informer } from "../../cache/informer/informer.js";
import type { Pod } from "../../kinds/core/v1.js";
import type { DeepReadonly } from "../../meta/object.js";
import { matchesLabels, parseLabelSelector } from "../../meta/selectors.js";
import type { ClusterClock } from "../time/cluster-clock.js";
import type { NodeHandle, PodHandles, PodSelector } from "./handles.js";
import type { Kubelets } from "./kubelet.js";
import type { NodeAgent } from "./node-agent.js";
import type { PodPlayer } from "./pod-player.js";
import type { MachineState, SimulatedNode } from "./simulated-node.js";

/** Parts of a cluster that handles act on. */
export interface HandleParts {
  readonly clock: Pick<ClusterClock, "exactUpkeep">;
  readonly pods: Informer<Pod>;
  readonly nodes: ReadonlyMap<string, SimulatedNode>;
  readonly agents: ReadonlyMap<string, NodeAgent>;
  readonly kubelets: Kubelets;
  readonly settled: () => Promise<void>;
}

/** Creates the handle of the pods that match a selector. `parts` returns the current parts. Throws a `TypeError` for an invalid one. */
export function createPodHandles(parts: () => HandleParts, selector: string | PodSelector): PodHandles {
  const { labels = "", namespace, name } = typeof selector === "string" ? { labels: selector } : selector;
  const requirements = parseLabelSelector(labels);
  const list = (): DeepReadonly<Pod>[] =>
    parts()
      .pods.store.list(namespace === undefined ? {} : { namespace })
      .filter(({ metadata }) => name === undefined || metadata?.name === name)
      .filter(({ metadata }) => matchesLabels(requirements, metadata?.labels));
  const act = async (action: (player: PodPlayer) => number): Promise<void> => {
    const { settled } = parts();
    await settled();
    let affected = 0;
    for (const pod of list()) {
      const node = parts().nodes.get(pod.spec?.nodeName ?? "");
      const player = node?.player(`${pod.metadata!.namespace}/${pod.metadata!.name}`);
      if (player !== undefined && player.uid === pod.metadata!.uid && !player.ended) affected += action(player);
    }
    if (affected === 0) throw new RangeError(`no running pod matches ${JSON.stringify(selector)}`);
    await settled();
  };
  return {
    list,
    crash: ({ exitCode = 1, reason, message, container } = {}) =>
      act((player) => player.crash({ exitCode, reason, message }, container)),
    evict: ({ message = "The node was low on resource: memory. " } = {}) =>
      act((player) => {
        player.evict(message);
        return 1;
      }),
    failProbe: (type, reason = "the probe was set to fail") =>
      act((player) => {
        player.setProbe(type, reason);
        return 1;
      }),
    setUsage: (usage) =>
      act((player) => {
        player.setUsage(usage);
        return 1;
      }),
    passProbe: (type) =>
      act((player) => {
        player.setProbe(type, true);
        return 1;
      }),
  };
}

/** Creates the handle of a node. Throws a `RangeError` for a node that isn't simulated. */
export function createNodeHandle(parts: () => HandleParts, name: string): NodeHandle {
  const { clock, nodes, settled } = parts();
  const node = nodes.get(name);
  if (node === undefined)
    throw new RangeError(
      `node ${JSON.stringify(name)} is not one of the simulated nodes: ${[...nodes.keys()].join(", ")}`,
    );
  const enter = (state: MachineState): void => {
    node.state = state;
    // Lost heartbeats are noticed at their time, so none of the others may be skipped.
    clock.exactUpkeep = [...nodes.values()].some((each) => each.state !== "up");
  };
  return {
    async partition() {
      if (node.state !== "up") throw new RangeError(`node ${name} is already ${node.state}`);
      await settled();
      enter("partitioned");
      parts().agents.get(name)!.stop();
      await settled();
    },
    async crash() {
      await settled();
      enter("crashed");
      parts().agents.get(name)!.stop();
      node.dropAll();
      await settled();
    },
    async recover() {
      if (node.state === "up") return;
      await settled();
      enter("up");
      const { agents, kubelets } = parts();
      await agents.get(name)!.start();
      kubelets.resync(name);
      await settled();
    },
  };
}
