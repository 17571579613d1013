// ApplySets applied by this client and by kubectl must be equal, and each tool must prune what the other applied.
import { execFile } from "node:child_process";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, inject, it } from "vitest";
import type { Client } from "../../src/client/client.js";
import { ConfigMap, Secret, ServiceAccount } from "../../src/kinds/core/v1.js";
import { applySet } from "../../src/manifests/apply-set.js";
import type { KubernetesObject } from "../../src/meta/object.js";
import { freshNamespace, missing, realClient } from "./cluster.js";
import { findKubectl } from "./real-apiserver.js";

const kubectl = findKubectl();
const reason = missing ?? (kubectl === undefined ? "there is no kubectl" : undefined);
if (reason !== undefined) console.log(`apply sets beside kubectl: skipped: ${reason}`);

const map = (name: string): KubernetesObject =>
  ({ apiVersion: "v1", kind: "ConfigMap", metadata: { name }, data: { k: "v" } }) as KubernetesObject;
const account = (name: string): KubernetesObject => ({ apiVersion: "v1", kind: "ServiceAccount", metadata: { name } });
const role = (name: string): KubernetesObject =>
  ({
    apiVersion: "rbac.authorization.k8s.io/v1",
    kind: "ClusterRole",
    metadata: { name },
    rules: [],
  }) as KubernetesObject;

type Given = { namespace: string; parent: string; objects: readonly KubernetesObject[] };

describe.skipIf(reason !== undefined)("ApplySets", () => {
  let client: Client;
  let home: string;
  let kubectlTool: string;

  beforeAll(async () => {
    client = await realClient();
    home = mkdtempSync(join(tmpdir(), "kubestream-applyset-"));
    kubectlTool = `kubectl/${(JSON.parse(await run(["version", "--client", "-o", "json"])) as { clientVersion: { gitVersion: string } }).clientVersion.gitVersion}`;
  });
  afterAll(async () => {
    await client?.close();
    rmSync(home, { recursive: true, force: true });
  });

  function run(words: readonly string[], input = ""): Promise<string> {
    return new Promise((resolve, reject) => {
      const child = execFile(
        kubectl!,
        words,
        {
          env: {
            PATH: process.env["PATH"],
            HOME: home,
            KUBECONFIG: inject("real").kubeconfig!,
            KUBECTL_APPLYSET: "true",
          },
        },
        (error, out, err) => {
          if (error) reject(new Error(`kubectl ${words.join(" ")}: ${err}${out}`));
          else resolve(out);
        },
      );
      child.stdin!.end(input);
    });
  }

  const tools: Record<string, (set: Given) => Promise<string[]>> = {
    /** Names of the pruned objects. */
    kubectl: async ({ namespace, parent, objects }) => {
      const out = await run(
        ["-n", namespace, "apply", "--server-side", "--prune", `--applyset=configmaps/${parent}`, "-f", "-"],
        JSON.stringify({ apiVersion: "v1", kind: "List", items: objects }),
      );
      return [...out.matchAll(/^(\S+)\/(\S+) pruned$/gm)]
        .map(([, kind, name]) => `${kind!.split(".")[0]!}/${name!}`)
        .sort();
    },
    ours: async ({ namespace, parent, objects }) => {
      const outcomes = await applySet(client, objects, {
        parent: { resource: "configmaps", name: parent, namespace },
        namespace,
        fieldManager: "kubectl",
        tooling: kubectlTool,
      });
      return outcomes
        .filter(({ outcome }) => outcome === "pruned")
        .map(({ kind, name }) => `${kind.toLowerCase()}/${name}`)
        .sort();
    },
  };

  /** Returns the parts of the parent and its members that belong to the set. */
  async function look(namespace: string, parent: string): Promise<object> {
    const strip = ({ kind, metadata }: KubernetesObject): object => ({
      kind,
      name: metadata?.name,
      labels: metadata?.labels,
      annotations: metadata?.annotations,
      managers: metadata?.managedFields?.map(({ manager, operation }) => `${manager ?? ""} ${operation ?? ""}`).sort(),
    });
    const own = await client.resource(ConfigMap).namespace(namespace).list();
    return {
      parent: strip(own.items.find((item) => item.metadata?.name === parent)!),
      members: [
        ...own.items.filter((item) => item.metadata?.name !== "kube-root-ca.crt" && item.metadata?.name !== parent),
        ...(await client.resource(ServiceAccount).namespace(namespace).list()).items.filter(
          (item) => item.metadata?.name !== "default",
        ),
      ].map(strip),
    };
  }

  it("are the same when applied by this client and by kubectl", async () => {
    // The parent's namespace is part of its label, so both use the same namespace, one after the other.
    const seen: Record<string, object[]> = {};
    const namespace = await freshNamespace(client);
    for (const [tool, apply] of Object.entries(tools)) {
      const states: object[] = [];
      for (const objects of [[map("a"), map("b"), account("s"), role(`applyset-${namespace}`)], [map("a")]]) {
        states.push({ pruned: await apply({ namespace, parent: "set", objects }), ...(await look(namespace, "set")) });
      }
      seen[tool] = states;
      for (const name of ["a", "set"]) await client.resource(ConfigMap).namespace(namespace).delete(name);
    }
    expect(seen["ours"]).toEqual(seen["kubectl"]);
    expect(seen["ours"]![1]).toMatchObject({
      pruned: [`clusterrole/applyset-${namespace}`, "configmap/b", "serviceaccount/s"].sort(),
    });
  });

  it.each([
    ["kubectl", "ours"],
    ["ours", "kubectl"],
  ])("applied by %s are pruned by %s", async (first, second) => {
    const namespace = await freshNamespace(client);
    await tools[first]!({ namespace, parent: "set", objects: [map("a"), map("b"), account("s")] });
    expect(await tools[second]!({ namespace, parent: "set", objects: [map("a"), map("c")] })).toEqual([
      "configmap/b",
      "serviceaccount/s",
    ]);
    expect(await tools[first]!({ namespace, parent: "set", objects: [map("c")] })).toEqual(["configmap/a"]);
  });

  it("of another tool are refused by both", async () => {
    const namespace = await freshNamespace(client);
    await applySet(client, [map("a")], {
      parent: { resource: "configmaps", name: "set", namespace },
      namespace,
      fieldManager: "m",
    });
    await expect(tools["kubectl"]!({ namespace, parent: "set", objects: [map("a")] })).rejects.toThrow(
      /managed by tooling "kubestream" instead of "kubectl"/,
    );
    await run(
      ["-n", namespace, "apply", "--server-side", "--prune", "--applyset=theirs", "-f", "-"],
      JSON.stringify(map("b")),
    );
    expect(
      (await client.resource(Secret).namespace(namespace).get("theirs")).metadata?.labels?.[
        "applyset.kubernetes.io/id"
      ],
    ).toMatch(/^applyset-/);
    await expect(
      applySet(client, [map("b")], { parent: { name: "theirs", namespace }, namespace, fieldManager: "m" }),
    ).rejects.toThrow('managed by "kubectl/');
  });
});
