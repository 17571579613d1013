import type { Probe, Step, Topic } from "../probe.js";
import { objectOf } from "./fuzz.js";
import { kindFixtures } from "./kinds.js";

type Json = Record<string, unknown>;

const configMaps = "/api/v1/namespaces/${ns}/configmaps";
const cm = (name: string, more: Json = {}): Json => ({
  apiVersion: "v1",
  kind: "ConfigMap",
  metadata: { name },
  ...more,
});
const post = (path: string, json: unknown, more: Partial<Step> = {}): Step => ({ method: "POST", path, json, ...more });
const get = (path: string, headers?: Readonly<Record<string, string>>): Step => ({
  method: "GET",
  path,
  ...(headers === undefined ? {} : { headers }),
});
const one = (id: string, ...steps: Step[]): Probe => ({ id, steps });
const table = "application/json;as=Table;v=v1;g=meta.k8s.io,application/json";
const escape = (text: string): string => encodeURIComponent(text);

/** Tables of every kind. */
export const tables: Topic = {
  name: "table",
  probes: kindFixtures.flatMap((fixture) => {
    const named = (object: Json): string => (object["metadata"] as Json)["name"] as string;
    return (["minimal", "rich"] as const).map((which) => {
      const object = objectOf(fixture, fixture[which], `t-${which}`);
      const path = `${fixture.collection}/${named(object)}`;
      return one(
        `${fixture.name}/${which}`,
        post(fixture.collection, object, { silent: true }),
        get(path, { accept: table }),
        get(`${path}?includeObject=None`, { accept: "application/json;as=Table;v=v1beta1;g=meta.k8s.io" }),
        { method: "DELETE", path: `${path}?gracePeriodSeconds=0`, silent: true },
      );
    });
  }),
};

const badValues = ["", "abc", "-1", "0", "1.5", "true", "1e3", "99999999999999999999", "%20"];
const listParameters = [
  "limit",
  "continue",
  "resourceVersion",
  "resourceVersionMatch",
  "timeoutSeconds",
  "labelSelector",
  "fieldSelector",
  "sendInitialEvents",
  "allowWatchBookmarks",
  "pretty",
  "timeout",
  "shardSelector",
  "includeObject",
];
const writeParameters = [
  "dryRun",
  "fieldManager",
  "fieldValidation",
  "pretty",
  "force",
  "timeout",
  "gracePeriodSeconds",
  "propagationPolicy",
  "orphanDependents",
  "ignoreStoreReadErrorWithClusterBreakingPotential",
];

