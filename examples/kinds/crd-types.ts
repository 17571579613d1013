// Types from a CustomResourceDefinition: one constant gives the schema to the server and the types to the compiler.
import { defineKindFromCrd, isInvalid } from "kubestream";
import { hasCondition, waitFor } from "kubestream/cache";
import { CustomResourceDefinition } from "kubestream/kinds/apiextensions/v1";
import { connect } from "kubestream/node";
import { scale } from "kubestream/operations";

const spec = {
  type: "object",
  required: ["host"],
  properties: { host: { type: "string", pattern: "^[a-z.]+$" }, replicas: { type: "integer", default: 1 } },
} as const;
const status = { type: "object", properties: { replicas: { type: "integer" } } } as const;
const crd = {
  apiVersion: "apiextensions.k8s.io/v1",
  kind: "CustomResourceDefinition",
  metadata: { name: "sites.example.com" },
  spec: {
    group: "example.com",
    scope: "Namespaced",
    names: { kind: "Site", plural: "sites" },
    versions: [
      {
        name: "v1",
        served: true,
        storage: true,
        subresources: {
          status: {},
          scale: { specReplicasPath: ".spec.replicas", statusReplicasPath: ".status.replicas" },
        },
        schema: { openAPIV3Schema: { type: "object", required: ["spec"], properties: { spec, status } } },
      },
    ],
  },
} as const;
const Site = defineKindFromCrd(crd, "v1");

const client = await connect();
const definitions = client.resource(CustomResourceDefinition);
await definitions.apply(structuredClone(crd) as never, { fieldManager: "example" });
await waitFor(definitions, crd.metadata.name, hasCondition("Established"), { timeoutMs: 10_000 });

const sites = client.resource(Site).namespace("default");
console.log((await sites.create({ metadata: { name: "docs" }, spec: { host: "docs.example" } })).spec);
await scale(sites, "docs", 3);
await sites.subresource("status").patch("docs", { type: "merge", patch: { status: { replicas: 2 } } });
const site = await sites.get("docs");
console.log(site.spec.replicas, site.status?.replicas, "generation", site.metadata?.generation);
await sites.create({ metadata: { name: "bad" }, spec: { host: "NOT A HOST" } }).catch((error: unknown) => {
  if (!isInvalid(error)) throw error;
  console.log(error.status.details?.causes?.[0]?.field);
});
await definitions.delete(crd.metadata.name);
await client.close();
