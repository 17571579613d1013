import { expect, it } from "vitest";
import type { Json } from "./run-sequences.js";
import {
  at,
  core,
  leases,
  longAgo,
  maps,
  named,
  openSequences,
  pod,
  pods,
  testSequences,
  trinket,
  trinkets,
} from "./run-sequences.js";

const { send } = openSequences();

testSequences("deletions and evictions", send, [
  [
    "an object that loses its last finalizer is returned unchanged",
    [
      ["POST", `${core}/serviceaccounts`, named("a", { finalizers: ["orphan"] })],
      ["DELETE", `${core}/serviceaccounts/a?propagationPolicy=Background`],
    ],
    { "/status": 200, "/body/kind": "ServiceAccount", "/body/metadata/finalizers": ["orphan"] },
  ],
  [
    "a dry run of a deletion that removes the last finalizer returns an empty object",
    [
      ["POST", maps, named("a", { finalizers: ["orphan"] })],
      ["DELETE", `${maps}/a?propagationPolicy=Background&dryRun=All`],
    ],
    { "/body": { kind: "ConfigMap", apiVersion: "v1", metadata: {} } },
  ],
  [
    "a dry run of a Service deletion that removes the last finalizer returns an empty Service",
    [
      ["POST", `${core}/services`, named("a", { finalizers: ["orphan"] }, { spec: { ports: [{ port: 80 }] } })],
      ["DELETE", `${core}/services/a?propagationPolicy=Background&dryRun=All`],
    ],
    { "/body": { kind: "Service", apiVersion: "v1", metadata: {}, spec: {}, status: { loadBalancer: {} } } },
  ],
  [
    "a dry run of a custom resource deletion that removes the last finalizer returns only its type",
    [
      ["POST", trinkets, trinket("a", { finalizers: ["orphan"] })],
      ["DELETE", `${trinkets}/a?propagationPolicy=Background&dryRun=All`],
    ],
    { "/body": { kind: "Trinket", apiVersion: "random.cf.dev/v1" } },
  ],
  [
    "a deleted StorageClass is returned in the response",
    [
      ["POST", "/apis/storage.k8s.io/v1/storageclasses", named("a", {}, { provisioner: "a/b" })],
      ["DELETE", "/apis/storage.k8s.io/v1/storageclasses/a"],
    ],
    { "/body/kind": "StorageClass" },
  ],
  [
    "a namespace gets the finalizer of its propagation policy",
    [
      ["POST", "/api/v1/namespaces", named("n")],
      ["DELETE", "/api/v1/namespaces/n?propagationPolicy=Foreground"],
    ],
    { "/body/metadata/finalizers": ["foregroundDeletion"], "/body/status/phase": "Terminating" },
  ],
  [
    "an evicted pod gets the condition DisruptionTarget",
    [
      ["POST", pods, { ...pod, metadata: { name: "p", finalizers: ["x.example/y"] } }],
      ["POST", `${pods}/p/eviction`, { apiVersion: "policy/v1", kind: "Eviction", metadata: { name: "p" } }],
      ["GET", `${pods}/p`],
    ],
    {
      "/body/status/conditions/0/type": "DisruptionTarget",
      "/body/status/conditions/0/reason": "EvictionByEvictionAPI",
      "/body/status/conditions/0/message": "Eviction API: evicting",
    },
  ],
  [
    "an eviction accepts an empty resourceVersion as precondition",
    [
      ["POST", pods, pod],
      [
        "POST",
        `${pods}/p/eviction`,
        { metadata: { name: "p" }, deleteOptions: { preconditions: { resourceVersion: "" } } },
      ],
    ],
    { "/status": 201 },
  ],
  [
    "an eviction rejects an empty uid as precondition",
    [
      ["POST", pods, pod],
      ["POST", `${pods}/p/eviction`, { metadata: { name: "p" }, deleteOptions: { preconditions: { uid: "" } } }],
    ],
    { "/status": 409 },
  ],
  [
    "an evicted pod's condition has all fields of the struct",
    [
      ["POST", pods, { ...pod, metadata: { name: "p", finalizers: ["x.example/y"] } }],
      ["POST", `${pods}/p/eviction`, { apiVersion: "policy/v1", kind: "Eviction", metadata: { name: "p" } }],
      ["GET", `${pods}/p`],
    ],
    { "/body/status/conditions/0/lastProbeTime": null },
  ],
  [
    "DeleteOptions of another known kind are rejected",
    [["DELETE", `${maps}/a`, { apiVersion: "v1", kind: "Status" }]],
    { "/status": 400 },
  ],
  [
    "DeleteOptions of a kind that isn't an options kind are rejected",
    [["DELETE", `${maps}/a`, { apiVersion: "v1", kind: "ConfigMap" }]],
    { "/status": 400 },
  ],
  [
    "a second deletion of a CustomResourceDefinition sets its grace period to 0",
    [
      [
        "PATCH",
        "/apis/apiextensions.k8s.io/v1/customresourcedefinitions/trinkets.random.cf.dev",
        { metadata: { finalizers: ["a.test/hold"] } },
      ],
      ["DELETE", "/apis/apiextensions.k8s.io/v1/customresourcedefinitions/trinkets.random.cf.dev"],
      ["DELETE", "/apis/apiextensions.k8s.io/v1/customresourcedefinitions/trinkets.random.cf.dev"],
    ],
    { "/body/metadata/deletionGracePeriodSeconds": 0 },
  ],
  [
    "a namespace deleted with orphanDependents=false gets the foreground finalizer",
    [
      ["POST", "/api/v1/namespaces", named("n")],
      ["DELETE", "/api/v1/namespaces/n", { apiVersion: "v1", kind: "DeleteOptions", orphanDependents: false }],
    ],
    { "/body/metadata/finalizers": ["foregroundDeletion"] },
  ],
  [
    "a deletion with orphanDependents=false that waits for finalizers answers 202",
    [
      ["POST", maps, named("a", { finalizers: ["x.example/a"] })],
      ["DELETE", `${maps}/a`, { apiVersion: "v1", kind: "DeleteOptions", orphanDependents: false }],
    ],
    { "/status": 202 },
  ],
  [
    "a deletion keeps the order of unchanged finalizers",
    [
      ["POST", maps, named("a", { finalizers: ["orphan", "x.example/a"] })],
      ["DELETE", `${maps}/a?propagationPolicy=Orphan`],
    ],
    { "/body/metadata/finalizers": ["orphan", "x.example/a"] },
  ],
  [
    "a deletion keeps a deletionTimestamp set at creation",
    [
      ["PUT", leases + "/a", named("a", { ...longAgo, finalizers: ["x.example/a"] })],
      ["DELETE", `${leases}/a`],
      ["GET", `${leases}/a`],
    ],
    { "/body/metadata/deletionGracePeriodSeconds": 0, "/body/metadata/deletionTimestamp": longAgo.deletionTimestamp },
  ],
  [
    "an update that removes the last finalizer returns the object as sent",
    [
      ["POST", maps, named("a", { finalizers: ["x.example/a"] })],
      ["DELETE", `${maps}/a`],
      ["PUT", `${maps}/a`, named("a", { selfLink: "/x" })],
    ],
    { "/status": 200, "/body/metadata/selfLink": "/x" },
  ],
]);

it("request sequence: a deletion returns the revision of the deletion", async () => {
  const version = (answer: Json): number => Number(at(answer, "/body/metadata/resourceVersion"));
  const made = version(await send(["POST", `${core}/serviceaccounts`, named("v")]));
  expect(version(await send(["DELETE", `${core}/serviceaccounts/v`]))).toBe(made + 1);
  const begun = version(await send(["POST", pods, pod]));
  expect(version(await send(["DELETE", `${pods}/p`]))).toBe(begun + 2);
});