/** Invalid query parameters with every verb. */
export const parameters: Topic = {
  name: "parameters",
  setup: [post(configMaps, cm("there", { data: { a: "1" } }))],
  probes: [
    ...listParameters.flatMap((name) =>
      badValues.map((value) =>
        one(`list/${name}=${value}`, { ...get(`${configMaps}?${name}=${value}`), ignore: ["/items"] }),
      ),
    ),
    ...[
      "resourceVersion",
      "resourceVersionMatch",
      "sendInitialEvents",
      "allowWatchBookmarks",
      "labelSelector",
      "fieldSelector",
      "limit",
      "continue",
    ].flatMap((name) =>
      badValues.map((value) =>
        one(`watch/${name}=${value}`, { ...get(`${configMaps}?watch=1&timeoutSeconds=1&${name}=${value}`) }),
      ),
    ),
    ...["pretty", "resourceVersion", "timeout", "export", "exact"].flatMap((name) =>
      badValues.map((value) => one(`get/${name}=${value}`, get(`${configMaps}/there?${name}=${value}`))),
    ),
    ...writeParameters.flatMap((name) =>
      [...badValues, "All", "all", "Strict", "Foreground", "x".repeat(129), "a%00b", "%E2%82%AC"].flatMap((value) => [
        one(`post/${name}=${value.slice(0, 20)}`, post(`${configMaps}?dryRun=All&${name}=${value}`, cm("new"))),
        one(`put/${name}=${value.slice(0, 20)}`, {
          method: "PUT",
          path: `${configMaps}/there?dryRun=All&${name}=${value}`,
          json: cm("there", { data: { a: "2" } }),
        }),
        one(`patch/${name}=${value.slice(0, 20)}`, {
          method: "PATCH",
          path: `${configMaps}/there?dryRun=All&${name}=${value}`,
          headers: { "content-type": "application/merge-patch+json" },
          raw: '{"data":{"a":"3"}}',
        }),
        one(`apply/${name}=${value.slice(0, 20)}`, {
          method: "PATCH",
          path: `${configMaps}/there?dryRun=All${name === "fieldManager" ? "" : "&fieldManager=m"}&force=true&${name}=${value}`,
          headers: { "content-type": "application/apply-patch+yaml" },
          raw: JSON.stringify(cm("there", { data: { a: "3" } })),
        }),
        one(`delete/${name}=${value.slice(0, 20)}`, {
          method: "DELETE",
          path: `${configMaps}/there?dryRun=All&${name}=${value}`,
        }),
        one(`deletecollection/${name}=${value.slice(0, 20)}`, {
          method: "DELETE",
          path: `${configMaps}?dryRun=All&${name}=${value}`,
        }),
      ]),
    ),
    ...[
      "a=b,c",
      "a in (b",
      "a in b",
      "!a",
      "a!=b",
      "a==b",
      "a notin (b,c)",
      "a>1",
      "a<1",
      "a>x",
      "a=b=c",
      "-a=b",
      "a=-b",
      "a..b",
      "=b",
      "a in ()",
      "a in (,)",
      ",",
      "a,,b",
      "(a)",
      "a exists",
      "a,!b",
      "a = b",
      "x/y/z=1",
      "a in (b),c notin (d)",
      "a=" + "x".repeat(64),
      "é=1",
      "a~b",
      "a=b c",
      "in=x",
      "notin",
      "in in (in)",
    ].flatMap((selector) => [
      one(`labels/${selector.slice(0, 30)}`, get(`${configMaps}?labelSelector=${escape(selector)}`)),
      one(
        `labels-custom/${selector.slice(0, 30)}`,
        get(`/api/v1/namespaces/\${ns}/pods?labelSelector=${escape(selector)}`),
      ),
    ]),
    ...[
      "metadata.name=there",
      "metadata.name!=there",
      "metadata.name==x",
      "metadata.name",
      "metadata.name=a,metadata.name=b",
      "metadata.namespace=${ns}",
      "data.a=1",
      "metadata.labels=x",
      "=x",
      "a=b=c",
      "metadata.name=a\\,b",
      "metadata.name=a\\=b",
      "metadata.name=a\\x",
      "metadata.name in (a)",
      ",",
      "!metadata.name",
      "metadata.name>1",
      "kind=ConfigMap",
    ].map((selector) =>
      one(`fields/${selector}`, get(`${configMaps}?fieldSelector=${escape(selector).replace("%24%7Bns%7D", "${ns}")}`)),
    ),
  ],
};

const fieldLabels = [
  "metadata.name",
  "metadata.namespace",
  "spec.nodeName",
  "spec.restartPolicy",
  "spec.schedulerName",
  "spec.serviceAccountName",
  "status.phase",
  "status.podIP",
  "status.podIPs",
  "status.nominatedNodeName",
  "spec.hostNetwork",
  "spec.unschedulable",
  "type",
  "status.replicas",
  "spec.clusterIP",
  "spec.type",
  "involvedObject.kind",
  "involvedObject.name",
  "involvedObject.namespace",
  "involvedObject.uid",
  "involvedObject.apiVersion",
  "involvedObject.resourceVersion",
  "involvedObject.fieldPath",
  "reason",
  "reportingComponent",
  "source",
  "regarding.kind",
  "reportingController",
  "status.successful",
  "spec.signerName",
  "spec.poolName",
  "spec.driver",
  "name",
  "status.ready",
  "spec.attacher",
];

/** Field labels that each kind supports in selectors. */
export const fieldSelectors: Topic = {
  name: "fields",
  probes: [
    ...new Set(kindFixtures.map(({ collection }) => collection)),
    "/api/v1/componentstatuses",
    "/apis/apiextensions.k8s.io/v1/customresourcedefinitions",
  ].flatMap((collection) =>
    fieldLabels.map((label) =>
      one(`${collection}/${label}`, get(`${collection}?fieldSelector=${label}%3Dnothing-is-so&limit=1`)),
    ),
  ),
};

/** Fields that differ between builds of a server. */
const ownVersion = ["gitCommit", "gitTreeState", "goVersion", "compiler", "platform"].map((key) => `/${key}`);

