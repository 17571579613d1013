// Install definitions and what depends on them in one call, in whatever order they come, and show the progress.
import { applyManifests, deleteManifests, parseManifests } from "kubestream/manifests";
import { connect } from "kubestream/node";

const client = await connect({ fieldManager: "installer" });
const manifests = await parseManifests(`
apiVersion: example.org/v1
kind: Guestbook
metadata: { name: visitors, namespace: guests }
---
apiVersion: v1
kind: ConfigMap
metadata: { name: settings, namespace: guests }
---
apiVersion: apiextensions.k8s.io/v1
kind: CustomResourceDefinition
metadata: { name: guestbooks.example.org }
spec:
  group: example.org
  scope: Namespaced
  names: { plural: guestbooks, kind: Guestbook }
  versions:
    - { name: v1, served: true, storage: true, schema: { openAPIV3Schema: { type: object } } }
---
apiVersion: v1
kind: Namespace
metadata: { name: guests }
`);
await applyManifests(client, manifests, {
  onProgress({ kind, name, outcome, done, total }) {
    // While the Guestbook's kind isn't served yet, the outcome is "waiting".
    if (outcome !== "waiting") console.log(`${done}/${total} ${outcome} ${kind}/${name}`);
  },
});
await deleteManifests(client, manifests);
await client.close();
