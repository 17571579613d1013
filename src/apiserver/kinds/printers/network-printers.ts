import type { Endpoints, Service } from "../../../kinds/core/v1.js";
import type { EndpointSlice } from "../../../kinds/discovery/v1.js";
import type { Ingress, IngressClass, IPAddress, NetworkPolicy, ServiceCIDR } from "../../../kinds/networking/v1.js";
import type { KindPrinter } from "../shared/kind-printer.js";
import { firstFew } from "../shared/kind-printer.js";
import { formatLabels, formatSelector } from "../shared/print-labels.js";

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
  "discovery.k8s.io/endpointslices": {
    columns: "AddressType,Ports,Endpoints,Age",
    cells: (slice: EndpointSlice, age) => [
      slice.addressType,
      some((slice.ports ?? []).map((port) => String(port.port ?? port.name ?? "*"))),
      some(slice.endpoints?.flatMap((each) => each.addresses) ?? []),
      age,
    ],
  },
  "networking.k8s.io/ingresses": {
    columns: "Class,Hosts,Address,Ports,Age",
    cells: ({ spec, status }: Ingress, age) => {
      return [
        spec?.ingressClassName ?? "<none>",
        hostsText(spec?.rules ?? []),
        balancerText(status?.loadBalancer?.ingress),
        (spec?.tls ?? []).length > 0 ? "80, 443" : "80",
        age,
      ];
    },
  },
  "networking.k8s.io/ingressclasses": {
    columns: "Controller,Parameters,Age",
    name: ({ metadata }: IngressClass) =>
      `${metadata?.name ?? ""}${metadata?.annotations?.["ingressclass.kubernetes.io/is-default-class"] === "true" ? " (default)" : ""}`,
    cells: ({ spec }: IngressClass, age) => {
      const parameters = spec?.parameters;
      const text =
        parameters === undefined
          ? "<none>"
          : `${parameters.kind}${parameters.apiGroup === undefined ? "" : `.${parameters.apiGroup}`}/${parameters.name}`;
      return [spec?.controller ?? "", text, age];
    },
  },
  "networking.k8s.io/networkpolicies": {
    columns: "Pod-Selector,Age",
    cells: ({ spec }: NetworkPolicy, age) => [formatSelector(spec?.podSelector), age],
  },
  // A real server prints the age without a heading.
  "networking.k8s.io/ipaddresses": {
    columns: "ParentRef",
    cells: ({ spec }: IPAddress, age) => {
      const parent = spec?.parentRef;
      if (parent === undefined) return ["<none>", age];
      const resource = `${parent.resource}${(parent.group ?? "") === "" ? "" : `.${parent.group ?? ""}`}`.toLowerCase();
      return [[resource, ...((parent.namespace ?? "") === "" ? [] : [parent.namespace]), parent.name].join("/"), age];
    },
  },
  "networking.k8s.io/servicecidrs": {
    columns: "CIDRs,Age",
    cells: ({ spec }: ServiceCIDR, age) => [(spec?.cidrs ?? []).join(","), age],
  },
};

/** The first three hosts; rules without one count when the rest is counted. */
function hostsText(rules: readonly { host?: string }[]): string {
  const hosts: string[] = [];
  for (const { host } of rules) {
    if (hosts.length === 3) return `${hosts.join(",")} + ${String(rules.length - 3)} more...`;
    if ((host ?? "") !== "") hosts.push(host ?? "");
  }
  return hosts.join(",") || "*";
}

function externalAddresses({ spec, status }: Service): string {
  const external = spec?.externalIPs ?? [];
  if (spec?.type === "ExternalName") return spec.externalName ?? "";
  // A bookmark's Service is of no type.
  if ((spec?.type ?? "") === "") return "<unknown>";
  if (spec?.type !== "LoadBalancer") return external.join(",") || "<none>";
  const balanced = balancerText(status?.loadBalancer?.ingress);
  return [...(balanced === "" ? [] : balanced.split(",")), ...external].join(",") || "<pending>";
}

function balancerText(ingress: readonly { ip?: string; hostname?: string }[] | undefined): string {
  const found = (ingress ?? []).flatMap((each) => each.ip || each.hostname || []);
  return [...new Set(found)].sort().join(",");
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

function some(list: readonly string[]): string {
  return firstFew(list, 3) || "<unset>";
}
