/** Policy with every level and rules of every type. */
export const auditPolicy = `apiVersion: audit.k8s.io/v1
kind: Policy
omitStages: [Panic]
rules:
- level: None
  nonResourceURLs: ["/healthz*", "/openapi/*"]
- level: None
  users: ["system:apiserver", "system:anonymous"]
- level: Request
  resources: [{group: "", resources: ["configmaps"], resourceNames: ["asked"]}]
- level: RequestResponse
  omitManagedFields: true
  resources: [{group: "", resources: ["configmaps", "pods/*"]}]
- level: RequestResponse
  omitStages: [RequestReceived]
  verbs: ["create", "delete"]
  resources: [{group: "", resources: ["serviceaccounts"]}]
- level: Metadata
  userGroups: ["dev"]
- level: Metadata
  omitStages: [RequestReceived]
  resources: [{group: "apps"}, {group: "", resources: ["*/status", "secrets", "namespaces"]}]
- level: Metadata
  nonResourceURLs: ["/version", "/api*"]
`;

/** Request that is audited. */
export interface AuditedRequest {
  readonly title: string;
  readonly method: string;
  /** Path, with `NS` for the namespace. */
  readonly path: string;
  readonly token?: string;
  readonly body?: unknown;
  readonly type?: string;
  readonly headers?: Readonly<Record<string, string>>;
}

const maps = "/api/v1/namespaces/NS/configmaps";
const merge = "application/merge-patch+json";
const apply = "application/apply-patch+yaml";

/** Requests of all types, in order. */
export const auditedRequests: readonly AuditedRequest[] = [
  { title: "create with all", method: "POST", path: maps, body: { metadata: { name: "a" }, data: { x: "1" } } },
  {
    title: "create in a dry run",
    method: "POST",
    path: `${maps}?dryRun=All&fieldManager=me`,
    body: { metadata: { generateName: "g-" } },
  },
  { title: "create a second time", method: "POST", path: maps, body: { metadata: { name: "a" } } },
  { title: "create what is invalid", method: "POST", path: maps, body: { metadata: { name: "A" } } },
  { title: "create what is no object", method: "POST", path: maps, body: "text" },
  { title: "get with all", method: "GET", path: `${maps}/a` },
  { title: "get by request alone", method: "GET", path: `${maps}/asked` },
  { title: "patch", method: "PATCH", path: `${maps}/a`, body: { data: { y: "2" } }, type: merge },
  {
    title: "apply",
    method: "PATCH",
    path: `${maps}/b?fieldManager=me`,
    body: { apiVersion: "v1", kind: "ConfigMap", metadata: { name: "b" }, data: { z: "3" } },
    type: apply,
  },
  { title: "update", method: "PUT", path: `${maps}/a`, body: { metadata: { name: "a" }, data: { x: "4" } } },
  {
    title: "get a table",
    method: "GET",
    path: `${maps}/a`,
    headers: { accept: "application/json;as=Table;v=v1;g=meta.k8s.io" },
  },
  {
    title: "get metadata",
    method: "GET",
    path: `${maps}/a`,
    headers: { accept: "application/json;as=PartialObjectMetadata;v=v1;g=meta.k8s.io" },
  },
  { title: "list", method: "GET", path: `${maps}?labelSelector=none%3Dhere` },
  { title: "watch", method: "GET", path: `${maps}?watch=1&timeoutSeconds=1&labelSelector=none%3Dhere` },
  { title: "watch from a bad version", method: "GET", path: `${maps}?watch=1&resourceVersion=x` },
  {
    title: "delete with options",
    method: "DELETE",
    path: `${maps}/a`,
    body: { kind: "DeleteOptions", apiVersion: "v1", propagationPolicy: "Background" },
  },
  {
    title: "delete with options of their own group",
    method: "DELETE",
    path: `${maps}/b`,
    body: { kind: "DeleteOptions", apiVersion: "meta.k8s.io/v1", propagationPolicy: "Background" },
  },
  { title: "delete by selector", method: "DELETE", path: `${maps}?labelSelector=none%3Dhere` },
  {
    title: "metadata alone",
    method: "POST",
    path: "/api/v1/namespaces/NS/secrets",
    body: { metadata: { name: "s" }, stringData: { k: "v" } },
  },
  { title: "metadata of a group", method: "GET", path: "/apis/apps/v1/namespaces/NS/deployments/none" },
  { title: "a path", method: "GET", path: "/version" },
  { title: "discovery", method: "GET", path: "/apis/apps/v1" },
  { title: "a path outside of the policy", method: "GET", path: "/healthz" },
  { title: "somebody who may not", method: "GET", path: "/api/v1/namespaces/NS/pods", token: "alice-token" },
  { title: "somebody who may not look at a path", method: "GET", path: "/metrics", token: "alice-token" },
  { title: "nobody", method: "GET", path: maps, token: "wrong" },
  { title: "a path of nobody", method: "GET", path: "/version", token: "wrong" },
  {
    title: "in another's name",
    method: "GET",
    path: `${maps}/b`,
    headers: { "impersonate-user": "bob", "impersonate-group": "dev", "impersonate-extra-scope": "view" },
  },
  {
    title: "in a name that may not be taken",
    method: "GET",
    path: `${maps}/b`,
    token: "alice-token",
    headers: { "impersonate-user": "bob" },
  },
  {
    title: "under an id of its own",
    method: "GET",
    path: `${maps}/b`,
    headers: { "audit-id": "my-own-id", "user-agent": "tests/1.0" },
  },
  {
    title: "by way of a proxy",
    method: "GET",
    path: `${maps}/b`,
    headers: { "x-forwarded-for": "10.1.2.3, 10.1.2.4", "x-real-ip": "10.9.9.9" },
  },
];