const accepts = [
  "application/json",
  "application/yaml",
  "application/cbor",
  "application/vnd.kubernetes.protobuf",
  "*/*",
  "application/*",
  "text/html",
  "text/plain",
  "",
  "application/json;q=0.5,application/yaml",
  "application/json;as=Table;g=meta.k8s.io;v=v1",
  "application/json;as=Table;g=meta.k8s.io;v=v2",
  "application/yaml;as=Table;g=meta.k8s.io;v=v1",
  "application/json;as=PartialObjectMetadata;g=meta.k8s.io;v=v1",
  "application/json;as=PartialObjectMetadataList;g=meta.k8s.io;v=v1",
  "application/vnd.kubernetes.protobuf;as=PartialObjectMetadata;g=meta.k8s.io;v=v1",
  "application/json;stream=watch",
  "application/json; charset=utf-8",
  "application/json;profile=foo",
  "application/json;as=Bogus;g=meta.k8s.io;v=v1",
  "application/vnd.kubernetes.protobuf;stream=watch",
  "application/cbor-seq",
  "json",
  "application/json;as=Table",
  "application/json;v=v1;g=meta.k8s.io;as=APIGroupDiscoveryList",
  "application/json;pretty=1",
  "application/yaml;stream=watch",
  "application/strategic-merge-patch+json",
  "application/json,",
  ";",
  "application/json;q=0",
  "*/*;q=0.1,application/yaml;q=0.9",
];
const contentTypes = [
  "application/json",
  "application/yaml",
  "application/cbor",
  "application/vnd.kubernetes.protobuf",
  "text/plain",
  "application/x-www-form-urlencoded",
  "application/json; charset=utf-8",
  "application/json;charset=latin1",
  "application/merge-patch+json",
  "json",
  "*/*",
  "application/*",
  "application/json, application/yaml",
  "APPLICATION/JSON",
  "application/vnd.kubernetes.protobuf;type=x",
  "application/json;as=Table;g=meta.k8s.io;v=v1",
  "; charset",
  "application/apply-patch+yaml",
];

/** Content negotiation with Accept and Content-Type. */
export const media: Topic = {
  name: "media",
  setup: [post(configMaps, cm("there", { data: { a: "1" } }))],
  probes: [
    ...accepts.flatMap((accept) => [
      ...[
        `${configMaps}/there`,
        configMaps,
        `${configMaps}/none`,
        `${configMaps}?watch=1&timeoutSeconds=1&resourceVersion=0`,
        "/api/v1",
        "/apis",
        "/api",
        "/apis/apps",
        "/apis/apps/v1",
        "/version",
        "/healthz",
        "/readyz",
        "/openapi/v3",
        "/openapi/v2",
        "/none",
        "/",
        "/metrics",
        "/apis/apps/v1/none",
        "/api/v1/namespaces/${ns}/pods/none/log",
      ].map((path) =>
        one(`get ${path.replace("/api/v1/namespaces/${ns}/", "")} ${accept}`, {
          ...get(path, { accept }),
          ...(path.startsWith("/openapi/v2") || path === "/metrics"
            ? { ignore: ["/$text", "/definitions", "/paths"] }
            : {}),
          ...(path === "/version" ? { ignore: ownVersion } : {}),
        }),
      ),
      one(`post ${accept}`, post(`${configMaps}?dryRun=All`, cm("a"), { headers: { accept } })),
      one(`delete ${accept}`, { method: "DELETE", path: `${configMaps}/there?dryRun=All`, headers: { accept } }),
    ]),
    ...contentTypes.flatMap((type) => [
      one(`post as ${type}`, {
        method: "POST",
        path: `${configMaps}?dryRun=All`,
        raw: JSON.stringify(cm("a")),
        headers: { "content-type": type },
      }),
      one(`put as ${type}`, {
        method: "PUT",
        path: `${configMaps}/there?dryRun=All`,
        raw: JSON.stringify(cm("there")),
        headers: { "content-type": type },
      }),
      one(`patch as ${type}`, {
        method: "PATCH",
        path: `${configMaps}/there?dryRun=All`,
        raw: "{}",
        headers: { "content-type": type },
      }),
      one(`delete as ${type}`, {
        method: "DELETE",
        path: `${configMaps}/there?dryRun=All`,
        raw: '{"gracePeriodSeconds":1}',
        headers: { "content-type": type },
      }),
      one(`review as ${type}`, {
        method: "POST",
        path: "/apis/authentication.k8s.io/v1/selfsubjectreviews",
        raw: '{"apiVersion":"authentication.k8s.io/v1","kind":"SelfSubjectReview"}',
        headers: { "content-type": type },
      }),
    ]),
  ],
};

