import type { Node, Pod, Toleration } from "../../kinds/core/v1.js";
import type { AdmissionPlugin } from "../registry/services.js";

const notReadyTaint = "node.kubernetes.io/not-ready";
const unreachableTaint = "node.kubernetes.io/unreachable";

/** Taints new nodes as not ready, so that pods wait for the first heartbeat. */
export const taintNodesByCondition: AdmissionPlugin = {
  name: "TaintNodesByCondition",
  admit({ operation, resource, subresource, object }) {
    if (operation !== "CREATE" || resource.bucket !== "/nodes" || subresource !== "" || object === undefined) return;
    const spec = ((object as Node).spec ??= {});
    if (spec.taints?.some(({ key, effect }) => key === notReadyTaint && effect === "NoSchedule") !== true)
      spec.taints = [...(spec.taints ?? []), { key: notReadyTaint, effect: "NoSchedule" }];
  },
};

/** Lets pods stay for five minutes on a node that isn't ready or unreachable. */
export const defaultTolerationSeconds: AdmissionPlugin = {
  name: "DefaultTolerationSeconds",
  admit({ operation, resource, subresource, object }) {
    if (resource.bucket !== "/pods" || subresource !== "" || object === undefined) return;
    if (operation !== "CREATE" && operation !== "UPDATE") return;
    const spec = ((object as Pod).spec ??= { containers: [] });
    const given = spec.tolerations ?? [];
    const missing = [notReadyTaint, unreachableTaint].filter((key) => !given.some((each) => tolerates(each, key)));
    if (missing.length === 0) return;
    spec.tolerations = [
      ...given,
      ...missing.map((key): Toleration => ({ key, operator: "Exists", effect: "NoExecute", tolerationSeconds: 300 })),
    ];
  },
};

function tolerates({ key, effect }: Toleration, taint: string): boolean {
  // An empty key or effect matches all.
  return ((key ?? "") === "" || key === taint) && (!effect || effect === "NoExecute");
}
