import type { PairRequest } from "../server-pair.js";

const group = "/apis/flowcontrol.apiserver.k8s.io/v1";
export const levels = `${group}/prioritylevelconfigurations`;
export const schemas = `${group}/flowschemas`;
const maps = "/api/v1/namespaces/slow/configmaps?dryRun=All";
/** Annotation of an object that the server maintains. */
export const autoupdate = "apf.kubernetes.io/autoupdate-spec";
/** Header of a merge patch. */
export const merge = { "content-type": "application/merge-patch+json" };

/** Returns a limited level with one share. */
export const level = (name: string, limited: object): object => ({
  metadata: { name },
  spec: {
    type: "Limited",
    limited: { nominalConcurrencyShares: 1, borrowingLimitPercent: 0, lendablePercent: 0, ...limited },
  },
});
/** Returns a FlowSchema for all requests of the subject. */
export const schema = (name: string, to: string, subject: object, more: object = {}): object => ({
  metadata: { name },
  spec: {
    priorityLevelConfiguration: { name: to },
    matchingPrecedence: 50,
    distinguisherMethod: { type: "ByUser" },
    rules: [
      {
        subjects: [subject],
        resourceRules: [{ verbs: ["*"], apiGroups: ["*"], resources: ["*"], namespaces: ["*"], clusterScope: true }],
        nonResourceRules: [{ verbs: ["*"], nonResourceURLs: ["*"] }],
      },
    ],
    ...more,
  },
});
/** Returns the subject for a user. */
export const userNamed = (name: string): object => ({ kind: "User", user: { name } });

/** Returns the headers of a request that the administrator sends as a user. */
export const as = (user: string): Record<string, string> => ({ "impersonate-user": user });
/** Returns a request of a user that the slow webhook holds. */
export const create = (user: string, name: string): PairRequest => ({
  method: "POST",
  path: maps,
  headers: as(user),
  json: { metadata: { name } },
});

/** Changes of maintained objects, and of a level. */
export const changes: readonly (readonly [title: string, request: PairRequest])[] = [
  [
    "a change of a mandatory FlowSchema's precedence",
    { method: "PATCH", path: `${schemas}/catch-all`, headers: merge, json: { spec: { matchingPrecedence: 9999 } } },
  ],
  [
    "a change of a mandatory FlowSchema's level",
    {
      method: "PATCH",
      path: `${schemas}/exempt`,
      headers: merge,
      json: { spec: { priorityLevelConfiguration: { name: "catch-all" } } },
    },
  ],
  [
    "a change of a mandatory level's shares",
    {
      method: "PATCH",
      path: `${levels}/catch-all`,
      headers: merge,
      json: { spec: { limited: { nominalConcurrencyShares: 7 } } },
    },
  ],
  [
    "a change of a mandatory level's type",
    { method: "PATCH", path: `${levels}/exempt`, headers: merge, json: { spec: { type: "Limited" } } },
  ],
  [
    "a change of the exempt level's shares, which is allowed",
    {
      method: "PATCH",
      path: `${levels}/exempt?dryRun=All`,
      headers: merge,
      json: { spec: { exempt: { nominalConcurrencyShares: 7 } } },
    },
  ],
  [
    "a label of a mandatory object, which is allowed",
    {
      method: "PATCH",
      path: `${schemas}/exempt?dryRun=All`,
      headers: merge,
      json: { metadata: { labels: { a: "b" } } },
    },
  ],
  [
    "a new object with the name of a mandatory one",
    { method: "POST", path: schemas, json: schema("catch-all", "exempt", userNamed("x")) },
  ],
  [
    "a change of a suggested object, which is allowed",
    {
      method: "PATCH",
      path: `${levels}/workload-low?dryRun=All`,
      headers: merge,
      json: { spec: { limited: { nominalConcurrencyShares: 7 } } },
    },
  ],
  [
    "a level whose hand is too large",
    {
      method: "POST",
      path: levels,
      json: level("bad", {
        limitResponse: { type: "Queue", queuing: { queues: 1024, handSize: 60, queueLengthLimit: 1 } },
      }),
    },
  ],
];
