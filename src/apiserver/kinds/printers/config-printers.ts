import type { Namespace, Node } from "../../../kinds/core/v1.js";
import type { KindPrinter } from "../shared/kind-printer.js";

/** How nodes, namespaces, configuration, events and storage are printed, by resource. */
export const configPrinters: Readonly<Record<string, KindPrinter>> = {
  "/namespaces": { columns: "Status,Age", cells: ({ status }: Namespace, age) => [status?.phase ?? "", age] },
  "/nodes": {
    columns: "Status,Roles,Age,Version,Internal-IP*,External-IP*,OS-Image*,Kernel-Version*,Container-Runtime*",
    cells: node,
  },
};

const ROLE = "node-role.kubernetes.io/";

function node({ metadata, spec, status }: Node, age: string): unknown[] {
  const ready = status?.conditions?.filter((each) => each.type === "Ready").at(-1);
  const state = ready === undefined ? "Unknown" : ready.status === "True" ? "Ready" : "NotReady";
  const roles = Object.entries(metadata?.labels ?? {}).flatMap(([key, value]) =>
    key.startsWith(ROLE) ? key.slice(ROLE.length) || [] : key === "kubernetes.io/role" ? value || [] : [],
  );
  const info = status?.nodeInfo;
  const address = (type: string): string => status?.addresses?.find((each) => each.type === type)?.address ?? "<none>";
  const kernel = info?.kernelVersion || "<unknown>";
  return [
    spec?.unschedulable === true ? `${state},SchedulingDisabled` : state,
    [...new Set(roles)].sort().join(",") || "<none>",
    age,
    info?.kubeletVersion ?? "",
    address("InternalIP"),
    address("ExternalIP"),
    info?.osImage || "<unknown>",
    (info?.architecture ?? "") === "" ? kernel : `${kernel} (${info?.architecture ?? ""})`,
    info?.containerRuntimeVersion || "<unknown>",
  ];
}
