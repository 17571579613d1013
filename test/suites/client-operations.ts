import { afterEach, beforeEach, describe, expect, it } from "vitest";
import type { Client } from "../../src/client/client.js";
import { DaemonSet, Deployment, ReplicaSet } from "../../src/kinds/apps/v1.js";
import { CertificateSigningRequest } from "../../src/kinds/certificates/v1.js";
import { Node, Pod, Secret, ServiceAccount } from "../../src/kinds/core/v1.js";
import { PodDisruptionBudget } from "../../src/kinds/policy/v1.js";
import { removeFinalizer } from "../../src/objects/finalizers.js";
import { withController } from "../../src/objects/owner-references.js";
import { approve, deny } from "../../src/operations/approve.js";
import { deleteCollectionPages } from "../../src/operations/delete-collection-pages.js";
import { type DrainProgress, type DrainResult, drain } from "../../src/operations/drain.js";
import { DrainError } from "../../src/operations/drain-error.js";
import { evict } from "../../src/operations/evict.js";
import { addEphemeralContainer, bind } from "../../src/operations/pod-operations.js";
import { requestToken } from "../../src/operations/request-token.js";
import {
  cordon,
  pauseRollout,
  restart,
  resumeRollout,
  setImages,
  uncordon,
  undoRollout,
} from "../../src/operations/rollout.js";
import { scale } from "../../src/operations/scale.js";
import { createCertificateRequest } from "../support/certificate-request.js";
import { clientOf, deployment, failure, freshNamespace } from "./clients.js";
import type { Target } from "./target.js";

/** Operations of kubectl. */
export function clientOperationsSuite(target: Target): void {
  describe("operations:", () => operations(target));
}

