// Steps of random histories that change nodes.
import { drain } from "../../../../src/operations/drain.js";
import { act, ownTaint, patchNode, type ScenarioStep } from "../scenario.js";
import type { World } from "./world.js";

/** Changes a node, or takes its change back. */
export function nodeSteps({ choices, name, nodes, live, changedNodes }: World): ScenarioStep[] {
  const node = `${name}-${String(1 + choices.below(nodes))}`;
  const back = changedNodes.get(node);
  if (back !== undefined) {
    changedNodes.delete(node);
    return [back];
  }
  const taints = (...own: object[]): object => ({ spec: { taints: [ownTaint(name), ...own] } });
  const uncordon = patchNode(node, { spec: { unschedulable: null } });
  // Each cluster has the ended pods of a Job on other nodes, which a drain or a taint would remove.
  const hasJobs = live.some(({ kind }) => kind === "Job" || kind === "CronJob");
  switch (hasJobs ? choices.pick([0, 4]) : choices.below(5)) {
    case 0:
      changedNodes.set(node, uncordon);
      return [patchNode(node, { spec: { unschedulable: true } })];
    case 1:
      changedNodes.set(node, uncordon);
      return [
        act(
          `drain ${node}`,
          ({ client }) =>
            drain(client, node, {
              ignoreDaemonSets: true,
              force: true,
              gracePeriodSeconds: 1,
              timeoutMs: 8_000,
            }).catch(() => undefined),
          8_000,
        ),
      ];
    case 2:
    case 3: {
      const effect = choices.pick(["NoExecute", "NoSchedule"]);
      changedNodes.set(node, patchNode(node, taints()));
      return [patchNode(node, taints({ key: "example.com/x", value: "y", effect }), 8_000)];
    }
    default:
      changedNodes.set(node, patchNode(node, { metadata: { labels: { pool: name } } }));
      return [patchNode(node, { metadata: { labels: { pool: "elsewhere" } } }, 8_000)];
  }
}
