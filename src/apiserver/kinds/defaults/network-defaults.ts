import type { EndpointPort } from "../../../kinds/discovery/v1.js";
import type { IngressClass, NetworkPolicy, NetworkPolicyPort } from "../../../kinds/networking/v1.js";
import type { StructHooks } from "../shared/walk-structs.js";

/** Defaults of the groups networking.k8s.io and discovery.k8s.io. */
export const networkDefaults: StructHooks = {
  "io.k8s.api.networking.v1.NetworkPolicy": ({ spec }: NetworkPolicy) => {
    if (spec === undefined || (spec.policyTypes ?? []).length > 0) return;
    spec.policyTypes = (spec.egress ?? []).length > 0 ? ["Ingress", "Egress"] : ["Ingress"];
  },
  "io.k8s.api.networking.v1.NetworkPolicyPort": (port: NetworkPolicyPort) => {
    port.protocol ??= "TCP";
  },
  "io.k8s.api.networking.v1.IngressClass": ({ spec }: IngressClass) => {
    if (spec?.parameters !== undefined) spec.parameters.scope ??= "Cluster";
  },
  "io.k8s.api.discovery.v1.EndpointPort": (port: EndpointPort) => {
    port.name ??= "";
    port.protocol ??= "TCP";
  },
};
