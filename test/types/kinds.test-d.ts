import { CustomResourceDefinition } from "../../src/kinds/apiextensions/v1.js";
import { Deployment } from "../../src/kinds/apps/v1.js";
import { TokenReview } from "../../src/kinds/authentication/v1.js";
import type { Scale } from "../../src/kinds/autoscaling/v1.js";
import { Namespace, Node, Pod } from "../../src/kinds/core/v1.js";
import { defineKind } from "../../src/meta/define-kind.js";
import type { Kind, ObjectOf } from "../../src/meta/kind.js";
import type { StandardSchema } from "../../src/meta/standard-schema.js";
import type { validateObject } from "../../src/objects/validate-object.js";
import type { Equal, Expect, PatchesOf, ScopeOf, SubOf } from "./assert.js";

export type BuiltIn = [
  Expect<Equal<ObjectOf<typeof Pod>, Pod>>,
  Expect<Equal<ScopeOf<typeof Pod>, "Namespaced">>,
  Expect<Equal<ScopeOf<typeof Node>, "Cluster">>,
  Expect<Equal<keyof SubOf<typeof Deployment>, "status" | "scale">>,
  Expect<Equal<SubOf<typeof Deployment>["scale"], Scale>>,
  Expect<Equal<keyof SubOf<typeof Pod>, "binding" | "ephemeralcontainers" | "eviction" | "resize" | "status">>,
  Expect<Equal<keyof SubOf<typeof Namespace>, "finalize" | "status">>,
  Expect<Equal<PatchesOf<typeof Pod>, "json" | "merge" | "strategic">>,
  Expect<Equal<PatchesOf<typeof TokenReview>, never>>,
  Expect<Equal<keyof SubOf<typeof CustomResourceDefinition>, "status">>,
];

// @ts-expect-error a namespaced kind is not a cluster-scoped kind
export const wrongScope: Kind<Pod, "Cluster"> = Pod;
export const pod: Pod = {
  apiVersion: "v1",
  kind: "Pod",
  metadata: { name: "a" },
  spec: { containers: [{ name: "c", restartPolicy: "Always" }] },
};
// @ts-expect-error containers are required
export const noContainers: Pod = { spec: {} };
// @ts-expect-error the name of another kind
export const wrongKind: Pod = { kind: "Node" };
// @ts-expect-error not one of the values
export const wrongEnum: Pod = { spec: { containers: [], dnsPolicy: "Sometimes" } };

interface CronTabSpec {
  cronSpec: string;
  replicas?: number;
}
interface CronTabStatus {
  ready: boolean;
}
export const CronTab = defineKind<CronTabSpec, CronTabStatus>()({
  group: "example.com",
  version: "v1",
  kind: "CronTab",
  plural: "crontabs",
  scope: "Namespaced",
  scale: true,
});
type CronTabObject = ObjectOf<typeof CronTab>;
export type Custom = [
  Expect<Equal<ScopeOf<typeof CronTab>, "Namespaced">>,
  Expect<Equal<keyof SubOf<typeof CronTab>, "status" | "scale">>,
  Expect<Equal<SubOf<typeof CronTab>["status"], CronTabObject>>,
  Expect<Equal<PatchesOf<typeof CronTab>, "json" | "merge">>,
  Expect<Equal<CronTabObject["spec"], CronTabSpec | undefined>>,
  Expect<Equal<CronTabObject["apiVersion"], "example.com/v1" | undefined>>,
];

export const Plain = defineKind<CronTabSpec>()({
  group: "example.com",
  version: "v1",
  kind: "Plain",
  plural: "plains",
  scope: "Cluster",
});
export type PlainKind = [
  Expect<Equal<keyof SubOf<typeof Plain>, never>>,
  Expect<Equal<ScopeOf<typeof Plain>, "Cluster">>,
];

declare const schema: StandardSchema<unknown, { spec: CronTabSpec; status?: CronTabStatus }>;
export const Checked = defineKind({
  group: "example.com",
  version: "v1",
  kind: "Checked",
  plural: "checks",
  scope: "Cluster",
  schema,
});
export type CheckedKind = [
  Expect<Equal<ObjectOf<typeof Checked>["spec"], CronTabSpec>>,
  Expect<Equal<keyof SubOf<typeof Checked>, "status">>,
  Expect<Equal<ObjectOf<typeof Checked>["kind"], "Checked" | undefined>>,
];

/** A validator with a default and a conversion. */
declare const converting: StandardSchema<
  { spec: { cron: string; replicas?: number | undefined } },
  { spec: { cron: Date; replicas: number } }
>;
export const Converted = defineKind({
  group: "example.com",
  version: "v1",
  kind: "Converted",
  plural: "converteds",
  scope: "Cluster",
  schema: converting,
});
// A field with a default is optional, and the type is the one on the wire.
export const converted: ObjectOf<typeof Converted> = { metadata: { name: "a" }, spec: { cron: "* * * * *" } };
declare const validated: Awaited<ReturnType<typeof validateObject<typeof converting>>>;
export type ConvertedKind = [
  Expect<Equal<ObjectOf<typeof Converted>["spec"]["replicas"], number | undefined>>,
  Expect<(typeof Converted)["schema"] extends typeof converting ? true : false>,
  Expect<Equal<(typeof validated)["spec"], { cron: Date; replicas: number }>>,
];

// @ts-expect-error no such scope
defineKind<CronTabSpec>()({ group: "example.com", version: "v1", kind: "X", plural: "xs", scope: "Global" });
