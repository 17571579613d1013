import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { createInformer } from "../../src/cache/informer/create-informer.js";
import { getResponseInfo } from "../../src/client/call/response-info.js";
import type { Client } from "../../src/client/client.js";
import type { DynamicResource } from "../../src/client/resource/resource.js";
import { getCell } from "../../src/client/resource/table-view.js";
import { findByCategory, listResources } from "../../src/discovery/api-catalog.js";
import { createDiscovery } from "../../src/discovery/discovery.js";
import { createOpenApi } from "../../src/discovery/open-api.js";
import type { ManifestsError } from "../../src/errors/manifests-error.js";
import { createFlowControlLookup } from "../../src/flowcontrol/flow-control.js";
import { dumpFlowControl } from "../../src/flowcontrol/flow-control-dumps.js";
import { matchFlowSchema } from "../../src/flowcontrol/flow-schema-match.js";
import { DaemonSet, Deployment, ReplicaSet } from "../../src/kinds/apps/v1.js";
import { CertificateSigningRequest } from "../../src/kinds/certificates/v1.js";
import { ConfigMap, Node, Pod, Secret, ServiceAccount } from "../../src/kinds/core/v1.js";
import { FlowSchema } from "../../src/kinds/flowcontrol/v1.js";
import { PodDisruptionBudget } from "../../src/kinds/policy/v1.js";
import { applySet } from "../../src/manifests/apply-set.js";
import { applyManifests, deleteManifests } from "../../src/manifests/manifests.js";
import { applyConflicts } from "../../src/objects/apply-conflict.js";
import { createOrPatch, createOrUpdate } from "../../src/objects/create-or-update.js";
import { addFinalizer, removeFinalizer } from "../../src/objects/finalizers.js";
import { withController } from "../../src/objects/owner-references.js";
import { approve } from "../../src/operations/approve.js";
import { checkAccess } from "../../src/operations/check-access.js";
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
import { createJsonPatch } from "../../src/patch/create-json-patch.js";
import { extractApplyConfiguration, ownedFields, upgradeManagedFields } from "../../src/patch/managed-fields.js";
import { clientOf, failure, freshNamespace } from "./clients.js";
import type { Target } from "./target.js";

const deployment = (name: string, image = "i", replicas?: number): Deployment => ({
  apiVersion: "apps/v1",
  kind: "Deployment",
  metadata: { name },
  spec: {
    ...(replicas !== undefined && { replicas }),
    selector: { matchLabels: { a: name } },
    template: { metadata: { labels: { a: name } }, spec: { containers: [{ name: "c", image }] } },
  },
});

/** Discovery, manifests, operations and flow control. */
export function clientKindsSuite(target: Target): void {
  describe("discovery, manifests and operations:", () => kinds(target));
}

