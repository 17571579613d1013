import type { Node, PersistentVolumeClaim, Pod } from "../../kinds/core/v1.js";
import type { ResourceSlice } from "../../kinds/resource/v1.js";
import { refusal } from "../admission/refusal.js";
import { readRequestSubject } from "../internal/certificate-request.js";
import { equalJson } from "../internal/json-value.js";
import type { AdmissionAttributes, AdmissionPlugin, RegistryServices } from "../registry/services.js";
import { getStored } from "../registry/stored-objects.js";
import { mirrorProblem } from "./mirror-pod.js";

const userPrefix = "system:node:";
const leaseNamespace = "kube-node-lease";
const restrictedDomain = "node-restriction.kubernetes.io";
const kubeletSigners = ["kubernetes.io/kubelet-serving", "kubernetes.io/kube-apiserver-client-kubelet"];
/** Labels of Kubernetes that kubelets may set, in addition to those of `kubeletNamespaces`. */
const kubeletLabels = new Set([
  "kubernetes.io/hostname",
  "topology.kubernetes.io/zone",
  "topology.kubernetes.io/region",
  "failure-domain.beta.kubernetes.io/zone",
  "failure-domain.beta.kubernetes.io/region",
  "beta.kubernetes.io/instance-type",
  "node.kubernetes.io/instance-type",
  "kubernetes.io/os",
  "kubernetes.io/arch",
  "beta.kubernetes.io/os",
  "beta.kubernetes.io/arch",
]);
const kubeletNamespaces = ["kubelet.kubernetes.io", "node.kubernetes.io"];

/** Returns the reason why a node may not make a request. */
type Rule = (node: string, attributes: AdmissionAttributes, services: RegistryServices) => string | undefined;

/**
 * Limits kubelets to their own Node, its pods and its other objects.
 *
 * @see https://kubernetes.io/docs/reference/access-authn-authz/admission-controllers/#noderestriction
 */
export const nodeRestriction: AdmissionPlugin = {
  name: "NodeRestriction",
  admit(attributes, { user, services }) {
    if (attributes.operation === "CONNECT" || !user.name.startsWith(userPrefix)) return;
    if (!user.groups.includes("system:nodes")) return;
    const node = user.name.slice(userPrefix.length);
    const problem =
      node === ""
        ? `could not determine node from user ${JSON.stringify(user.name)}`
        : rules[attributes.resource.bucket]?.(node, attributes, services);
    if (problem !== undefined) throw refusal(attributes, problem);
  },
};

const podRule: Rule = (node, { operation, subresource, namespace, name, object, old }, services) => {
  const shown = JSON.stringify(node);
  const bound = (old as Pod | undefined)?.spec?.nodeName === node;
  if (subresource === "status") return bound ? statusProblem(shown, object as Pod, old as Pod) : otherStatus(shown);
  if (subresource === "eviction") {
    const pod = getStored(services, "/pods", `${namespace}/${name}`) as Pod | undefined;
    return pod === undefined || pod.spec?.nodeName === node
      ? undefined
      : `node ${shown} can only evict pods with spec.nodeName set to itself`;
  }
  if (subresource !== "")
    return `unexpected pod subresource ${JSON.stringify(subresource)}, only 'status' and 'eviction' are allowed`;
  if (operation === "CREATE") return mirrorProblem(node, object as Pod, getStored(services, "/nodes", node));
  if (operation === "DELETE")
    return bound ? undefined : `node ${shown} can only delete pods with spec.nodeName set to itself`;
  return `unexpected operation "${operation}", node ${shown} can only create and delete mirror pods`;
};

function otherStatus(node: string): string {
  return `node ${node} can only update pod status for pods with spec.nodeName set to itself`;
}

function statusProblem(node: string, { metadata, status }: Pod, old: Pod): string | undefined {
  if (!equalJson(metadata?.labels ?? {}, old.metadata?.labels ?? {}))
    return `node ${node} cannot update labels through pod status`;
  if (!equalJson(status?.resourceClaimStatuses ?? [], old.status?.resourceClaimStatuses ?? []))
    return `node ${node} cannot update resource claim statues`;
  return equalJson(status?.extendedResourceClaimStatus ?? {}, old.status?.extendedResourceClaimStatus ?? {})
    ? undefined
    : `node ${node} cannot update extended resource claim status`;
}

