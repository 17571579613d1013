import type { Step, Topic } from "../../probe.js";
import { kindFixtures } from "../kinds.js";
import type { Json } from "./steps.js";
import {
  configMap,
  configMaps,
  core,
  defined,
  deployment,
  deployments,
  esc,
  free,
  get,
  lease,
  leases,
  marked,
  one,
  patch,
  pod,
  pods,
  post,
  put,
  quiet,
  remove,
  secret,
  secrets,
  typed,
  version,
  watch,
} from "./steps.js";

const gadgets = "/apis/watch.cf.dev/v1/namespaces/${ns}/gadgets";
const doodads = "/apis/list.cf.dev/v1/namespaces/${ns}/doodads";
const gadget = (name: string, more: Json = {}, meta: Json = {}): Json => ({
  apiVersion: "watch.cf.dev/v1",
  kind: "Gadget",
  metadata: { name, ...meta },
  ...more,
});
const labelled = (name: string, labels: Json): Json => configMap(name, {}, { labels });
const start = quiet(marked(get(configMaps)));
const table = "application/json;as=Table;v=v1;g=meta.k8s.io,application/json";
const partial = "application/json;as=PartialObjectMetadata;g=meta.k8s.io;v=v1";
const stream = "&sendInitialEvents=true&resourceVersionMatch=NotOlderThan&allowWatchBookmarks=true";
const clean = quiet(remove(configMaps));
/** Life of an object in six changes, two of them to its labels. */
const life = (collection: string, make: (labels: Json, more?: Json) => Json): readonly Step[] => [
  quiet(marked(get(collection))),
  quiet(post(collection, make({ a: "1" }))),
  quiet(put(`${collection}/life`, make({ a: "2" }))),
  quiet(patch(`${collection}/life`, "merge", { metadata: { annotations: { x: "y" } } })),
  quiet(patch(`${collection}/life`, "merge", { metadata: { labels: { a: "1" }, finalizers: ["x.example/y"] } })),
  quiet(remove(`${collection}/life`)),
  quiet(patch(`${collection}/life`, "json", [{ op: "remove", path: "/metadata/finalizers" }])),
];
const lives: readonly (readonly [string, string, (labels: Json) => Json])[] = [
  ["configmaps", configMaps, (labels) => labelled("life", labels)],
  ["secrets", secrets, (labels) => secret("life", {}, { labels })],
  ["leases", leases, (labels) => lease("life", {}, { labels })],
  ["gadgets", gadgets, (labels) => gadget("life", {}, { labels })],
  ["deployments", deployments, (labels) => ({ ...deployment("life"), metadata: { name: "life", labels } })],
];