function operations(target: Target): void {
  let client: Client;
  let namespace = "";
  beforeEach(async () => {
    client = await clientOf(target);
    if (namespace === "") namespace = await freshNamespace(client);
  });
  afterEach(() => client.close());

  it("operations work on workloads, pods, nodes, service accounts and certificate requests", async () => {
    const deployments = client.resource(Deployment).namespace(namespace);
    const pods = client.resource(Pod).namespace(namespace);
    await deployments.create(deployment("ops"));
    expect((await scale(deployments, "ops", 3)).spec?.replicas).toBe(3);
    expect((await scale(deployments, "ops", 4, { from: 3 })).spec?.replicas).toBe(4);
    expect(await failure(scale(deployments, "ops", 5, { from: 3 }))).toMatchObject({ code: 422 });
    expect((await restart(deployments, "ops")).spec?.template.metadata?.annotations).toHaveProperty([
      "kubectl.kubernetes.io/restartedAt",
    ]);
    expect((await pauseRollout(deployments, "ops")).spec?.paused).toBe(true);
    expect((await resumeRollout(deployments, "ops")).spec?.paused ?? false).toBe(false);
    expect((await setImages(deployments, "ops", { c: "image:2" })).spec?.template.spec?.containers[0]?.image).toBe(
      "image:2",
    );
    const replicaSets = client.resource(ReplicaSet).namespace(namespace);
    const labels = { a: "ops", "pod-template-hash": "h" };
    for (const revision of [1, 2]) {
      const metadata = {
        name: `ops-${String(revision)}`,
        namespace,
        annotations: { "deployment.kubernetes.io/revision": String(revision) },
      };
      const template = {
        metadata: { labels },
        spec: { containers: [{ name: "c", image: `image:${String(revision)}` }] },
      };
      await replicaSets.create(
        withController(
          { metadata, spec: { replicas: 0, selector: { matchLabels: labels }, template } },
          await deployments.get("ops"),
        ),
      );
    }
    const undone = await undoRollout(deployments, replicaSets, "ops");
    expect(undone.spec?.template).toMatchObject({ spec: { containers: [{ image: "image:1" }] } });
    expect(undone.spec?.template.metadata?.labels).toEqual({ a: "ops" });
    expect((await deployments.getOptional("ops"))?.metadata?.uid).toBe(undone.metadata?.uid);
    expect(await deployments.getOptional("nothing")).toBeUndefined();
    expect(
      await failure(
        client
          .resource({ ...Deployment, version: "v9" })
          .namespace(namespace)
          .getOptional("nothing"),
      ),
    ).toMatchObject({ code: 404 });
    await pods.create({ metadata: { name: "p" }, spec: { containers: [{ name: "c", image: "i" }] } });
    await bind(pods, "p", "n1");
    expect(
      (await addEphemeralContainer(pods, "p", { name: "debug", image: "busybox" })).spec?.ephemeralContainers?.[0]
        ?.name,
    ).toBe("debug");
    expect(await evict(pods, "p", { gracePeriodSeconds: 0 })).toBe(true);
    expect(await evict(pods, "p")).toBe(false);
    const nodes = client.resource(Node);
    await nodes.create({ metadata: { name: "n-ops" } });
    expect((await cordon(nodes, "n-ops")).spec?.unschedulable).toBe(true);
    expect((await uncordon(nodes, "n-ops")).spec?.unschedulable).toBeUndefined();
    const accounts = client.resource(ServiceAccount).namespace(namespace);
    await accounts.create({ metadata: { name: "sa" } });
    expect((await requestToken(accounts, "sa", { expirationSeconds: 700 })).token.split(".")).toHaveLength(3);
    const requests = client.resource(CertificateSigningRequest);
    await requests.create({
      metadata: { name: "csr" },
      spec: {
        signerName: "example.com/s",
        usages: ["client auth"],
        request: btoa(createCertificateRequest("x").request),
      },
    });
    const approved = await approve(requests, "csr", { message: "fine" });
    expect(approved.status?.conditions).toMatchObject([
      { type: "Approved", status: "True", reason: "Approved", message: "fine" },
    ]);
    expect(await approve(requests, "csr", { message: "again" })).toEqual(approved);
    expect(await failure(deny(requests, "csr"))).toMatchObject({ code: 422 });
  });

  it("drain respects its rules and waits for disruption budgets", async () => {
    const ns = await freshNamespace(client);
    const pods = client.resource(Pod).namespace(ns);
    const nodes = client.resource(Node);
    const node = `n-${ns}`;
    await nodes.create({ metadata: { name: node } });
    const labels = { app: "drained" };
    const template = { metadata: { labels }, spec: { containers: [{ name: "c", image: "i" }] } };
    const set = await client
      .resource(ReplicaSet)
      .namespace(ns)
      .create({
        metadata: { name: "set", namespace: ns },
        spec: { replicas: 0, selector: { matchLabels: labels }, template },
      });
    const daemons = await client
      .resource(DaemonSet)
      .namespace(ns)
      .create({ metadata: { name: "daemons", namespace: ns }, spec: { selector: { matchLabels: labels }, template } });
    const onNode = (name: string, app: string, more: object = {}): Pod => ({
      metadata: { name, namespace: ns, labels: { app } },
      spec: { nodeName: node, containers: [{ name: "c", image: "i" }], ...more },
    });
    await pods.create(withController(onNode("daemon", "d"), daemons));
    await pods.create(withController(onNode("guarded", "guarded"), set));
    await pods.create(withController(onNode("local", "l", { volumes: [{ name: "v", emptyDir: {} }] }), set));
    await pods.create(onNode("bare", "b"));
    await pods.create({
      metadata: { name: "elsewhere" },
      spec: { nodeName: `${node}-2`, containers: [{ name: "c", image: "i" }] },
    });
    await pods.subresource("status").update("guarded", (pod) => {
      pod.status = { ...pod.status, phase: "Running", conditions: [{ type: "Ready", status: "True" }] };
    });
    const budgets = client.resource(PodDisruptionBudget).namespace(ns);
    await budgets.create({
      metadata: { name: "guard" },
      spec: { minAvailable: 0, selector: { matchLabels: { app: "guarded" } } },
    });
    const allow = (disruptionsAllowed: number): Promise<unknown> =>
      budgets.subresource("status").update("guard", (b) => {
        b.status = {
          currentHealthy: 1,
          desiredHealthy: 0,
          disruptionsAllowed,
          expectedPods: 1,
          observedGeneration: b.metadata!.generation!,
        };
      });
    await allow(0);

    const refused = await drain(client, node).catch((error: unknown) => error as DrainError);
    expect(refused).toBeInstanceOf(DrainError);
    expect((refused as DrainError).pods.map(({ name }) => name).sort()).toEqual(["bare", "daemon", "local"]);
    expect((await nodes.get(node)).spec?.unschedulable).toBe(true);
    expect((await pods.list()).items).toHaveLength(5);

    const told: string[] = [];
    let draining: Promise<DrainResult>;
    await new Promise<void>((resolve) => {
      const onProgress = ({ name, step }: DrainProgress): void => {
        told.push(`${name} ${step}`);
        if (told.includes("bare gone") && told.includes("local gone")) resolve();
      };
      draining = drain(client, node, {
        ignoreDaemonSets: true,
        deleteEmptyDirData: true,
        force: true,
        gracePeriodSeconds: 0,
        everyMs: 50,
        pollMs: 50,
        onProgress,
      });
    });
    expect(told).not.toContain("guarded ending");
    await allow(1);
    const { taken, left } = await draining!;
    expect(taken.map(({ name }) => name).sort()).toEqual(["bare", "guarded", "local"]);
    expect(left).toMatchObject([{ namespace: ns, name: "daemon" }]);
    expect((await pods.list()).items.map(({ metadata }) => metadata?.name).sort()).toEqual(["daemon", "elsewhere"]);
  });

  it("deleteCollectionPages deletes a collection in pages", async () => {
    const ns = await freshNamespace(client);
    const many = client.resource(Secret).namespace(ns);
    for (let i = 0; i < 7; i++)
      await many.create({ metadata: { name: `d-${i}`, ...(i === 2 && { finalizers: ["example.com/f"] }) } });
    const pages: number[] = [];
    for await (const page of deleteCollectionPages(many, { limit: 3 })) pages.push(page.items.length);
    expect(pages).toEqual([3, 3, 1]);
    expect((await many.list()).items.map((i) => i.metadata?.name)).toEqual(["d-2"]);
    await removeFinalizer(many, "d-2", "example.com/f");
  });
}