const nodeRule: Rule = (node, { operation, name, object, old }) => {
  const shown = JSON.stringify(node);
  const requested = name === "" ? (object?.metadata?.name ?? "") : name;
  if (requested !== node) return `node ${shown} is not allowed to modify node ${JSON.stringify(requested)}`;
  if (object === undefined) return undefined;
  const [after, before] = [object as Node, old as Node | undefined];
  const forbidden = forbiddenLabels(after.metadata?.labels ?? {}, before?.metadata?.labels ?? {}).join(", ");
  const source = after.spec?.configSource;
  if (operation === "CREATE") {
    if (source !== undefined) return `node ${shown} is not allowed to create pods with a non-nil configSource`;
    return forbidden === "" ? undefined : `node ${shown} is not allowed to set the following labels: ${forbidden}`;
  }
  if (source !== undefined && !equalJson(source, before?.spec?.configSource))
    return `node ${shown} is not allowed to update configSource to a new non-nil configSource`;
  if (!equalJson(after.spec?.taints ?? [], before?.spec?.taints ?? []))
    return `node ${shown} is not allowed to modify taints`;
  if (!equalJson(after.metadata?.ownerReferences ?? [], before?.metadata?.ownerReferences ?? []))
    return `node ${shown} is not allowed to modify ownerReferences`;
  return forbidden === "" ? undefined : `is not allowed to modify labels: ${forbidden}`;
};

/** Returns the changed labels that kubelets may not set, in order. */
function forbiddenLabels(after: Readonly<Record<string, string>>, before: Readonly<Record<string, string>>): string[] {
  const changed = Object.keys({ ...after, ...before }).filter((key) => after[key] !== before[key]);
  return changed.filter(isForbidden).sort();
}

function isForbidden(label: string): boolean {
  const namespace = label.includes("/") ? label.slice(0, label.indexOf("/")) : "";
  const within = (domain: string): boolean => namespace === domain || namespace.endsWith(`.${domain}`);
  if (within(restrictedDomain)) return true;
  return (within("kubernetes.io") || within("k8s.io")) && !kubeletLabels.has(label) && !kubeletNamespaces.some(within);
}

const claimRule: Rule = (node, { operation, subresource, object, old }) => {
  if (subresource !== "status") return "may only update PVC status";
  if (operation !== "UPDATE") return `unexpected operation "${operation}"`;
  return equalJson(withoutSizes(object as PersistentVolumeClaim), withoutSizes(old as PersistentVolumeClaim))
    ? undefined
    : `node ${JSON.stringify(node)} is not allowed to update fields other than status.quantity and status.conditions`;
};

/** Returns a claim without the fields that nodes may change. */
function withoutSizes({ metadata, status, ...rest }: PersistentVolumeClaim): unknown {
  const { resourceVersion: _version, managedFields: _managers, ...about } = metadata ?? {};
  const {
    capacity: _capacity,
    conditions: _conditions,
    allocatedResources: _allocated,
    allocatedResourceStatuses: _statuses,
    ...state
  } = status ?? {};
  return { ...rest, metadata: about, status: state };
}

function ownName(what: string): Rule {
  return (node, { name, object }) =>
    (name === "" ? object?.metadata?.name : name) === node
      ? undefined
      : `can only access ${what} with the same name as the requesting node`;
}

const leaseRule: Rule = (node, attributes, services) =>
  attributes.namespace === leaseNamespace
    ? ownName("node lease")(node, attributes, services)
    : `can only access leases in the "${leaseNamespace}" system namespace`;

const sliceRule: Rule = (node, { operation, object, old }) => {
  if (operation !== "CREATE" && operation !== "DELETE") return undefined;
  const slice = (operation === "CREATE" ? object : old) as ResourceSlice | undefined;
  return slice?.spec.nodeName === node
    ? undefined
    : `can only ${operation.toLowerCase()} ResourceSlice with the same NodeName as the requesting node`;
};

const requestRule: Rule = (node, { operation, subresource, object }) => {
  if (operation !== "CREATE" || subresource !== "") return undefined;
  const { signerName = "", request = "" } = (object?.["spec"] ?? {}) as { signerName?: string; request?: string };
  if (!kubeletSigners.includes(signerName)) return undefined;
  try {
    if (readRequestSubject(request).commonName === `${userPrefix}${node}`) return undefined;
  } catch (error) {
    return `unable to parse csr: ${(error as Error).message}`;
  }
  return `can only create a node CSR with CN=${userPrefix}${node}`;
};

const rules: Readonly<Record<string, Rule>> = {
  "/pods": podRule,
  "/nodes": nodeRule,
  "/persistentvolumeclaims": claimRule,
  "coordination.k8s.io/leases": leaseRule,
  "storage.k8s.io/csinodes": ownName("CSINode"),
  "resource.k8s.io/resourceslices": sliceRule,
  "certificates.k8s.io/certificatesigningrequests": requestRule,
};
