import { documentNames } from "../../../src/gen/openapi/paths.js";
import type { Topic } from "../probe.js";
import { get, one, post } from "./generic.js";
import { definition } from "./writes.js";

/** Kinds that a real server publishes with every version they ever had. */
const manyGroups = ["DeleteOptions", "WatchEvent"].map(
  (kind) => `io.k8s.apimachinery.pkg.apis.meta.v1.${kind}/x-kubernetes-group-version-kind`,
);
const groups = [...new Set(documentNames.flatMap((name) => /^apis\/([^/]+)\//.exec(name)?.slice(1) ?? []))].map(
  (group) => `apis/${group}`,
);
const types = [
  "",
  "application/json",
  "application/yaml",
  "application/*",
  "application/com.github.proto-openapi.spec.v2@v1.0+protobuf",
  "application/com.github.proto-openapi.spec.v3@v1.0+protobuf",
  "text/html",
  "application/com.github.proto-openapi.spec.v2.v1.0+protobuf",
  "application/json;q=0.1",
];

/** Published OpenAPI documents of all kinds, including a custom one. */
export const openApi: Topic = {
  name: "openapi",
  setup: [
    post("/apis/apiextensions.k8s.io/v1/customresourcedefinitions", definition),
    ...Array.from({ length: 10 }, () => ({ ...get("/openapi/v3"), silent: true })),
  ],
  probes: [
    ...[
      ...documentNames,
      ...groups,
      "api",
      "apis",
      "version",
      "openid/v1/jwks",
      ".well-known/openid-configuration",
      "apis/none",
      "apis/probe.cf.dev",
      "apis/probe.cf.dev/v1",
      "apis/probe.cf.dev/v2",
    ].map((name) =>
      one(`v3 ${name}`, {
        ...get(`/openapi/v3/${name}`),
        ...(name.includes("probe") ? { ignore: manyGroups.map((kind) => `/components/schemas/${kind}`) } : {}),
      }),
    ),
    one("v2", { ...get("/openapi/v2"), ignore: ["/parameters", ...manyGroups.map((kind) => `/definitions/${kind}`)] }),
    ...types.flatMap((accept) =>
      ["/openapi/v2", "/openapi/v3/api", "/openapi/v3"].map((path) =>
        one(`${path} ${accept}`, {
          ...get(path, { accept }),
          ignore: ["/$text", "/paths", "/definitions", "/parameters"],
        }),
      ),
    ),
  ],
};
