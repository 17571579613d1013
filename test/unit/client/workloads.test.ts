import { describe, expect, it } from "vitest";
import { createClient } from "../../../src/client/client.js";
import { ConfigError } from "../../../src/errors/errors.js";
import { isNotFound } from "../../../src/errors/predicates.js";
import { Deployment, ReplicaSet } from "../../../src/kinds/apps/v1.js";
import { formatManifests } from "../../../src/manifests/format-manifests.js";
import { parseManifests } from "../../../src/manifests/parse-manifests.js";
import { pauseRollout, resumeRollout, setImages, undoRollout } from "../../../src/operations/rollout.js";
import { NodeMetrics, PodMetrics, topNodes, topPods } from "../../../src/operations/usage.js";
import { type Answer, bodyOf, scripted } from "./scripted-transport.js";

const deployment = {
  apiVersion: "apps/v1",
  kind: "Deployment",
  metadata: { name: "web", namespace: "x", uid: "d", resourceVersion: "7" },
  spec: {
    template: { spec: { containers: [{ name: "main" }, { name: "log" }], initContainers: [{ name: "prepare" }] } },
  },
};
const setup = (...answers: Answer[]) => {
  const transport = scripted(...answers);
  const client = createClient({ transport, retry: false });
  return {
    client,
    transport,
    deployments: client.resource(Deployment).namespace("x"),
    replicaSets: client.resource(ReplicaSet).namespace("x"),
    paths: () => transport.requests.map(({ path }) => path),
  };
};

describe("rollouts", () => {
  it("are paused, resumed and updated with new images", async () => {
    const s = setup(...Array.from({ length: 4 }, () => ({ body: deployment })));
    await pauseRollout(s.deployments, "web", { fieldManager: "me" });
    await resumeRollout(s.deployments, "web");
    await setImages(s.deployments, "web", { main: "app:2" }, { init: { prepare: "init:2" }, dryRun: "All" });
    const writes = s.transport.requests.filter(({ method }) => method === "PATCH");
    expect(
      writes.map((request) => [request.path.split("?")[1], request.headers["content-type"], bodyOf(request)]),
    ).toEqual([
      ["fieldManager=me", "application/merge-patch+json", { spec: { paused: true } }],
      [undefined, "application/merge-patch+json", { spec: { paused: null } }],
      [
        "dryRun=All",
        "application/strategic-merge-patch+json",
        {
          spec: {
            template: {
              spec: {
                containers: [{ name: "main", image: "app:2" }],
                initContainers: [{ name: "prepare", image: "init:2" }],
              },
            },
          },
        },
      ],
    ]);
  });

  it.each([
    [{ mian: "app:2" }, {}, '"mian"; available: main, log'],
    [{ main: "app:2" }, { log: "app:2" }, '"log"; available: prepare'],
  ])("setImages(%j) of init containers %j rejects instead of adding a container", async (images, init, named) => {
    const s = setup({ body: deployment });
    await expect(setImages(s.deployments, "web", images, { init })).rejects.toThrow(
      new ConfigError(`set images of "web": no container is named ${named}`),
    );
    expect(s.transport.requests.map(({ method }) => method)).toEqual(["GET"]);
  });

  const set = (revision: number, owner = "d") => ({
    metadata: {
      name: `web-${String(revision)}`,
      annotations: { "deployment.kubernetes.io/revision": String(revision) },
      ownerReferences: [{ uid: owner, controller: true }],
    },
    spec: {
      template: {
        metadata: { labels: { app: "web", "pod-template-hash": "abc" }, annotations: { a: "b" } },
        spec: { containers: [{ name: "main", image: `app:${String(revision)}` }] },
      },
    },
  });
  const sets = {
    body: {
      kind: "ReplicaSetList",
      apiVersion: "apps/v1",
      metadata: {},
      items: [set(2), set(10), set(9), set(11, "another")],
    },
  };

  it.each([
    [undefined, "app:9"],
    [2, "app:2"],
  ])("are undone to revision %s", async (toRevision, image) => {
    const s = setup({ body: deployment }, sets, { body: deployment });
    await undoRollout(s.deployments, s.replicaSets, "web", {
      ...(toRevision !== undefined && { toRevision }),
      fieldManager: "me",
    });
    expect(bodyOf(s.transport.requests[2])).toEqual([
      { op: "replace", path: "/metadata/resourceVersion", value: "7" },
      {
        op: "replace",
        path: "/spec/template",
        value: {
          metadata: { labels: { app: "web" }, annotations: { a: "b" } },
          spec: { containers: [{ name: "main", image }] },
        },
      },
    ]);
    expect(s.paths()[2]).toBe("/apis/apps/v1/namespaces/x/deployments/web?fieldManager=me");
  });

  it.each<[string, object, object[], number | undefined, string]>([
    [
      "are paused",
      { ...deployment, spec: { paused: true } },
      [set(1), set(2)],
      undefined,
      'undo rollout "web": the Deployment is paused; resume it first',
    ],
    ["have no earlier revision", deployment, [set(1)], undefined, 'undo rollout "web": no earlier revision found'],
    [
      "never had the revision",
      deployment,
      [set(1), set(4)],
      3,
      'undo rollout "web": revision 3 not found; available: 4, 1',
    ],
  ])("are not undone if they %s", async (_, stored, items, toRevision, message) => {
    const s = setup({ body: stored }, { body: { kind: "ReplicaSetList", metadata: {}, items } });
    await expect(
      undoRollout(s.deployments, s.replicaSets, "web", toRevision === undefined ? {} : { toRevision }),
    ).rejects.toThrow(message);
  });
});

