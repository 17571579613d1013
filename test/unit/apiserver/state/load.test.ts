import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, it } from "vitest";
import { dumpDirectory, loadDirectory } from "../../../../src/apiserver/node/directory.js";
import type { ApiServer } from "../../../../src/apiserver/server.js";
import { createApiServer } from "../../../../src/apiserver/server.js";

let server: ApiServer;
beforeEach(() => {
  server = createApiServer();
});
afterEach(() => server.close());

const manifests = `
apiVersion: cf.dev/v1
kind: Widget
metadata: { name: w, namespace: shop }
spec: { size: 3 }
---
apiVersion: v1
kind: List
items:
- apiVersion: v1
  kind: Pod
  metadata: { name: web, namespace: shop, uid: 11111111-1111-1111-1111-111111111111 }
  spec: { containers: [{ name: c, image: nginx }], nodeName: n1 }
  status: { phase: Running }
---
apiVersion: v1
kind: Namespace
metadata: { name: shop }
---
apiVersion: apiextensions.k8s.io/v1
kind: CustomResourceDefinition
metadata: { name: widgets.cf.dev }
spec:
  group: cf.dev
  scope: Namespaced
  names: { plural: widgets, kind: Widget }
  versions:
  - name: v1
    served: true
    storage: true
    schema: { openAPIV3Schema: { type: object, x-kubernetes-preserve-unknown-fields: true } }
`;

async function read(path: string): Promise<
  Record<string, never> & {
    metadata: { uid: string; name: string };
    status?: { phase: string };
    spec: { size?: number; restartPolicy?: string };
    items: { metadata: { name: string } }[];
  }
> {
  return (await (await server.handle(new Request(`http://server${path}`))).json()) as never;
}

it("load keeps status and uid, and stores definitions first", async () => {
  expect(await server.load(manifests)).toBe(4);
  const pod = await read("/api/v1/namespaces/shop/pods/web");
  expect([pod.metadata.uid, pod.status?.phase, pod.spec.restartPolicy]).toEqual([
    "11111111-1111-1111-1111-111111111111",
    "Running",
    "Always",
  ]);
  expect((await read("/apis/cf.dev/v1/namespaces/shop/widgets/w")).spec.size).toBe(3);
});

it("load names the object that can't be loaded", async () => {
  await expect(server.load("apiVersion: v1\nkind: ConfigMap\nmetadata: { name: Bad }\n")).rejects.toThrow(
    /load ConfigMap "Bad": .*metadata\.name/s,
  );
  await expect(server.load("apiVersion: v9\nkind: Nope\nmetadata: { name: x }\n")).rejects.toThrow(
    /load Nope "x": no kind "Nope" is served in version "v9"/,
  );
  await expect(server.load("a text")).rejects.toThrow(new TypeError("a manifest must be an object"));
});

it("dump can be loaded into another server, as text and as a directory", async () => {
  await server.load(manifests);
  await server.advertise("127.0.0.1", 6443);
  const shown = (one: ApiServer): unknown[] =>
    one
      .dump()
      .filter(({ metadata }) => metadata?.name !== "kubernetes")
      .map((object) => ({ ...object, metadata: { ...object.metadata, resourceVersion: "" } }));
  const before = shown(server);
  const directory = await mkdtemp(join(tmpdir(), "kubestream-state-"));
  try {
    expect(await dumpDirectory(server, directory)).toBe(server.dump().length);
    for (const load of [
      (other: ApiServer) => other.load(server.dumpYaml()),
      (other: ApiServer) => loadDirectory(other, directory),
    ]) {
      const other = createApiServer();
      await other.advertise("127.0.0.1", 6444);
      await load(other);
      expect(shown(other)).toEqual(before);
      expect(JSON.stringify(other.dump({ kinds: ["EndpointSlice"] }))).toContain("6444");
      await other.close();
    }
  } finally {
    await rm(directory, { recursive: true, force: true });
  }
});
