import type { CustomResourceDefinition } from "../../src/kinds/apiextensions/v1.js";
import type { Deployment } from "../../src/kinds/apps/v1.js";
import type { Pod } from "../../src/kinds/core/v1.js";
import type { DeepReadonly } from "../../src/meta/object.js";
import type {
  ApplyConfiguration,
  JsonPatchOperation,
  MergePatch,
  Patch,
  StatusApplyConfiguration,
  StrategicMergePatch,
} from "../../src/patch/patch-types.js";

export const merge: MergePatch<Deployment>[] = [
  { metadata: { labels: { tier: null, app: "web" }, annotations: null }, spec: { replicas: 2 } },
  // @ts-expect-error did you mean 'replicas'
  { spec: { replica: 2 } },
  // @ts-expect-error a merge patch has no directives
  { spec: { $retainKeys: ["replicas"] } },
  // @ts-expect-error a list is replaced, so its elements must be complete
  { spec: { template: { spec: { containers: [{ image: "x" }] } } } },
];
declare const cached: DeepReadonly<Deployment>;
export const fromCache: MergePatch<Deployment> = { spec: { template: cached.spec?.template } };

export const strategic: StrategicMergePatch<Deployment>[] = [
  {
    spec: {
      template: {
        spec: { containers: [{ name: "app", image: "x" }, { $patch: "delete", name: "old" }, { $patch: "replace" }] },
      },
    },
  },
  { spec: { strategy: { $retainKeys: ["type"], type: "Recreate" } } },
  { metadata: { "$deleteFromPrimitiveList/finalizers": ["a"], finalizers: null } },
  { spec: { template: { spec: { "$setElementOrder/containers": [{ name: "app" }] } } } },
  // @ts-expect-error no such directive
  { spec: { $patch: "remove" } },
  // @ts-expect-error not a list of strings
  { spec: { template: { spec: { "$deleteFromPrimitiveList/containers": ["a"] } } } },
];

export const operations: JsonPatchOperation[] = [
  { op: "replace", path: "/spec/replicas", value: 2 },
  { op: "remove", path: "/spec" },
  { op: "move", from: "/a", path: "/b" },
  // @ts-expect-error remove has no value
  { op: "remove", path: "/spec", value: 1 },
  // @ts-expect-error add needs a value
  { op: "add", path: "/spec" },
  // @ts-expect-error copy needs from
  { op: "copy", path: "/b" },
];

export const patches: Patch<Pod, "json" | "merge">[] = [
  { type: "merge", patch: { metadata: { labels: null } } },
  { type: "json", operations: [] },
  // @ts-expect-error strategic is not one of the patch types
  { type: "strategic", patch: {} },
];

export const apply: ApplyConfiguration<Deployment>[] = [
  {
    apiVersion: "apps/v1",
    kind: "Deployment",
    metadata: { name: "a" },
    spec: { replicas: 1, template: { spec: { containers: [{ name: "c" }] } } },
  },
  // @ts-expect-error a name is required
  { apiVersion: "apps/v1", kind: "Deployment", metadata: {} },
  // @ts-expect-error the apiVersion must match the kind
  { apiVersion: "v1", kind: "Deployment", metadata: { name: "a" } },
  // @ts-expect-error status goes through its subresource
  { apiVersion: "apps/v1", kind: "Deployment", metadata: { name: "a" }, status: { replicas: 1 } },
  // @ts-expect-error the server refuses managed fields
  { apiVersion: "apps/v1", kind: "Deployment", metadata: { name: "a", managedFields: [] } },
];
export const status: StatusApplyConfiguration<Deployment>[] = [
  { apiVersion: "apps/v1", kind: "Deployment", metadata: { name: "a" }, status: { replicas: 1 } },
  // @ts-expect-error the status subresource ignores the spec
  { apiVersion: "apps/v1", kind: "Deployment", metadata: { name: "a" }, spec: { replicas: 1 } },
];
export const anyKind: ApplyConfiguration<unknown> = {
  apiVersion: "x/v1",
  kind: "Y",
  metadata: { name: "a" },
  spec: { free: 1 },
};
export const recursive: ApplyConfiguration<CustomResourceDefinition> = {
  apiVersion: "apiextensions.k8s.io/v1",
  kind: "CustomResourceDefinition",
  metadata: { name: "a" },
  spec: {
    versions: [{ name: "v1", schema: { openAPIV3Schema: { properties: { spec: { items: { type: "string" } } } } } }],
  },
};
