import type { Output } from "./output.js";

/** Expected output of the examples in `examples/kinds`. */
export const kinds: Readonly<Record<string, Output>> = {
  "crd-types.ts": ["{ host: 'docs.example', replicas: 1 }", "3 2 generation 2", "spec.host"],
  "custom-kind.ts": ["nightly 0 3 * * * 2"],
  "discovery.ts": [
    "controllerrevisions  apps/v1 Namespaced ControllerRevision",
    "daemonsets ds apps/v1 Namespaced DaemonSet",
    "deployments deploy apps/v1 Namespaced Deployment",
    "replicasets rs apps/v1 Namespaced ReplicaSet",
    "statefulsets sts apps/v1 Namespaced StatefulSet",
    "kubectl get all: 10 kinds",
    "ConfigMap dynamic { colour: 'blue' }",
  ],
  "kind-from-schema.ts": [
    "filled in by the server: 7",
    /spec\.keep: .*greater than or equal to 1$/,
    /spec: .*database is immutable$/,
    "{ lastRun: '2030-01-01T03:00:00Z' }",
    "[ 'nightly', '0 3 * * *' ]",
  ],
};