function kinds(target: Target): void {
  let client: Client;
  let namespace = "";
  beforeEach(async () => {
    client = await clientOf(target);
    if (namespace === "") namespace = await freshNamespace(client);
  });
  afterEach(() => client.close());
  const maps = () => client.resource(ConfigMap).namespace(namespace);

  it("discovery reads all kinds in two requests and revalidates by ETag", async () => {
    const seen: (string | undefined)[] = [];
    const watched = await clientOf(target, {
      interceptors: [
        (next) => async (request) => {
          const response = await next(request);
          seen.push(`${request.path} ${response.status}`);
          return response;
        },
      ],
    });
    const discovery = createDiscovery(watched);
    const catalog = await discovery.catalog();
    expect(catalog.failures).toEqual([]);
    expect(catalog.groups[0]!.name).toBe("");
    expect(await discovery.catalog({ fresh: true })).toEqual({ ...catalog, readAt: expect.any(Number) as number });
    expect(seen.sort()).toEqual(["/api 200", "/api 304", "/apis 200", "/apis 304"]);
    expect(await discovery.find("deploy")).toMatchObject({
      group: "apps",
      version: "v1",
      kind: "Deployment",
      plural: "deployments",
      scope: "Namespaced",
    });
    expect(await discovery.find("po")).toMatchObject({
      group: "",
      plural: "pods",
      subresources: expect.arrayContaining([
        expect.objectContaining({
          name: "eviction",
          responseKind: { group: "policy", version: "v1", kind: "Eviction" },
        }),
      ]) as unknown,
    });
    expect(await discovery.find("horizontalpodautoscalers.v1.autoscaling")).toMatchObject({ version: "v1" });
    expect(await discovery.find("hpa")).toMatchObject({ version: "v2" });
    expect(await discovery.find("nothing.of.this")).toBeUndefined();
    expect(findByCategory(catalog, "all").map((r) => r.plural)).toEqual(
      expect.arrayContaining(["pods", "services", "deployments", "jobs"]),
    );
    const everything = await Promise.all(
      listResources(catalog)
        .filter((r) => r.verbs.includes("list"))
        .map((r) =>
          watched
            .resource(r)
            .list({ limit: 1 })
            .then((l) => l.kind),
        ),
    );
    expect(everything.length).toBeGreaterThan(60);
    expect(everything.every((kind) => kind?.endsWith("List"))).toBe(true);
    await watched.close();
  });

  it("discovery finds the same kinds without aggregated documents", async () => {
    const plain = await clientOf(target, {
      interceptors: [
        (next) => (request) => next({ ...request, headers: { ...request.headers, accept: "application/json" } }),
      ],
    });
    const [a, b] = [await createDiscovery(client).catalog(), await createDiscovery(plain).catalog()];
    const names = (c: typeof a): string[] =>
      listResources(c)
        .map(
          (r) =>
            `${r.group}/${r.version}/${r.plural} ${r.kind} ${r.scope} ${r.singular} ${r.verbs.join()} ${r.shortNames.join()} ${r.categories.join()} ${r.subresources
              .map((s) => `${s.name}=${s.responseKind.group}/${s.responseKind.version}/${s.responseKind.kind}`)
              .sort()
              .join()}`,
        )
        .sort();
    expect(names(b)).toEqual(names(a));
    await plain.close();
  });

  it("createOpenApi reads OpenAPI documents", async () => {
    const openApi = createOpenApi(client);
    expect(await openApi.paths()).toContain("apis/apps/v1");
    const document = (await openApi.document("apps/v1")) as { components: { schemas: object } };
    expect(Object.keys(document.components.schemas)).toContain("io.k8s.api.apps.v1.Deployment");
    expect(await openApi.document("apps/v1")).toBe(document);
    expect(await openApi.document("no/v1")).toBeUndefined();
  });

  it("checkAccess reviews the permissions of users", async () => {
    expect(await checkAccess(client, "list", Pod, { namespace })).toMatchObject({ allowed: true });
    expect(
      await checkAccess(client, "get", [Pod, "log"], { subject: { user: "alice", groups: ["dev"] } }),
    ).toMatchObject({
      allowed: false,
      denied: false,
    });
    expect(await checkAccess(client, "get", "/metrics")).toMatchObject({ allowed: true });
    const alice = await clientOf(target, { context: "alice" });
    expect(await checkAccess(alice, "delete", Pod, { namespace, name: "x" })).toMatchObject({ allowed: false });
    await alice.close();
  });

  it("flow control names are resolved for results and errors, and dumps are parsed", async () => {
    const lookup = createFlowControlLookup(client);
    expect(await lookup.names(getResponseInfo(await maps().list())!)).toEqual({
      flowSchema: "exempt",
      priorityLevel: "exempt",
    });
    const alice = await clientOf(target, { context: "alice" });
    expect(await lookup.names(await failure(alice.resource(ConfigMap).namespace(namespace).list()))).toEqual({
      flowSchema: "global-default",
      priorityLevel: "global-default",
    });
    await alice.close();
    const dump = await dumpFlowControl(client);
    expect(dump.priorityLevels.map((l) => l.priorityLevel)).toContain("workload-low");
    for (const request of dump.requests)
      expect(request).toMatchObject({ flowSchema: "exempt", details: { userName: "admin" } });
    expect(dump.queues.length).toBeGreaterThan(0);
    const schemas = (await client.resource(FlowSchema).list()).items;
    const match = (user: string, groups: string[], resource = "pods", ns: string | undefined = "x") =>
      matchFlowSchema(schemas, {
        user,
        groups,
        verb: "list",
        group: "",
        resource,
        ...(ns !== undefined && { namespace: ns }),
      })?.metadata?.name;
    expect(match("alice", ["dev", "system:authenticated"])).toBe("global-default");
    expect(match("admin", ["system:masters", "system:authenticated"])).toBe("exempt");
    expect(match("system:serviceaccount:x:y", ["system:serviceaccounts", "system:authenticated"])).toBe(
      "service-accounts",
    );
    expect(match("system:kube-scheduler", ["system:authenticated"])).toBe("kube-scheduler");
  });

  it("apply conflicts are reported, owned fields extracted and client-side fields migrated", async () => {
    const deployments = client.resource(Deployment).namespace(namespace);
    await deployments.apply({ ...deployment("web", "one", 2) } as never, { fieldManager: "one" });
    await deployments.patch(
      "web",
      {
        type: "strategic",
        patch: {
          spec: { template: { spec: { containers: [{ name: "c", image: "two", env: [{ name: "A", value: "b" }] }] } } },
        },
      },
      { fieldManager: "editor" },
    );
    const error = await failure(
      deployments.apply({ ...deployment("web", "three", 3) } as never, { fieldManager: "other" }),
    );
    expect(applyConflicts(error).sort((a, b) => (a.manager < b.manager ? -1 : 1))).toEqual([
      { manager: "editor", field: '.spec.template.spec.containers[name="c"].image', apiVersion: "apps/v1" },
      { manager: "one", field: ".spec.replicas" },
    ]);
    const live = await deployments.get("web");
    expect(ownedFields(live, "one")).toContain(".spec.replicas");
    expect(ownedFields(live, "editor", { operation: "Update" })).toEqual(
      expect.arrayContaining(['.spec.template.spec.containers[name="c"].env[name="A"].value']),
    );
    const owned = extractApplyConfiguration(live, "one")!;
    expect(owned).toEqual({
      apiVersion: "apps/v1",
      kind: "Deployment",
      metadata: { name: "web", namespace },
      spec: {
        replicas: 2,
        selector: { matchLabels: { a: "web" } },
        template: { metadata: { labels: { a: "web" } }, spec: { containers: [{ name: "c" }] } },
      },
    });
    // Applying exactly the owned fields changes nothing.
    const again = await deployments.apply(owned, { fieldManager: "one" });
    expect(again.metadata?.resourceVersion).toBe(live.metadata?.resourceVersion);

    const patch = upgradeManagedFields(live, ["editor"], "one")!;
    const upgraded = await deployments.patch("web", { type: "json", operations: patch });
    expect(upgraded.metadata?.managedFields?.map((m) => `${m.manager} ${m.operation}`)).not.toContain("editor Update");
    const without = await deployments.apply({ ...deployment("web", "two", 2) } as never, { fieldManager: "one" });
    expect(without.spec?.template.spec?.containers[0]).not.toHaveProperty("env");
    expect(await failure(deployments.patch("web", { type: "json", operations: patch }))).toMatchObject({ code: 409 });
  });

  it("createJsonPatch patches by the difference of two objects, with a version guard", async () => {
    await maps().create({ metadata: { name: "diff", annotations: { "x.io/c.d": "2" } }, data: { a: "1" } });
    const before = await maps().get("diff");
    const after = {
      ...before,
      metadata: { ...before.metadata, annotations: { "x.io/c.d": "3" } },
      data: { a: "9", new: "x" },
    };
    await maps().patch("diff", { type: "json", operations: await createJsonPatch(before, after, { guard: "both" }) });
    expect((await maps().get("diff")).data).toEqual(after.data);
    expect(
      await failure(maps().patch("diff", { type: "json", operations: await createJsonPatch(before, after) })),
    ).toMatchObject({ code: 422 });
    expect(await createJsonPatch(before, before, { guard: "both" })).toEqual([]);
  });

  it("applyManifests applies definitions first, and deleteManifests deletes any kind", async () => {
    const group = "manifests.example.com";
    const definition = {
      apiVersion: "apiextensions.k8s.io/v1",
      kind: "CustomResourceDefinition",
      metadata: { name: `things.${group}` },
      spec: {
        group,
        scope: "Namespaced",
        names: { plural: "things", singular: "thing", kind: "Thing" },
        versions: [
          {
            name: "v1",
            served: true,
            storage: true,
            schema: { openAPIV3Schema: { type: "object", "x-kubernetes-preserve-unknown-fields": true } },
          },
        ],
      },
    };
    const ns = `${namespace}-m`;
    const objects = [
      { apiVersion: `${group}/v1`, kind: "Thing", metadata: { name: "t" }, spec: { x: 1 } },
      {
        apiVersion: "v1",
        kind: "List",
        items: [{ apiVersion: "v1", kind: "ConfigMap", metadata: { name: "c" }, data: { a: "b" } }, definition],
      },
      { apiVersion: "v1", kind: "Namespace", metadata: { name: ns } },
    ];
    const first = await applyManifests(client, objects, { fieldManager: "m", namespace: ns });
    expect(first.map((o) => `${o.kind} ${o.outcome} ${o.namespace ?? "-"}`)).toEqual([
      `Thing created ${ns}`,
      `ConfigMap created ${ns}`,
      "CustomResourceDefinition created -",
      "Namespace created -",
    ]);
    expect((await applyManifests(client, objects, { fieldManager: "m", namespace: ns })).map((o) => o.outcome)).toEqual(
      ["unchanged", "unchanged", "unchanged", "applied"],
    );
    const error = (await applyManifests(
      client,
      [...objects, { apiVersion: "v1", kind: "Nothing", metadata: { name: "n" } }],
      { fieldManager: "m", namespace: ns, dryRun: "All" },
    ).catch((e: unknown) => e)) as ManifestsError;
    expect(error.message).toBe(
      `apply failed for 1 of 5 objects: Nothing "n": the server doesn't serve kind Nothing in v1`,
    );
    const gone = await deleteManifests(client, objects, { namespace: ns });
    expect(gone.map((o) => o.outcome)).toEqual(["deleted", "deleted", "deleting", "deleting"]);
  });

  it("applySet prunes members that left the set", async () => {
    const parent = { name: "my-set", namespace };
    const map = (name: string, data = "1", ns?: string) => ({
      apiVersion: "v1",
      kind: "ConfigMap",
      metadata: { name, ...(ns !== undefined && { namespace: ns }) },
      data: { data },
    });
    const other = await freshNamespace(client);
    const run = (...objects: object[]) => applySet(client, objects, { parent, namespace, fieldManager: "set" });
    expect(
      (await run(map("p-1"), map("p-2"), map("p-3", "1", other), deployment("p-4"))).map((o) => o.outcome),
    ).toEqual(["created", "created", "created", "created"]);
    await maps().create({ metadata: { name: "p-other" } });
    const secret = await client.resource(Secret).namespace(namespace).get("my-set");
    expect(secret.metadata?.annotations).toMatchObject({
      "applyset.kubernetes.io/contains-group-kinds": "ConfigMap,Deployment.apps",
      "applyset.kubernetes.io/additional-namespaces": other,
      "applyset.kubernetes.io/tooling": "kubestream/v1",
    });
    const second = await run(map("p-1", "2"));
    expect(second.map((o) => `${o.kind} ${o.name} ${o.outcome}`).sort()).toEqual([
      "ConfigMap p-1 applied",
      "ConfigMap p-2 pruned",
      "ConfigMap p-3 pruned",
      "Deployment p-4 pruned",
    ]);
    const names = (await maps().list({ fieldSelector: "metadata.name!=kube-root-ca.crt" })).items
      .map((i) => i.metadata?.name)
      .filter((n) => n?.startsWith("p-"));
    expect(names).toEqual(["p-1", "p-other"]);
    expect((await client.resource(Secret).namespace(namespace).get("my-set")).metadata?.annotations).toMatchObject({
      "applyset.kubernetes.io/contains-group-kinds": "ConfigMap",
      "applyset.kubernetes.io/additional-namespaces": "",
    });
    await expect(
      applySet(client, [], { parent: { name: "p-1", namespace, resource: "configmaps" }, fieldManager: "set" }),
    ).rejects.toThrow("is not the parent of a set");
    await expect(applySet(client, [], { parent, fieldManager: "set", tooling: "other/v1" })).rejects.toThrow(
      'managed by "kubestream/v1"',
    );
  });

  it("createOrUpdate and createOrPatch write only differences", async () => {
    const wanted =
      (v: string) =>
      (object: ConfigMap): void => {
        object.data = { ...object.data, v };
      };
    expect((await createOrUpdate(maps(), "ensured", wanted("1"))).outcome).toBe("created");
    expect((await createOrUpdate(maps(), "ensured", wanted("1"))).outcome).toBe("unchanged");
    expect((await createOrUpdate(maps(), "ensured", wanted("2"))).outcome).toBe("updated");
    expect(
      (
        await createOrPatch(maps(), "ensured", (o) => {
          o.data = { w: "3" };
        })
      ).object.data,
    ).toEqual({ w: "3" });
    const results = await Promise.all(
      Array.from({ length: 5 }, (_, i) =>
        createOrUpdate(
          maps(),
          "raced",
          (o) => {
            o.data = { ...o.data, [`k${i}`]: "x" };
          },
          { maxAttempts: 30 },
        ),
      ),
    );
    expect(results.filter((r) => r.outcome === "created")).toHaveLength(1);
    expect(Object.keys((await maps().get("raced")).data!)).toHaveLength(5);
  });

  it("finalizers and owner references are added and removed", async () => {
    await maps().create({ metadata: { name: "fin" } });
    await addFinalizer(maps(), "fin", "example.com/f");
    await maps().delete("fin");
    expect((await removeFinalizer(maps(), "fin", "example.com/f")).metadata?.finalizers ?? []).toEqual([]);
    expect(await failure(maps().get("fin"))).toMatchObject({ code: 404 });
    const owner = await maps().create({ metadata: { name: "owner" } });
    const owned = await maps().create(withController({ metadata: { name: "owned", namespace } }, owner));
    expect(owned.metadata?.ownerReferences).toEqual([
      {
        apiVersion: "v1",
        kind: "ConfigMap",
        name: "owner",
        uid: owner.metadata!.uid,
        controller: true,
        blockOwnerDeletion: true,
      },
    ]);
  });

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
    const { execFileSync } = await import("node:child_process");
    const pem = execFileSync(
      "openssl",
      ["req", "-new", "-newkey", "rsa:2048", "-nodes", "-subj", "/CN=x", "-keyout", "/dev/null"],
      { stdio: ["ignore", "pipe", "ignore"] },
    );
    await requests.create({
      metadata: { name: "csr" },
      spec: { signerName: "example.com/s", usages: ["client auth"], request: pem.toString("base64") },
    });
    expect((await approve(requests, "csr", { message: "fine" })).status?.conditions).toMatchObject([
      { type: "Approved", status: "True", reason: "Approved", message: "fine" },
    ]);
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

  it("informers cache metadata and table rows", async () => {
    const ns = await freshNamespace(client);
    const secrets = client.resource(Secret).namespace(ns);
    await secrets.create({ metadata: { name: "a", labels: { l: "1" } }, stringData: { k: "v" } });
    const informers = [createInformer(secrets.metadataOnly()), createInformer(secrets.asTable())] as const;
    for (const informer of informers) await informer.synced({ timeoutMs: 20_000 });
    const changed = informers.map(
      (informer) =>
        new Promise<string>((resolve) =>
          informer.addHandler((change) => {
            if (change.type === "added" && !change.initial) resolve(change.key);
          }),
        ),
    );
    await secrets.create({ metadata: { name: "b" } });
    expect(await Promise.all(changed)).toEqual([`${ns}/b`, `${ns}/b`]);
    expect(informers[0].store.get(`${ns}/a`)).toMatchObject({
      kind: "PartialObjectMetadata",
      metadata: { labels: { l: "1" } },
    });
    expect(informers[0].store.get(`${ns}/a`)).not.toHaveProperty("data");
    for (const name of ["a", "b"]) expect(getCell(informers[1].store.get(`${ns}/${name}`)!, "name")).toBe(name);
    for (const informer of informers) await informer.close();
  });

  it("client.resource accepts kinds known only at run time", async () => {
    const resource = (await createDiscovery(client).find("cm"))!;
    const handle = (client.resource(resource) as DynamicResource).namespace(namespace);
    const created = await handle.create({ metadata: { name: "dynamic" }, data: { a: "b" } });
    expect(created["data"]).toEqual({ a: "b" });
    expect(
      (
        await handle.apply(
          { apiVersion: "v1", kind: "ConfigMap", metadata: { name: "dynamic" }, data: { c: "d" } } as never,
          { fieldManager: "x" },
        )
      )["data"],
    ).toEqual({ a: "b", c: "d" });
  });
}
