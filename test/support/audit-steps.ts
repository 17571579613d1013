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
  {
    title: "create at level RequestResponse",
    method: "POST",
    path: maps,
    body: { metadata: { name: "a" }, data: { x: "1" } },
  },
  {
    title: "create in a dry run",
    method: "POST",
    path: `${maps}?dryRun=All&fieldManager=me`,
    body: { metadata: { generateName: "g-" } },
  },
  { title: "create a second time", method: "POST", path: maps, body: { metadata: { name: "a" } } },
  { title: "create of an invalid object", method: "POST", path: maps, body: { metadata: { name: "A" } } },
  { title: "create with a non-object body", method: "POST", path: maps, body: "text" },
  { title: "get at level RequestResponse", method: "GET", path: `${maps}/a` },
  { title: "get at level Request", method: "GET", path: `${maps}/asked` },
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
  { title: "watch from an invalid resourceVersion", method: "GET", path: `${maps}?watch=1&resourceVersion=x` },
  {
    title: "delete with options",
    method: "DELETE",
    path: `${maps}/a`,
    body: { kind: "DeleteOptions", apiVersion: "v1", propagationPolicy: "Background" },
  },
  {
    title: "delete with options of meta.k8s.io/v1",
    method: "DELETE",
    path: `${maps}/b`,
    body: { kind: "DeleteOptions", apiVersion: "meta.k8s.io/v1", propagationPolicy: "Background" },
  },
  { title: "delete by selector", method: "DELETE", path: `${maps}?labelSelector=none%3Dhere` },
  {
    title: "create at level Metadata",
    method: "POST",
    path: "/api/v1/namespaces/NS/secrets",
    body: { metadata: { name: "s" }, stringData: { k: "v" } },
  },
  { title: "get at level Metadata in a group", method: "GET", path: "/apis/apps/v1/namespaces/NS/deployments/none" },
  { title: "a non-resource path", method: "GET", path: "/version" },
  { title: "discovery", method: "GET", path: "/apis/apps/v1" },
  { title: "a path that no rule matches", method: "GET", path: "/healthz" },
  { title: "a forbidden request", method: "GET", path: "/api/v1/namespaces/NS/pods", token: "alice-token" },
  { title: "a forbidden path", method: "GET", path: "/metrics", token: "alice-token" },
  { title: "an unauthenticated request", method: "GET", path: maps, token: "wrong" },
  { title: "an unauthenticated path", method: "GET", path: "/version", token: "wrong" },
  {
    title: "an impersonated request",
    method: "GET",
    path: `${maps}/b`,
    headers: { "impersonate-user": "bob", "impersonate-group": "dev", "impersonate-extra-scope": "view" },
  },
  {
    title: "a forbidden impersonation",
    method: "GET",
    path: `${maps}/b`,
    token: "alice-token",
    headers: { "impersonate-user": "bob" },
  },
  {
    title: "a request with an Audit-ID",
    method: "GET",
    path: `${maps}/b`,
    headers: { "audit-id": "my-own-id", "user-agent": "tests/1.0" },
  },
  {
    title: "a request through a proxy",
    method: "GET",
    path: `${maps}/b`,
    headers: { "x-forwarded-for": "10.1.2.3, 10.1.2.4", "x-real-ip": "10.9.9.9" },
  },
];
