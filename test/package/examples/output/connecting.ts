import type { Output } from "./output.js";

/** Expected output of the examples in `examples/connecting`. */
export const connecting: Readonly<Record<string, Output>> = {
  "access-review.ts": [
    "pods: 0",
    /^secrets is forbidden: User "system:serviceaccount:default:reader" cannot list resource "secrets"/,
    "list pods true",
    "delete pods false",
    "list secrets false",
  ],
  "exec-credential.ts": ["jane [ 'developers', 'system:authenticated' ]"],
  "in-cluster.ts": ["pod: not in a pod namespace: default", "recorded in last-run"],
  "kubeconfig.ts": ["* kubestream true default", "namespace: web", "3 pods", "* ci ci web", "  admin ci default"],
  "service-account.ts": ["expires in minutes: 10", "system:serviceaccount:default:backup"],
};
