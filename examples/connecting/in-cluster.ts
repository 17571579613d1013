// A program that runs in a pod: it connects with the pod's service account and finds the namespace it is in. On a
// developer's machine, the same program uses the kubeconfig.
//
// The pod needs a service account that may patch and delete ConfigMaps, and for POD_NAME this entry of `env`:
//   - { name: POD_NAME, valueFrom: { fieldRef: { fieldPath: metadata.name } } }

import { ConfigMap } from "kubestream/kinds/core/v1";
import { connect } from "kubestream/node";

// Without a kubeconfig, `connect` reads KUBERNETES_SERVICE_HOST and the files that Kubernetes mounts into every pod: token,
// certificate authority and namespace. It reads the token again when the kubelet has renewed it.
const client = await connect();
const pod = process.env["POD_NAME"] ?? "not in a pod";
console.log("pod:", pod, "namespace:", client.namespace);

const maps = client.resource(ConfigMap).namespace(client.namespace);
await maps.apply(
  { apiVersion: "v1", kind: "ConfigMap", metadata: { name: "last-run" }, data: { pod } },
  { fieldManager: "in-cluster" },
);
console.log("recorded in last-run");
await maps.delete("last-run");
await client.close();
