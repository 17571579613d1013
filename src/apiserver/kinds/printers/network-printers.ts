import type { Endpoints, Service } from "../../../kinds/core/v1.js";
import type { KindPrinter } from "../shared/kind-printer.js";
import { firstFew } from "../shared/kind-printer.js";
import { loadBalancerText } from "../shared/load-balancer.js";
import { formatLabels } from "../shared/print-labels.js";

/** How the kinds of networking are printed, by resource. */
export const networkPrinters: Readonly<Record<string, KindPrinter>> = {
  "/services": {
    columns: "Type,Cluster-IP,External-IP,Port(s),Age,Selector*",
    cells: (service: Service, age) => {
      const { spec } = service;
      const ports = (spec?.ports ?? []).map(
        (port) =>
          `${String(port.port)}${(port.nodePort ?? 0) > 0 ? `:${String(port.nodePort)}` : ""}/${port.protocol ?? ""}`,
      );
      return [
        spec?.type ?? "",
        spec?.clusterIPs?.[0] ?? "<none>",
        externalAddresses(service),
        ports.join(",") || "<none>",
        age,
        formatLabels(spec?.selector),
      ];
    },
  },
  "/endpoints": { columns: "Endpoints,Age", cells: (endpoints: Endpoints, age) => [endpointsText(endpoints), age] },
  // A real server prints the age without a heading.
};

function externalAddresses({ spec, status }: Service): string {
  const external = spec?.externalIPs ?? [];
  if (spec?.type === "ExternalName") return spec.externalName ?? "";
  // A bookmark's Service is of no type.
  if ((spec?.type ?? "") === "") return "<unknown>";
  if (spec?.type !== "LoadBalancer") return external.join(",") || "<none>";
  const balanced = loadBalancerText(status?.loadBalancer?.ingress);
  return [...(balanced === "" ? [] : balanced.split(",")), ...external].join(",") || "<pending>";
}

function endpointsText({ subsets }: Endpoints): string {
  if ((subsets ?? []).length === 0) return "<none>";
  const list = (subsets ?? []).flatMap(({ addresses, ports }) => {
    const hosts = (addresses ?? []).map((each) => each.ip);
    if ((ports ?? []).length === 0) return hosts;
    return (ports ?? []).flatMap((port) =>
      hosts.map((host) => `${host.includes(":") ? `[${host}]` : host}:${String(port.port)}`),
    );
  });
  return firstFew(list, 3);
}
