import type { UserInfo } from "../http/user-info.js";
import type { AuthorizationAttributes } from "../rbac/attributes.js";
import type { Authorizer, Decision } from "../rbac/authorizer.js";
import type { PolicyRule } from "../rbac/policy-rule.js";
import { ruleAllows } from "../rbac/policy-rule.js";
import type { NodeGraph } from "./node-graph.js";

const leaseNamespace = "kube-node-lease";
const nodeUserPrefix = "system:node:";

const allow: Decision = { allowed: true, reason: "" };
const no = (reason: string): Decision => ({ allowed: false, reason });

/** Decides a request of a node. */
type Check = (node: string, attributes: AuthorizationAttributes, graph: NodeGraph) => Decision;

/** True for a user who has the name and the group of a node. */
function isNode({ name, groups }: UserInfo): boolean {
  return name.startsWith(nodeUserPrefix) && groups.includes("system:nodes");
}

const related: Check = (node, { resource, namespace, name }, graph) => {
  if (name === "") return no("No Object name found");
  return graph.relates(node, `${resource}/${namespace}/${name}`)
    ? allow
    : no(`no relationship found between node '${node}' and this object`);
};

const readNamespaced: Check = (node, attributes, graph) => {
  if (!["get", "list", "watch"].includes(attributes.verb)) return no("can only read resources of this type");
  if (attributes.subresource !== "") return no("cannot read subresource");
  if (attributes.namespace === "") return no("can only read namespaced object of this type");
  return related(node, attributes, graph);
};

const get: Check = (node, attributes, graph) => {
  if (attributes.verb !== "get") return no("can only get individual resources of this type");
  return attributes.subresource === "" ? related(node, attributes, graph) : no("cannot get subresource");
};

const claim: Check = (node, attributes, graph) => {
  if (attributes.subresource !== "status") return get(node, attributes, graph);
  return ["update", "patch"].includes(attributes.verb)
    ? related(node, attributes, graph)
    : no("can only get/update/patch this type");
};

const createToken: Check = (node, attributes, graph) => {
  if (attributes.verb !== "create" || attributes.name === "")
    return no("can only create tokens for individual service accounts");
  return attributes.subresource === "token"
    ? related(node, attributes, graph)
    : no("can only create token subresource of serviceaccount");
};

const ownVerbs = ["get", "create", "update", "patch", "delete"];

const lease: Check = (node, { verb, namespace, name }) => {
  if (!ownVerbs.includes(verb)) return no("can only get, create, update, patch, or delete a node lease");
  if (namespace !== leaseNamespace) return no(`can only access leases in the "${leaseNamespace}" system namespace`);
  // A create has no name yet.
  return verb === "create" || name === node
    ? allow
    : no("can only access node lease with the same name as the requesting node");
};

const csiNode: Check = (node, { verb, subresource, name }) => {
  if (!ownVerbs.includes(verb)) return no("can only get, create, update, patch, or delete a CSINode");
  if (subresource !== "") return no("cannot authorize CSINode subresources");
  return verb === "create" || name === node
    ? allow
    : no("can only access CSINode with the same name as the requesting node");
};

function selects(attributes: AuthorizationAttributes, field: string, node: string): boolean {
  return (attributes.fieldSelector ?? []).some(
    ({ key, operator, values = [] }) => key === field && operator === "In" && values.length === 1 && values[0] === node,
  );
}

const resourceSlice: Check = (node, attributes, graph) => {
  const { verb, subresource } = attributes;
  if (subresource !== "") return no("cannot authorize ResourceSlice subresources");
  if (verb === "create") return allow;
  if (ownVerbs.includes(verb)) return related(node, attributes, graph);
  if (!["watch", "list", "deletecollection"].includes(verb))
    return no(
      "only the following verbs are allowed for a ResourceSlice: get, watch, list, create, update, patch, delete, deletecollection",
    );
  return selects(attributes, "nodeName", node)
    ? allow
    : no("can only list/watch/deletecollection resourceslices with nodeName field selector");
};

const nodeObject: Check = (node, { verb, subresource, name }) => {
  const writes = ["update", "patch"].includes(verb);
  if (subresource === "status") return writes ? allow : no("");
  if (subresource !== "") return no("");
  if (writes || verb === "create") return allow;
  if (!["get", "list", "watch"].includes(verb)) return no("");
  if (name === node) return allow;
  return no(
    name === ""
      ? `node '${node}' cannot read all nodes, only its own Node object`
      : `node '${node}' cannot read '${name}', only its own Node object`,
  );
};

const pod: Check = (node, attributes, graph) => {
  const { verb, subresource, name } = attributes;
  if (subresource === "status") return ["update", "patch"].includes(verb) ? allow : no("");
  if (subresource === "eviction") return verb === "create" ? allow : no("");
  if (subresource !== "") return no("");
  if (verb === "get") return get(node, attributes, graph);
  if (verb === "create" || verb === "delete") return allow;
  if (verb !== "list" && verb !== "watch") return no("");
  if (selects(attributes, "spec.nodeName", node)) return allow;
  return name === ""
    ? no("can only list/watch pods with spec.nodeName field selector")
    : related(node, attributes, graph);
};

const checks: Readonly<Record<string, Check>> = {
  "/secrets": readNamespaced,
  "/configmaps": readNamespaced,
  "/persistentvolumeclaims": claim,
  "/persistentvolumes": get,
  "resource.k8s.io/resourceclaims": get,
  "storage.k8s.io/volumeattachments": get,
  "/serviceaccounts": createToken,
  "coordination.k8s.io/leases": lease,
  "storage.k8s.io/csinodes": csiNode,
  "resource.k8s.io/resourceslices": resourceSlice,
  "/nodes": nodeObject,
  "/pods": pod,
};

/**
 * Creates the authorizer of kubelets: a node may use the objects that its own pods need. `rules` apply to resources
 * without such a restriction.
 *
 * @see https://kubernetes.io/docs/reference/access-authn-authz/node/
 */
export function nodeAuthorizer(graph: NodeGraph, rules: readonly PolicyRule[]): Authorizer {
  return {
    authorize(attributes) {
      const { user, isResource, group, resource } = attributes;
      if (!isNode(user)) return no("");
      const node = user.name.slice(nodeUserPrefix.length);
      if (node === "") return no(`unknown node for user ${JSON.stringify(user.name)}`);
      const key = `${group}/${resource}`;
      if (isResource && Object.hasOwn(checks, key)) return checks[key]!(node, attributes, graph);
      return { allowed: rules.some((rule) => ruleAllows(rule, attributes)), reason: "" };
    },
    rulesFor: (user) =>
      isNode(user)
        ? { rules: [], incomplete: true, error: "node authorizer does not support user rule resolution" }
        : { rules: [] },
  };
}
