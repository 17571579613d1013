// The Website kind: its CustomResourceDefinition, and the types that follow from it.
import { defineKindFromCrd, type ObjectOf } from "kubestream";

const integer = { type: "integer", format: "int32", minimum: 0 } as const;
const text = { type: "string" } as const;

const spec = {
  type: "object",
  required: ["image", "host"],
  properties: { image: text, host: text, replicas: { ...integer, default: 1 } },
} as const;

const condition = {
  type: "object",
  required: ["type", "status", "reason", "message", "lastTransitionTime"],
  properties: {
    type: text,
    status: { type: "string", enum: ["True", "False", "Unknown"] },
    reason: text,
    message: text,
    lastTransitionTime: { type: "string", format: "date-time" },
    observedGeneration: { type: "integer", format: "int64" },
  },
} as const;

const status = {
  type: "object",
  properties: {
    readyReplicas: integer,
    conditions: {
      type: "array",
      items: condition,
      "x-kubernetes-list-type": "map",
      "x-kubernetes-list-map-keys": ["type"],
    },
  },
} as const;

export const crd = {
  apiVersion: "apiextensions.k8s.io/v1",
  kind: "CustomResourceDefinition",
  metadata: { name: "websites.example.com" },
  spec: {
    group: "example.com",
    scope: "Namespaced",
    names: { kind: "Website", plural: "websites" },
    versions: [
      {
        name: "v1",
        served: true,
        storage: true,
        subresources: { status: {} },
        schema: { openAPIV3Schema: { type: "object", required: ["spec"], properties: { spec, status } } },
      },
    ],
  },
} as const;

export const Website = defineKindFromCrd(crd, "v1");
export type Website = ObjectOf<typeof Website>;