/** Watches of all types, after the changes happened. */
export const watchScenarios: Topic = {
  name: "s-watch",
  setup: [
    ...defined("watch.cf.dev", "gadgets", "Gadget", [
      version("v1", free, {
        selectableFields: [],
        additionalPrinterColumns: [{ name: "Size", type: "string", jsonPath: ".spec.size" }],
      }),
      version("v2", free, {
        storage: false,
        additionalPrinterColumns: [{ name: "Big", type: "boolean", jsonPath: ".spec.big" }],
      }),
    ]),
  ],
  probes: [
    ...lives.flatMap(([name, collection, make]) => [
      one(
        `life/${name}`,
        life(collection, make),
        ...[
          "",
          "&labelSelector=a%3D1",
          "&labelSelector=a%21%3D1",
          "&labelSelector=a%3D2",
          "&fieldSelector=metadata.name%3Dlife",
          "&fieldSelector=metadata.name%21%3Dlife",
          "&labelSelector=a%3D1&fieldSelector=metadata.name%3Dlife",
          "&labelSelector=%21b&allowWatchBookmarks=true",
        ].map((query) => watch(collection, `&resourceVersion=\${rv}${query}`)),
      ),
      one(
        `forms/${name}`,
        life(collection, make),
        ...[
          table,
          partial,
          "application/yaml",
          "application/cbor",
          "application/vnd.kubernetes.protobuf",
          "application/json;as=PartialObjectMetadata;g=meta.k8s.io;v=v1beta1",
          "application/vnd.kubernetes.protobuf;as=PartialObjectMetadata;g=meta.k8s.io;v=v1",
          "application/cbor;as=PartialObjectMetadata;g=meta.k8s.io;v=v1",
          "application/cbor;as=Table;g=meta.k8s.io;v=v1",
          "application/json;stream=watch",
          "text/plain",
        ].map((accept) => watch(collection, "&resourceVersion=${rv}&labelSelector=a%3D1", { headers: { accept } })),
      ),
    ]),
    ...lives.map(([name, collection, make]) =>
      one(
        `streams/${name}`,
        quiet(post(collection, make({ a: "1" }))),
        ...[
          "",
          "&resourceVersion=",
          "&resourceVersion=0",
          "&labelSelector=a%3D1",
          "&labelSelector=a%3D2",
          "&fieldSelector=metadata.name%3Dlife",
        ].map((query) => watch(collection, `${stream}${query}`)),
        ...[table, partial, "application/cbor", "application/vnd.kubernetes.protobuf"].map((accept) =>
          watch(collection, stream, { headers: { accept } }),
        ),
        quiet(remove(`${collection}/life`)),
      ),
    ),
    one(
      "table/include",
      ...["Object", "None", "Metadata", "Bogus", ""].flatMap((include) => [
        ...life(configMaps, (labels) => labelled("life", labels)),
        watch(configMaps, `&resourceVersion=\${rv}&includeObject=${include}`, { headers: { accept: table } }),
      ]),
    ),
    one(
      "versions",
      quiet(marked(get(gadgets))),
      quiet(post(gadgets, gadget("v", { spec: { size: "s", big: true } }))),
      ...["v1", "v2"].flatMap((v) => [
        watch(gadgets.replace("v1", v), "&resourceVersion=${rv}"),
        watch(gadgets.replace("v1", v), "&resourceVersion=${rv}", { headers: { accept: table } }),
      ]),
      remove(`${gadgets}/v`),
    ),
    one(
      "transitions/set",
      start,
      quiet(post(configMaps, labelled("t", { a: "1", b: "2" }))),
      quiet(patch(`${configMaps}/t`, "merge", { metadata: { labels: { b: null } } })),
      quiet(patch(`${configMaps}/t`, "merge", { metadata: { labels: { b: "3" } } })),
      quiet(patch(`${configMaps}/t`, "merge", { metadata: { labels: { a: "5" } } })),
      ...["b", "!b", "a in (1,2)", "a notin (1)", "b=2", "a=1,b", "b in (2,3)", "a>3", "a<3"].map((selector) =>
        watch(configMaps, `&resourceVersion=\${rv}&labelSelector=${esc(selector)}`),
      ),
      clean,
    ),
    one(
      "pods/fields",
      quiet(marked(get(pods))),
      quiet(post(pods, pod("p1"))),
      quiet(post(pods, pod("p2", { nodeName: "n1", restartPolicy: "Never" }))),
      quiet(post(`${pods}/p1/binding`, { metadata: { name: "p1" }, target: { kind: "Node", name: "n1" } })),
      quiet(
        patch(`${pods}/p1/status`, "merge", {
          status: { phase: "Running", podIP: "10.9.8.7", podIPs: [{ ip: "10.9.8.7" }] },
        }),
      ),
      quiet(patch(`${pods}/p1/status`, "merge", { status: { phase: "Succeeded" } })),
      quiet(remove(`${pods}/p2?gracePeriodSeconds=0`)),
      quiet(remove(`${pods}/p1?gracePeriodSeconds=0`)),
      ...[
        "spec.nodeName=n1",
        "spec.nodeName=",
        "status.phase=Running",
        "status.phase!=Succeeded",
        "spec.restartPolicy=Never",
        "status.podIP=10.9.8.7",
        "spec.nodeName=n1,status.phase=Pending",
        "metadata.name=p1",
        "metadata.namespace=${ns}",
        "spec.serviceAccountName=",
        "spec.schedulerName=default-scheduler",
        "spec.hostNetwork=false",
        "status.nominatedNodeName=",
      ].map((selector) =>
        watch(pods, `&resourceVersion=\${rv}&fieldSelector=${esc(selector).replace("%24%7Bns%7D", "${ns}")}`),
      ),
    ),
    one(
      "pods/deletion",
      quiet(marked(get(pods))),
      quiet(post(pods, pod("g1", { nodeName: "n1" }))),
      quiet(remove(`${pods}/g1`)),
      quiet(remove(`${pods}/g1?gracePeriodSeconds=10`)),
      quiet(remove(`${pods}/g1?gracePeriodSeconds=0`)),
      watch(pods, "&resourceVersion=${rv}"),
      watch(pods, "&resourceVersion=${rv}", { headers: { accept: table } }),
    ),
    one(
      "collection",
      start,
      quiet(post(configMaps, labelled("c1", { a: "1" }))),
      quiet(post(configMaps, labelled("c2", { a: "2" }))),
      quiet(post(configMaps, labelled("c3", { a: "1" }))),
      quiet(remove(`${configMaps}?labelSelector=a%3D1`)),
      watch(configMaps, "&resourceVersion=${rv}"),
      watch(configMaps, "&resourceVersion=${rv}&labelSelector=a%3D2"),
      clean,
    ),
    one(
      "nothing",
      start,
      quiet(post(configMaps, configMap("n", { data: { a: "1" } }))),
      quiet(put(`${configMaps}/n`, configMap("n", { data: { a: "1" } }))),
      quiet(patch(`${configMaps}/n`, "merge", {})),
      quiet(patch(`${configMaps}/n?dryRun=All`, "merge", { data: { a: "2" } })),
      quiet(patch(`${configMaps}/n?fieldManager=x`, "apply", configMap("n", { data: { a: "1" } }))),
      quiet(patch(`${configMaps}/n?fieldManager=x`, "apply", configMap("n", { data: { a: "1" } }))),
      watch(configMaps, "&resourceVersion=${rv}"),
      clean,
    ),
    ...[
      "resourceVersion=999999999",
      "resourceVersion=999999999&sendInitialEvents=true&resourceVersionMatch=NotOlderThan",
      "resourceVersion=-1",
      "resourceVersion=0x1",
      "resourceVersion=1&resourceVersionMatch=Exact",
      "resourceVersionMatch=NotOlderThan",
      "sendInitialEvents=true",
      "sendInitialEvents=false",
      "sendInitialEvents=false&resourceVersionMatch=NotOlderThan",
      "sendInitialEvents=true&resourceVersionMatch=Exact",
      "sendInitialEvents=true&resourceVersionMatch=NotOlderThan",
      "sendInitialEvents=1&resourceVersionMatch=NotOlderThan&allowWatchBookmarks=1",
      "allowWatchBookmarks=true&resourceVersion=0",
      "limit=1",
      "limit=1&continue=x",
      "continue=x",
      "timeoutSeconds=1&timeoutSeconds=2",
      "watch=false",
      "watch=0",
      "watch=",
      "watch=true",
      "watch=x",
      "labelSelector=a&labelSelector=b",
    ].flatMap((query) =>
      [configMaps, gadgets, "/api/v1/events", `${core}/events`].map((path) =>
        one(
          `options/${path.slice(-8)} ${query}`,
          get(
            `${path}?${query.startsWith("watch") ? query : `watch=1&${query}`}${query.includes("timeoutSeconds") ? "" : "&timeoutSeconds=1"}`,
            query.includes("resourceVersion=1") || path.endsWith("events") ? { ignore: ["/*", "/body"] } : {},
          ),
        ),
      ),
    ),
    ...[
      "/api/v1/watch/namespaces/${ns}/configmaps",
      "/api/v1/watch/namespaces/${ns}/configmaps/w",
      "/api/v1/watch/namespaces/${ns}",
      "/apis/watch.cf.dev/v1/watch/namespaces/${ns}/gadgets",
      "/apis/apps/v1/watch/namespaces/${ns}/deployments",
      "/api/v1/watch/namespaces/${ns}/pods/x/status",
      "/api/v1/watch/nodes/none",
      "/apis/watch.cf.dev/v1/watch/gadgets/x",
    ].map((path) =>
      one(
        `old-paths/${path}`,
        quiet(post(configMaps, configMap("w"))),
        get(`${path}?timeoutSeconds=1`),
        get(`${path}?timeoutSeconds=1&fieldSelector=metadata.name%3Dw`),
        get(`${path}?timeoutSeconds=1&watch=false`),
        clean,
      ),
    ),
    ...["w", "none"].map((name) =>
      one(
        `one-object/${name}`,
        start,
        quiet(post(configMaps, configMap("w"))),
        watch(`${configMaps}/${name}`, ""),
        watch(`${configMaps}/${name}`, "&resourceVersion=${rv}"),
        watch(`${configMaps}/${name}`, "&fieldSelector=metadata.name%3Dother"),
        watch(`${configMaps}/${name}`, "&fieldSelector=metadata.name%3Dw"),
        watch(`${configMaps}/${name}`, stream),
        clean,
      ),
    ),
    ...[...new Set(kindFixtures.map(({ collection }) => collection))].map((collection) =>
      one(
        `bookmark/${collection}`,
        ...["", "application/vnd.kubernetes.protobuf"].map((accept) =>
          watch(collection, `${stream}&labelSelector=no%3Dsuch`, accept === "" ? {} : { headers: { accept } }),
        ),
      ),
    ),
    one(
      "definition-changes",
      quiet(marked(get("/apis/apiextensions.k8s.io/v1/customresourcedefinitions"))),
      defined("gone.cf.dev", "gones", "Gone", [version("v1", typed({ spec: free }))]),
      quiet(
        post("/apis/gone.cf.dev/v1/namespaces/${ns}/gones", {
          apiVersion: "gone.cf.dev/v1",
          kind: "Gone",
          metadata: { name: "g" },
        }),
      ),
      quiet(marked(get("/apis/gone.cf.dev/v1/namespaces/${ns}/gones"))),
      quiet(remove("/apis/apiextensions.k8s.io/v1/customresourcedefinitions/gones.gone.cf.dev")),
      get("/apis/gone.cf.dev/v1/namespaces/${ns}/gones", { pauseMs: 2000 }),
      watch("/apis/gone.cf.dev/v1/namespaces/${ns}/gones", "&resourceVersion=${rv}"),
    ),
    one(
      "namespaces",
      quiet(marked(get("/api/v1/namespaces"))),
      quiet(post("/api/v1/namespaces", { metadata: { name: "w-${ns}", labels: { mine: "${ns}" } } })),
      quiet(remove("/api/v1/namespaces/w-${ns}")),
      quiet(
        put("/api/v1/namespaces/w-${ns}/finalize", {
          apiVersion: "v1",
          kind: "Namespace",
          metadata: { name: "w-${ns}" },
          spec: {},
        }),
      ),
      watch("/api/v1/namespaces", "&resourceVersion=${rv}&fieldSelector=metadata.name%3Dw-${ns}"),
      watch("/api/v1/namespaces", "&resourceVersion=${rv}&labelSelector=mine%3D${ns}"),
      watch(
        "/api/v1/namespaces",
        "&resourceVersion=${rv}&fieldSelector=status.phase%3DTerminating&labelSelector=mine%3D${ns}",
      ),
    ),
  ],
};