const paths = [
  "/api",
  "/api/",
  "/api/v1",
  "/api/v1/",
  "/apis",
  "/apis/",
  "/apis/apps",
  "/apis/apps/",
  "/apis/apps/v1",
  "/apis/apps/v2",
  "/apis/none",
  "/apis/none/v1",
  "/apis/none/v1/things",
  "/api/v2",
  "/api/v1/none",
  "/api/v1/namespaces/${ns}/none",
  "/api/v1/namespaces/${ns}/pods/x/none",
  "/api/v1/namespaces/${ns}/configmaps/x/status",
  "/api/v1/pods/x",
  "/api/v1/nodes/none",
  "/api/v1/namespaces/none/pods",
  "/api/v1/namespaces/none/pods/x",
  "/",
  "/none",
  "/index.html",
  "/healthz",
  "/healthz/",
  "/healthz/ping",
  "/healthz/none",
  "/livez",
  "/readyz",
  "/livez/ping",
  "/livez?verbose",
  "/readyz?verbose=1&exclude=ping",
  "/readyz?exclude=none",
  "/version",
  "/version/",
  "/openapi",
  "/openapi/v2",
  "/openapi/v3",
  "/openapi/v3/api/v1",
  "/openapi/v3/apis/none/v1",
  "/openapi/v3/apis/apps",
  "/metrics",
  "/metrics/none",
  "/debug",
  "/debug/api_priority_and_fairness/",
  "/logs",
  "/swagger.json",
  "/swaggerapi",
  "/.well-known/openid-configuration",
  "/openid/v1/jwks",
  "/api/v1/watch",
  "/api/v1/watch/pods",
  "/api/v1/watch/namespaces/${ns}/pods?timeoutSeconds=1",
  "/api/v1/proxy/x",
  "/api/v1/namespaces/${ns}",
  "/api/v1/namespaces/${ns}/",
  "/api/v1/namespaces/${ns}/status",
  "/api/v1/namespaces/${ns}/finalize",
  "/apis/apps/v1/namespaces/${ns}/deployments/x/scale",
  "/apis/apps/v1/deployments",
  "/apis/apps/v1/deployments/x",
  "/apis/autoscaling/v1",
  "/apis/autoscaling/v2beta2",
  "/apis/extensions/v1beta1",
  "/apis/policy/v1beta1",
  "/apis/metrics.k8s.io/v1beta1",
  "/configz",
  "/healthz/etcd",
  "/healthz/poststarthook/none",
  "/healthz/poststarthook/rbac/bootstrap-roles",
  "/api/v1/componentstatuses",
  "/api/v1/componentstatuses/none",
  "/api/v1/bindings",
  "/api/v1/namespaces/${ns}/bindings",
  "/api/v1/namespaces/${ns}/pods/x/eviction",
  "/api/v1/namespaces/${ns}/pods/x/exec",
  "/api/v1/namespaces/${ns}/pods/x/attach",
  "/api/v1/namespaces/${ns}/pods/x/portforward",
  "/api/v1/namespaces/${ns}/pods/x/log",
  "/api/v1/namespaces/${ns}/pods/x/proxy",
  "/api/v1/namespaces/${ns}/services/x/proxy",
  "/api/v1/nodes/x/proxy",
  "/api/v1/namespaces/${ns}/serviceaccounts/x/token",
  "/apis/authorization.k8s.io/v1/subjectaccessreviews",
  "/apis/authentication.k8s.io/v1/tokenreviews",
  "/apis/authorization.k8s.io/v1/selfsubjectaccessreviews",
  "/apis/authorization.k8s.io/v1/namespaces/${ns}/localsubjectaccessreviews",
];

/** Every method on every type of path, by several users. */
export const methods: Topic = {
  name: "methods",
  probes: paths.flatMap((path) =>
    (["GET", "HEAD", "POST", "PUT", "PATCH", "DELETE", "OPTIONS"] as const).flatMap((method) =>
      ["admin-token", "alice-token", "", "wrong"].map((token) =>
        one(`${method} ${path} ${token === "" ? "nobody" : token}`, {
          method,
          path,
          token,
          ...(method === "POST" || method === "PUT"
            ? { raw: "{}", headers: { "content-type": "application/json" } }
            : method === "PATCH"
              ? { raw: "{}", headers: { "content-type": "application/merge-patch+json" } }
              : {}),
          ignore: [...ownVersion, "/$text", "/definitions", "/paths", "/components", "/schemas", "/keys"].filter(
            (pointer) =>
              (pointer !== "/$text" || /metrics|priority|logs|configz/.test(path)) &&
              (pointer !== "/paths" || path.includes("/openapi/v2")),
          ),
        }),
      ),
    ),
  ),
};
export { cm, configMaps, get, one, post };
