import type { Topic } from "../../probe.js";
import { get, type Json, one, post, put, quiet, remove } from "./steps.js";

const path = "/apis/internal.apiserver.k8s.io/v1alpha1/storageversions";
const version = (name: string, more: Json = {}): Json => ({
  apiVersion: "internal.apiserver.k8s.io/v1alpha1",
  kind: "StorageVersion",
  metadata: { name },
  spec: {},
  ...more,
});
const server = (more: Json = {}): Json => ({
  apiServerID: "a",
  encodingVersion: "x.example/v1",
  decodableVersions: ["x.example/v1"],
  servedVersions: ["x.example/v1"],
  ...more,
});
const condition = (more: Json = {}): Json => ({
  type: "AllEncodingVersionsEqual",
  status: "True",
  reason: "r",
  message: "m",
  lastTransitionTime: "2026-01-01T00:00:00Z",
  ...more,
});

const statuses: readonly Json[] = [
  {},
  { storageVersions: [server()] },
  { storageVersions: [server()], commonEncodingVersion: "x.example/v1" },
  { storageVersions: [server()], commonEncodingVersion: "v2" },
  { commonEncodingVersion: "v1" },
  { storageVersions: [server(), server()], commonEncodingVersion: "x.example/v1" },
  {
    storageVersions: [
      server(),
      server({ apiServerID: "b", encodingVersion: "v2", decodableVersions: ["v2"], servedVersions: [] }),
    ],
  },
  { storageVersions: [server({ apiServerID: "A_" })], commonEncodingVersion: "x.example/v1" },
  { storageVersions: [server({ apiServerID: "" })], commonEncodingVersion: "x.example/v1" },
  ...["", "a/b/c", "/v1", "x/", "A_/v1", "v_1", "1"].map(
    (encodingVersion): Json => ({
      storageVersions: [
        server({ encodingVersion, decodableVersions: [encodingVersion], servedVersions: [encodingVersion] }),
      ],
      commonEncodingVersion: encodingVersion,
    }),
  ),
  { storageVersions: [server({ decodableVersions: [] })], commonEncodingVersion: "x.example/v1" },
  { storageVersions: [server({ decodableVersions: ["v1", "v2"] })], commonEncodingVersion: "x.example/v1" },
  { storageVersions: [server({ servedVersions: ["v3"] })], commonEncodingVersion: "x.example/v1" },
  { conditions: [condition()] },
  { conditions: [condition(), condition()] },
  { conditions: [condition({ type: "a b" })] },
  { conditions: [condition({ status: "" })] },
  { conditions: [condition({ reason: "" })] },
  { conditions: [condition({ message: "" })] },
];

/** Storage versions that servers report. */
export const storageVersionScenarios: Topic = {
  name: "storage-versions",
  setup: [quiet(post(path, version("${ns}.things")))],
  probes: [
    ...[
      "x",
      "a.b",
      ".b",
      "a.",
      "A.b",
      "a.B",
      "a.1b",
      "a.b.c",
      "a..b",
      "_",
      "a.b_c",
      `${"a".repeat(254)}.b`,
      `a.${"b".repeat(64)}`,
    ].map((name) => one(`name/${name.slice(0, 20)}`, post(`${path}?dryRun=All`, version(name)))),
    ...statuses.map((status) =>
      one(
        `status/${JSON.stringify(status)}`,
        put(`${path}/\${ns}.things/status?dryRun=All`, version("${ns}.things", { status })),
      ),
    ),
    one("end", get(`${path}/\${ns}.things`), quiet(remove(`${path}/\${ns}.things`))),
  ],
};
