import type { Service } from "../../../../kinds/core/v1.js";
import type { KindDefinition } from "../../shared/kind-definition.js";
import { defineBuiltin } from "../../shared/kind-definition.js";
import { loadBalancerText } from "../../shared/load-balancer.js";
import { formatLabels } from "../../shared/print-labels.js";
import { prepareService, prepareServiceUpdate } from "./prepare-service.js";
import { isExternal, validateService, validateServiceStatus, validateServiceUpdate } from "./service-errors.js";
import { serviceWarnings } from "./service-warnings.js";

function setDefaults(object: Service): void {
  const spec = (object.spec ??= {});
  spec.sessionAffinity ??= "None";
  if (spec.sessionAffinity === "None") delete spec.sessionAffinityConfig;
  else if (spec.sessionAffinityConfig?.clientIP?.timeoutSeconds === undefined)
    spec.sessionAffinityConfig = { clientIP: { timeoutSeconds: 10800 } };
  spec.type ??= "ClusterIP";
  for (const port of spec.ports ?? []) {
    port.protocol ??= "TCP";
    if (port.targetPort === undefined || port.targetPort === 0 || port.targetPort === "") port.targetPort = port.port;
  }
  if (isExternal(spec)) spec.externalTrafficPolicy ??= "Cluster";
  if (spec.type !== "ExternalName") spec.internalTrafficPolicy ??= "Cluster";
  if (spec.type !== "LoadBalancer") return;
  spec.allocateLoadBalancerNodePorts ??= true;
  for (const ingress of object.status?.loadBalancer?.ingress ?? [])
    if ((ingress.ip ?? "") !== "") ingress.ipMode ??= "VIP";
}
function externalAddresses({ spec, status }: Service): string {
  const external = spec?.externalIPs ?? [];
  if (spec?.type === "ExternalName") return spec.externalName ?? "";
  // The empty Service of a bookmark has no type.
  if ((spec?.type ?? "") === "") return "<unknown>";
  if (spec?.type !== "LoadBalancer") return external.join(",") || "<none>";
  const balanced = loadBalancerText(status?.loadBalancer?.ingress);
  return [...(balanced === "" ? [] : balanced.split(",")), ...external].join(",") || "<pending>";
}

function portsCell({ spec }: Service): string {
  const ports = (spec?.ports ?? []).map(({ port, nodePort = 0, protocol = "" }) =>
    nodePort > 0 ? `${String(port)}:${String(nodePort)}/${protocol}` : `${String(port)}/${protocol}`,
  );
  return ports.join(",") || "<none>";
}

export const service: KindDefinition = defineBuiltin<Service>({
  resource: "/services",
  createOnUpdate: true,
  metadata: { name: "label" },
  defaults: { "io.k8s.api.core.v1.Service": setDefaults },
  prepare: { create: prepareService, update: prepareServiceUpdate },
  validate: {
    create: (object) => validateService(object),
    update: validateServiceUpdate,
    status: validateServiceStatus,
  },
  deletion: { deletesAlong: "/endpoints", returnsObject: true },
  warnings: serviceWarnings,
  printer: {
    columns: "Type,Cluster-IP,External-IP,Port(s),Age,Selector*",
    cells: (object, age) => [
      object.spec?.type ?? "",
      object.spec?.clusterIPs?.[0] ?? "<none>",
      externalAddresses(object),
      portsCell(object),
      age,
      formatLabels(object.spec?.selector),
    ],
  },
  selectableFields: ({ spec }) => ({ "spec.clusterIP": spec?.clusterIP ?? "", "spec.type": spec?.type ?? "" }),
});