const many = Array.from({ length: 7 }, (_, at) =>
  quiet(post(configMaps, labelled(`m${String(at)}`, { odd: String(at % 2), n: String(at) }))),
);
const page = (query: string, more: Partial<Step> = {}): Step => get(`${configMaps}?${query}`, more);
const next = { capture: { next: "/metadata/continue", rv: "/metadata/resourceVersion" } };

/** Lists in pages and at versions. */
export const listScenarios: Topic = {
  name: "s-list",
  setup: [
    clean,
    ...many,
    ...defined("list.cf.dev", "doodads", "Doodad", [version("v1", free)]),
    ...Array.from({ length: 5 }, (_, at) =>
      quiet(
        post(doodads, {
          apiVersion: "list.cf.dev/v1",
          kind: "Doodad",
          metadata: { name: `g${String(at)}`, labels: { odd: String(at % 2) } },
        }),
      ),
    ),
  ],
  probes: [
    ...[
      "labelSelector=odd%3D1",
      "labelSelector=odd%3D0",
      "fieldSelector=metadata.name%21%3Dm3",
      "labelSelector=odd%3D1&fieldSelector=metadata.name%21%3Dm3",
      "labelSelector=none",
      "labelSelector=n+notin+(1,2)",
    ].flatMap((selector) =>
      [configMaps, doodads].flatMap((path) =>
        [1, 2, 3].map((limit) =>
          one(
            `pages/${path.slice(-8)} ${selector} ${String(limit)}`,
            get(`${path}?limit=${String(limit)}&${selector}`, next),
            get(`${path}?limit=${String(limit)}&${selector}&continue=\${next}`, next),
            get(`${path}?limit=${String(limit)}&${selector}&continue=\${next}`, next),
            get(`${path}?limit=0&${selector}&continue=\${next}`),
          ),
        ),
      ),
    ),
    ...[
      "&resourceVersion=0",
      "&resourceVersion=${rv}&resourceVersionMatch=Exact",
      "&resourceVersion=${rv}&resourceVersionMatch=NotOlderThan",
      "&resourceVersion=${rv}",
      "&resourceVersionMatch=Exact",
      "&labelSelector=odd%3D1",
      "&limit=5",
      "&watch=1&timeoutSeconds=1",
    ].map((query) => one(`continue-with/${query}`, page("limit=2", next), page(`limit=2&continue=\${next}${query}`))),
    one(
      "compacted",
      page("limit=2&labelSelector=odd%3D0", next),
      page("limit=2", { capture: { other: "/metadata/continue" } }),
      quiet(put(`${configMaps}/m1`, labelled("m1", { odd: "1", x: "y" }))),
      quiet(put(`${configMaps}/m1`, labelled("m1", { odd: "1", x: "z" }))),
      quiet(marked(get(configMaps), "now")),
      get(`${configMaps}?limit=2&continue=\${other}`, { compact: "${now}", pauseMs: 17_000 }),
      page("limit=2&labelSelector=odd%3D0&continue=${next}", {
        capture: { fresh: "/metadata/continue" },
        ignore: ["/metadata/continue"],
      }),
      page("limit=2&resourceVersion=${rv}&resourceVersionMatch=Exact"),
      page("resourceVersion=${rv}&resourceVersionMatch=Exact"),
      page("resourceVersion=${now}&resourceVersionMatch=Exact"),
      page("resourceVersion=${rv}&resourceVersionMatch=NotOlderThan"),
      get(`${configMaps}/m1?resourceVersion=\${rv}`),
      page("limit=2&continue=${next}", {
        headers: { accept: "application/json;as=Table;v=v1;g=meta.k8s.io" },
        ignore: ["/metadata/continue"],
      }),
    ),
    one(
      "deleted-between",
      page("limit=2", next),
      quiet(remove(`${configMaps}/m2`)),
      quiet(post(configMaps, labelled("m2x", {}))),
      page("limit=2&continue=${next}", next),
      page("limit=9&continue=${next}"),
      page("resourceVersion=${rv}&resourceVersionMatch=Exact"),
      quiet(remove(`${configMaps}/m2x`)),
      quiet(post(configMaps, labelled("m2", { odd: "0" }))),
    ),
    ...["", "0", "${rv}", "1", "999999999", "-1", "abc"].flatMap((rv) =>
      ["", "Exact", "NotOlderThan", "Bogus"].flatMap((match) =>
        ["", "&limit=2"].flatMap((more) =>
          [configMaps, doodads].map((path) =>
            one(
              `rv/${path.slice(-8)} ${rv} ${match} ${more}`,
              quiet(marked(get(path))),
              get(`${path}?resourceVersion=${rv}&resourceVersionMatch=${match}${more}`, {
                ignore: rv === "0" || rv === "1" ? ["/metadata/remainingItemCount"] : [],
              }),
            ),
          ),
        ),
      ),
    ),
    ...["", "0", "${rv}", "999999999", "-1", "abc"].flatMap((rv) =>
      [configMaps, doodads].map((path) =>
        one(
          `get-rv/${path.slice(-8)} ${rv}`,
          quiet(marked(get(path))),
          get(`${path}/${path === configMaps ? "m1" : "g1"}?resourceVersion=${rv}`),
          get(`${path}/none?resourceVersion=${rv}`),
          get(`${path}/none?resourceVersion=${rv}&resourceVersionMatch=Exact`),
        ),
      ),
    ),
    ...["", "&limit=2", "&limit=2&labelSelector=odd%3D1"].flatMap((query) =>
      [
        "application/json;as=Table;v=v1;g=meta.k8s.io",
        "application/json;as=PartialObjectMetadataList;v=v1;g=meta.k8s.io",
        "application/json;as=PartialObjectMetadata;v=v1;g=meta.k8s.io",
        "application/cbor",
        "application/vnd.kubernetes.protobuf",
        "application/yaml",
        "application/vnd.kubernetes.protobuf;as=PartialObjectMetadataList;v=v1;g=meta.k8s.io",
        "application/cbor;as=PartialObjectMetadataList;v=v1;g=meta.k8s.io",
        "application/yaml;as=PartialObjectMetadataList;v=v1;g=meta.k8s.io",
        "application/yaml;as=Table;v=v1;g=meta.k8s.io",
        "application/vnd.kubernetes.protobuf;as=Table;v=v1;g=meta.k8s.io",
      ].flatMap((accept) =>
        [configMaps, doodads].map((path) =>
          one(
            `forms/${path.slice(-8)} ${query} ${accept}`,
            get(`${path}?x=1${query}`, {
              headers: { accept },
              ignore: ["/$text"].filter(() => accept.includes("yaml")),
            }),
            get(`${path}/${path === configMaps ? "m1" : "g1"}`, {
              headers: { accept },
              ignore: ["/$text"].filter(() => accept.includes("yaml")),
            }),
          ),
        ),
      ),
    ),
    ...[
      "labelSelector=odd%3D1&limit=1",
      "fieldSelector=metadata.name%3Dm5",
      "limit=1",
      "labelSelector=zzz",
      "resourceVersion=0",
      "resourceVersion=999999999",
      "resourceVersion=999999999&resourceVersionMatch=NotOlderThan",
      "resourceVersion=${rv}&resourceVersionMatch=Exact",
      "continue=abc",
      "dryRun=All&labelSelector=odd%3D1",
      "labelSelector=odd%3D1",
      "propagationPolicy=Foreground&fieldSelector=metadata.name%3Dm0",
      "gracePeriodSeconds=0&fieldSelector=metadata.name%3Dm0",
      "",
    ].map((query) =>
      one(
        `deletecollection/${query}`,
        quiet(marked(get(configMaps))),
        remove(`${configMaps}?${query}`),
        get(configMaps),
        clean,
        ...many,
      ),
    ),
    one(
      "deletecollection/bodies",
      ...[
        { preconditions: { uid: "x" } },
        { preconditions: { resourceVersion: "1" } },
        { propagationPolicy: "Orphan" },
        { dryRun: ["All"] },
        { bogus: 1 },
        { kind: "ListOptions", apiVersion: "v1" },
      ].flatMap((body) => [remove(`${configMaps}?labelSelector=odd%3D1`, body), get(configMaps), ...many]),
    ),
  ],
};
