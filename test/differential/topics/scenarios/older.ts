import type { Topic } from "../../probe.js";
import { configMap, configMaps, core, get, marked, one, patch, post, quiet, watch } from "./steps.js";

const initial = "&sendInitialEvents=true&resourceVersionMatch=NotOlderThan&allowWatchBookmarks=true";

/** A server without streaming lists, CBOR, alpha and beta versions, and watch cache. */
export const olderScenarios: Topic = {
  name: "older",
  server: "older",
  setup: [post(configMaps, configMap("a")), post(configMaps, configMap("b"))],
  probes: [
    one(
      "watch-list",
      watch(configMaps, initial),
      watch(configMaps, "&sendInitialEvents=false&resourceVersionMatch=NotOlderThan"),
      watch(configMaps, "&sendInitialEvents=true"),
      watch(configMaps, "&resourceVersionMatch=NotOlderThan"),
      get(`${configMaps}?sendInitialEvents=true`),
      watch(configMaps, "", { ignore: ["/body"] }),
      watch(configMaps, "&resourceVersion=0", { ignore: ["/body"] }),
    ),
    one(
      "lists",
      ...[
        "resourceVersion=0",
        "resourceVersion=0&limit=1",
        "resourceVersion=1&resourceVersionMatch=Exact",
        "resourceVersion=1",
        "resourceVersion=99999999&timeoutSeconds=1",
        "resourceVersion=abc",
        "shardSelector=x",
      ].map((query) => get(`${configMaps}?${query}`)),
      get(`${configMaps}/a?resourceVersion=99999999`),
      get(`${configMaps}/a?resourceVersion=0`),
    ),
    one(
      "cbor",
      get(`${configMaps}/a`, { headers: { accept: "application/cbor" } }),
      get(configMaps, { headers: { accept: "application/cbor, application/json" } }),
      get("/apis/apps/v1", { headers: { accept: "application/cbor" } }),
      get("/api/v1", { headers: { accept: "application/cbor" } }),
      get(`${configMaps}/a`, { headers: { accept: "application/cbor;as=PartialObjectMetadata;g=meta.k8s.io;v=v1" } }),
      watch(configMaps, "", { headers: { accept: "application/cbor-seq" } }),
      { ...post(configMaps, configMap("c")), encode: "cbor" },
      patch(`${configMaps}/c?fieldManager=x`, "cbor", configMap("c")),
    ),
    one(
      "versions",
      get("/apis"),
      get("/apis/resource.k8s.io"),
      get("/apis/storagemigration.k8s.io"),
      ...["storage.k8s.io/v1beta1", "coordination.k8s.io/v1alpha2", "internal.apiserver.k8s.io/v1alpha1"].flatMap(
        (name) => [get(`/apis/${name}`), get(`/apis/${name}/x`)],
      ),
      get("/apis/storage.k8s.io/v1beta1/volumeattributesclasses"),
      get("/openapi/v3/apis/storage.k8s.io/v1beta1", { ignore: ["/body"] }),
      get("/apis/apiregistration.k8s.io/v1/apiservices/v1beta1.storage.k8s.io"),
    ),
    one(
      "bookmarks",
      quiet(marked(get(configMaps))),
      watch(configMaps, "&allowWatchBookmarks=true&resourceVersion=${rv}", { ignore: ["/body"] }),
    ),
    one("namespace", get(`${core}`, { ignore: ["/body"] })),
  ],
};
