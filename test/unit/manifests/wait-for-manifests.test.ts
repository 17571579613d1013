import { describe, expect, it } from "vitest";
import { createCluster } from "../../../src/cluster/create-cluster.js";
import type { ManifestReadiness, NotReadyError } from "../../../src/errors/not-ready-error.js";
import { applyManifests } from "../../../src/manifests/manifests.js";
import { parseManifests } from "../../../src/manifests/parse-manifests.js";
import { waitForManifests } from "../../../src/manifests/wait-for-manifests.js";

const app = (image = "web:1"): string => `
apiVersion: v1
kind: Namespace
metadata: { name: shop }
---
apiVersion: apps/v1
kind: Deployment
metadata: { name: web, namespace: shop }
spec:
  replicas: 2
  selector: { matchLabels: { app: web } }
  template:
    metadata: { labels: { app: web } }
    spec: { containers: [{ name: main, image: "${image}" }] }
---
apiVersion: batch/v1
kind: Job
metadata: { name: migrate, namespace: shop }
spec:
  backoffLimit: 0
  template: { spec: { restartPolicy: Never, containers: [{ name: main, image: "job:1" }] } }
`;

async function start() {
  return await createCluster({
    images: { "job:*": { run: () => 0 }, "bad:*": { run: () => 1 }, "slow:*": { pull: "1h" } },
  });
}

describe("a wait for manifests", () => {
  it("ends when every object is ready, and reports each change", async () => {
    await using cluster = await start();
    const seen: string[] = [];
    const onProgress = ({ kind, status }: ManifestReadiness): void => void seen.push(`${kind} ${status}`);
    const outcomes = await applyManifests(cluster.client, await parseManifests(app()), {
      fieldManager: "test",
      wait: { onProgress },
    });
    expect(outcomes.map(({ outcome }) => outcome)).toEqual(["created", "created", "created"]);
    expect(seen).toContain("Namespace current");
    expect(seen).toContain("Job current");
    expect(seen.at(-1)).toBe("Deployment current");
  });

  it("ends after its time with what is missing", async () => {
    await using cluster = await start();
    const objects = await parseManifests(app("slow:1"));
    await applyManifests(cluster.client, objects, { fieldManager: "test" });
    const wait = waitForManifests(cluster.client, objects, { timeoutMs: 300 });
    const error = await wait.catch((thrown: unknown) => thrown as NotReadyError);
    expect((error as NotReadyError).message).toMatch(/1 of 3 objects are not ready: Deployment\/web: Less\w+: \d of 2/);
    expect((error as NotReadyError).objects.map(({ kind, status }) => `${kind} ${status}`)).toEqual([
      "Namespace current",
      "Deployment inProgress",
      "Job current",
    ]);
  });

  it("ends at the first failure if it shall", async () => {
    await using cluster = await start();
    const objects = await parseManifests(app().replace("job:1", "bad:1"));
    await applyManifests(cluster.client, objects, { fieldManager: "test" });
    await expect(waitForManifests(cluster.client, objects, { failFast: true, completeJobs: true })).rejects.toThrow(
      /Job\/migrate: JobFailed/,
    );
  });

  it("names an object that doesn't exist, and an unknown kind", async () => {
    await using cluster = await start();
    const missing = await parseManifests(
      "apiVersion: v1\nkind: ConfigMap\nmetadata: { name: none, namespace: default }",
    );
    await expect(waitForManifests(cluster.client, missing, { timeoutMs: 100 })).rejects.toThrow(
      /ConfigMap\/none: NotFound/,
    );
    const unknown = await parseManifests("apiVersion: example.com/v1\nkind: Widget\nmetadata: { name: none }");
    await expect(waitForManifests(cluster.client, unknown, { timeoutMs: 100 })).rejects.toThrow(
      /doesn't serve kind Widget/,
    );
  });

  it("returns the objects in the given order, also one whose kind is served later", async () => {
    await using cluster = await start();
    const names = { plural: "widgets", kind: "Widget" };
    const versions = [{ name: "v1", served: true, storage: true, schema: { openAPIV3Schema: { type: "object" } } }];
    const definition = {
      apiVersion: "apiextensions.k8s.io/v1",
      kind: "CustomResourceDefinition",
      metadata: { name: "widgets.example.com" },
      spec: { group: "example.com", scope: "Cluster", names, versions },
    };
    const objects = [{ apiVersion: "example.com/v1", kind: "Widget", metadata: { name: "one" } }, definition];
    const waiting = waitForManifests(cluster.client, objects);
    await applyManifests(cluster.client, objects, { fieldManager: "test" });
    expect((await waiting).map(({ kind }) => kind)).toEqual(["Widget", "CustomResourceDefinition"]);
  });

  it("ends with the reason of its signal", async () => {
    await using cluster = await start();
    const objects = await parseManifests(app("slow:1"));
    await applyManifests(cluster.client, objects, { fieldManager: "test" });
    const abort = new AbortController();
    const reason = new Error("enough");
    const onProgress = (): void => abort.abort(reason);
    await expect(waitForManifests(cluster.client, objects, { signal: abort.signal, onProgress })).rejects.toBe(reason);
  });
});
