import { afterAll, beforeAll, describe, expect, it } from "vitest";
import type { KubectlRun, KubectlServer } from "./kubectl.js";
import { runKubectl, startForKubectl } from "./kubectl.js";
import { findKubectl } from "./real-apiserver.js";

const kubectl = findKubectl();
if (kubectl === undefined)
  console.log(
    "kubectl against the embedded server: skipped, there is no kubectl (KUBECTL, the programs built with the server, or PATH)",
  );

const manifest = (value: string): string =>
  JSON.stringify({
    apiVersion: "v1",
    kind: "List",
    items: [
      { apiVersion: "v1", kind: "ConfigMap", metadata: { name: "a", namespace: "demo" }, data: { k: value } },
      {
        apiVersion: "v1",
        kind: "Pod",
        metadata: { name: "p", namespace: "demo", labels: { app: "x" } },
        spec: { containers: [{ name: "c", image: "nginx", ports: [{ containerPort: 80 }] }] },
      },
    ],
  });

describe.skipIf(kubectl === undefined)("kubectl, unmodified, over TLS", () => {
  let target: KubectlServer;
  const run = (words: readonly string[], input?: string): Promise<KubectlRun> =>
    runKubectl(kubectl!, target.kubeconfig, target.folder, words, input);

  beforeAll(async () => {
    target = await startForKubectl();
  });

  afterAll(() => target?.close());

  it.each<[string, string[], string | undefined, RegExp]>([
    ["auth whoami", ["auth", "whoami"], undefined, /Username\s+admin/],
    ["api-resources", ["api-resources"], undefined, /deployments\s+deploy\s+apps\/v1\s+true\s+Deployment/],
    ["create namespace", ["create", "namespace", "demo"], undefined, /namespace\/demo created/],
    [
      "create deployment",
      ["-n", "demo", "create", "deployment", "web", "--image=nginx", "--replicas=2"],
      undefined,
      /deployment.apps\/web created/,
    ],
    [
      "get wide",
      ["-n", "demo", "get", "deploy", "-o", "wide"],
      undefined,
      /READY\s+UP-TO-DATE\s+AVAILABLE\s+AGE\s+CONTAINERS\s+IMAGES\s+SELECTOR\s+web\s+0\/2/,
    ],
    ["apply", ["apply", "-f", "-"], manifest("v"), /configmap\/a created\npod\/p created/],
    ["apply again, changed", ["apply", "-f", "-"], manifest("v2"), /configmap\/a configured\npod\/p unchanged/],
    [
      "apply on the server",
      ["apply", "--server-side", "-f", "-"],
      manifest("v2"),
      /configmap\/a serverside-applied\npod\/p serverside-applied/,
    ],
    [
      "dry run on the server",
      ["-n", "demo", "create", "cm", "b", "--from-literal=x=y", "--dry-run=server", "-o", "yaml"],
      undefined,
      /data:\n {2}x: "y"/,
    ],
    ["get yaml", ["-n", "demo", "get", "pod", "p", "-o", "yaml"], undefined, /restartPolicy: Always/],
    ["describe", ["-n", "demo", "describe", "pod", "p"], undefined, /Status:\s+Pending[\s\S]*QoS Class:\s+BestEffort/],
    ["explain", ["explain", "pod.spec.containers.image"], undefined, /FIELD: image <string>/],
    ["auth can-i", ["auth", "can-i", "list", "pods", "-n", "demo"], undefined, /^yes/],
    ["scale", ["-n", "demo", "scale", "deploy", "web", "--replicas=5"], undefined, /scaled/],
    ["label", ["-n", "demo", "label", "pod", "p", "z=1"], undefined, /labeled/],
    ["annotate", ["-n", "demo", "annotate", "pod", "p", "q=1"], undefined, /annotated/],
    [
      "wait",
      ["-n", "demo", "wait", "--for=jsonpath={.metadata.labels.z}=1", "pod/p", "--timeout=10s"],
      undefined,
      /condition met/,
    ],
    ["delete and wait", ["-n", "demo", "delete", "pod", "p", "--wait", "--timeout=20s"], undefined, /pod "p" deleted/],
    [
      "delete a namespace and wait",
      ["delete", "namespace", "demo", "--wait", "--timeout=20s"],
      undefined,
      /namespace "demo" deleted/,
    ],
  ])(
    "%s",
    async (_name, words, input, expected) => {
      const { code, out, err } = await run(words, input);
      expect(`${String(code)} ${err}`).toMatch(/^0 /);
      expect(out).toMatch(expected);
      // The server notices the end of kubectl's watches a moment after kubectl exits.
      const metrics = async (): Promise<string> =>
        (
          await target.server.handle(
            new Request("http://server/metrics", { headers: { authorization: "Bearer secret" } }),
          )
        ).text();
      await expect.poll(metrics, { timeout: 15_000 }).not.toContain('verb="WATCH"');
    },
    120_000,
  );

  it("reports conflicts of server-side apply", async () => {
    await run(["create", "namespace", "demo"]);
    await run(["apply", "--server-side", "-f", "-"], manifest("v"));
    const { code, err } = await run(["apply", "--server-side", "--field-manager", "other", "-f", "-"], manifest("v3"));
    expect(code).toBe(1);
    expect(err).toContain('Apply failed with 1 conflict: conflict with "kubectl": .data.k');
  }, 120_000);

  it("shows the diff to the stored object", async () => {
    const { code, out } = await run(["diff", "-f", "-"], manifest("v4"));
    expect(code).toBe(1);
    expect(out).toMatch(/-\s+k: v\n\+\s+k: v4/);
  }, 120_000);
});
