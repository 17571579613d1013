import type { Output } from "./output.js";

/** Expected output of the examples in `examples/testing`. */
export const testing: Readonly<Record<string, Output>> = {
  "cluster.ts": ["available: 3", "before the restart: OOMKilled", "ran migrate --all"],
  "embedded-server.ts": ["added default/settings blue", "updated default/settings red", "deleted default/settings red"],
  "faults.ts": ["retry 1", "retry 2", "added default/a (list)", "added default/b (relist)", "2 objects, 1 reset"],
  "in-browser.ts": ["a Pending", "a Pending, b Pending", "a Running, b Pending", "a Running, b Pending", "a Running"],
  "rbac.ts": [
    "3 requests: ClusterRole, ClusterRoleBinding, Role, RoleBinding",
    "apiVersion: rbac.authorization.k8s.io/v1",
    "kind: Role",
    "metadata:",
    "  name: operator",
    "  namespace: default",
    "rules:",
    ...["- apiGroups:", '  - ""', "  resourceNames:", "  - settings", "  resources:", "  - configmaps"],
    ...["  verbs:", "  - get", "  - patch"],
    ...["- apiGroups:", '  - ""', "  resources:", "  - configmaps", "  verbs:", "  - create"],
  ],
  "server-state.ts": [
    "[ 'child', 'kube-root-ca.crt', 'parent' ]",
    "[ 'kube-root-ca.crt' ]",
    "[ 'kube-root-ca.crt', 'parent' ]",
    "apiVersion: v1; data:",
    "true",
  ],
};
