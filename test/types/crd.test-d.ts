import { defineKindFromCrd } from "../../src/meta/define-kind-from-crd.js";
import type { ObjectOf } from "../../src/meta/kind.js";
import type { Equal, Expect, ScopeOf, SubOf } from "./assert.js";

const crd = {
  apiVersion: "apiextensions.k8s.io/v1",
  kind: "CustomResourceDefinition",
  metadata: { name: "crontabs.example.com" },
  spec: {
    group: "example.com",
    names: { kind: "CronTab", plural: "crontabs" },
    scope: "Namespaced",
    versions: [
      {
        name: "v1",
        served: true,
        storage: true,
        schema: {
          openAPIV3Schema: {
            type: "object",
            required: ["spec"],
            properties: {
              spec: {
                type: "object",
                required: ["cron", "port"],
                properties: {
                  cron: { type: "string" },
                  port: { "x-kubernetes-int-or-string": true },
                  policy: { type: "string", enum: ["Allow", "Forbid"] },
                  labels: { type: "object", additionalProperties: { type: "string" } },
                  steps: {
                    type: "array",
                    items: {
                      type: "object",
                      required: ["name"],
                      properties: { name: { type: "string" }, args: { type: "array", items: { type: "string" } } },
                    },
                  },
                  limit: { type: "integer", nullable: true },
                  free: { type: "object", "x-kubernetes-preserve-unknown-fields": true },
                },
              },
              status: { type: "object", properties: { ready: { type: "boolean" } } },
            },
          },
        },
        subresources: {
          status: {},
          scale: { specReplicasPath: ".spec.replicas", statusReplicasPath: ".status.replicas" },
        },
      },
      { name: "v1alpha1", served: true, storage: false },
    ],
  },
} as const;

export const CronTab = defineKindFromCrd(crd, "v1");
type Spec = ObjectOf<typeof CronTab>["spec"];
export type FromCrd = [
  Expect<Equal<ScopeOf<typeof CronTab>, "Namespaced">>,
  Expect<Equal<keyof SubOf<typeof CronTab>, "status" | "scale">>,
  Expect<Equal<ObjectOf<typeof CronTab>["apiVersion"], "example.com/v1" | undefined>>,
  Expect<Equal<Spec["cron"], string>>,
  Expect<Equal<Spec["port"], string | number>>,
  Expect<Equal<Spec["policy"], "Allow" | "Forbid" | undefined>>,
  Expect<Equal<Spec["labels"], Record<string, string> | undefined>>,
  Expect<Equal<Spec["limit"], number | null | undefined>>,
  Expect<Equal<NonNullable<Spec["steps"]>[number], { name: string; args?: string[] }>>,
];

export const Old = defineKindFromCrd(crd, "v1alpha1");
export type WithoutSchema = [Expect<Equal<keyof SubOf<typeof Old>, never>>];

// @ts-expect-error no such version
defineKindFromCrd(crd, "v2");