describe("resource usage", () => {
  const list = (...items: object[]): Answer => ({ body: { items } });

  it("topNodes returns usage and allocatable resources", async () => {
    const s = setup(
      list({ metadata: { name: "b" }, usage: { cpu: "250m", memory: "1Gi" } }),
      list(
        { metadata: { name: "a" }, status: { allocatable: { cpu: "4" } } },
        { metadata: { name: "b" }, status: { allocatable: { cpu: "2", memory: "4Gi" } } },
      ),
    );
    expect(await topNodes(s.client, { labelSelector: "pool=x" })).toEqual([
      { name: "a", allocatable: { cpu: "4" } },
      { name: "b", usage: { cpu: "250m", memory: "1Gi" }, allocatable: { cpu: "2", memory: "4Gi" } },
    ]);
    expect(s.paths().sort()).toEqual([
      "/api/v1/nodes?labelSelector=pool%3Dx",
      "/apis/metrics.k8s.io/v1beta1/nodes?labelSelector=pool%3Dx",
    ]);
  });

  it("topPods sums the usage, requests and limits of containers", async () => {
    const resources = { requests: { cpu: "500m" }, limits: { memory: "64Mi" } };
    const pod = (name: string) => ({
      metadata: { namespace: "x", name },
      spec: { containers: [{ resources }, { resources }, {}] },
    });
    const s = setup(
      list(
        {
          metadata: { namespace: "x", name: "a" },
          containers: [{ usage: { cpu: "12345678n", memory: "1Ki" } }, { usage: { cpu: "1m", memory: "1023Ki" } }],
        },
        { metadata: { namespace: "y", name: "b" }, containers: [] },
      ),
      list(pod("a"), pod("b")),
    );
    expect(await topPods(s.client, { namespace: "x" })).toEqual([
      {
        namespace: "x",
        name: "a",
        usage: { cpu: "13345678n", memory: "1Mi" },
        requests: { cpu: "1" },
        limits: { memory: "128Mi" },
      },
      { namespace: "x", name: "b", requests: { cpu: "1" }, limits: { memory: "128Mi" } },
    ]);
    expect(s.paths().sort()).toEqual(["/api/v1/namespaces/x/pods", "/apis/metrics.k8s.io/v1beta1/namespaces/x/pods"]);
    await expect(topPods(s.client, { namespace: "../x" })).rejects.toThrow(TypeError);
  });

  it("topNodes rejects with 404 without a metrics server", async () => {
    const answer = (path: string): Answer =>
      path.startsWith("/api/")
        ? list()
        : { status: 404, headers: { "content-type": "text/plain" }, body: "404 page not found" };
    const transport = scripted(
      (request) => answer(request.path),
      (request) => answer(request.path),
    );
    expect(isNotFound(await topNodes(createClient({ transport })).catch((error: unknown) => error))).toBe(true);
  });

  it("is listed through the kinds PodMetrics and NodeMetrics", async () => {
    const s = setup(
      {
        body: {
          kind: "PodMetricsList",
          apiVersion: "metrics.k8s.io/v1beta1",
          metadata: {},
          items: [{ metadata: { name: "a" }, timestamp: "t", window: "30s", containers: [] }],
        },
      },
      { body: { kind: "NodeMetrics", apiVersion: "metrics.k8s.io/v1beta1", metadata: { name: "n" }, usage: {} } },
    );
    expect((await s.client.resource(PodMetrics).namespace("x").list()).items[0]?.window).toBe("30s");
    expect((await s.client.resource(NodeMetrics).get("n")).metadata?.name).toBe("n");
  });
});

describe("formatManifests", () => {
  it("writes YAML that parseManifests reads back unchanged", async () => {
    const objects = [
      {
        apiVersion: "v1",
        kind: "ConfigMap",
        metadata: { name: "a", labels: { yes: "no", on: "1e3", n: "0x1f" } },
        data: { text: "a: b\n# c\n\n  d\n", empty: "", date: "2026-01-01", long: "word ".repeat(50) },
      },
      {
        apiVersion: "v1",
        kind: "List2",
        metadata: { name: "l" },
        items: [],
        spec: { list: [{ a: 1, b: [true, null, -0.5] }, []], nothing: {} },
        gone: undefined,
      },
    ];
    const text = formatManifests(objects as never);
    expect(text.split("---\n")).toHaveLength(2);
    expect(text.startsWith("apiVersion: v1\n")).toBe(true);
    expect(await parseManifests(text)).toEqual(JSON.parse(JSON.stringify(objects)));
  });
});
