// Responses of kube-apiserver 1.36 to unusual queries, and its warnings.
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { createApiServer } from "../../../src/apiserver/server.js";

const server = createApiServer({ controllers: false });
afterAll(() => server.close());
const base = "/api/v1/namespaces/default";
const ask = (path: string, init: RequestInit = {}): Promise<Response> =>
  server.handle(new Request(`http://server${path}`, init));
const json = { "content-type": "application/json" };

describe("unusual queries", () => {
  it.each([
    "timeout=1e3",
    "timeout=99999999999999999999",
    "timeout=5",
    "timeout=abc",
    "timeout=%E2%82%AC",
    "continue=0",
    "continue=-1",
    "labelSelector=%3Db",
    "labelSelector=(a)",
    "labelSelector=!!a",
    "fieldSelector=a%3Db%3Dc",
  ])("%s is rejected", async (query) => {
    expect((await ask(`${base}/configmaps?${query}`)).status).toBe(400);
  });

  it.each([
    ["POST", "configmaps?fieldManager=a%00b", 422],
    ["DELETE", "configmaps?gracePeriodSeconds=a%00b", 400],
  ])("%s %s with a zero byte is rejected", async (method, path, status) => {
    const init = method === "POST" ? { method, headers: json, body: "{}" } : { method };
    expect((await ask(`${base}/${path}`, init)).status).toBe(status);
  });
});

const long = "a".repeat(64);
const pod = { containers: [{ name: "c", image: "i" }] };
const workload = { selector: { matchLabels: { a: "b" } }, template: { metadata: { labels: { a: "b" } }, spec: pod } };
const hostname =
  "metadata.name: this is used in Pod names and hostnames, which can result in surprising behavior; a DNS label is recommended: ";

describe("warnings", () => {
  it.each([
    [
      `${base}/pods`,
      { metadata: { name: long }, spec: pod },
      [hostname.replace("Pod names and hostnames", "the Pod's hostname") + "[must be no more than 63 characters]"],
    ],
    [
      "/apis/apps/v1/namespaces/default/deployments",
      { metadata: { name: "a.b" }, spec: workload },
      [`${hostname}[must not contain dots]`],
    ],
    [
      "/apis/apps/v1/namespaces/default/replicasets",
      { metadata: { name: `${long}.b` }, spec: workload },
      [`${hostname}[must be no more than 63 characters must not contain dots]`],
    ],
    ["/apis/apps/v1/namespaces/default/daemonsets", { metadata: { name: "a.b" }, spec: workload }, []],
    [
      "/apis/batch/v1/namespaces/default/cronjobs",
      {
        metadata: { name: "a.b" },
        spec: {
          schedule: "* * * * *",
          jobTemplate: { spec: { template: { spec: { ...pod, restartPolicy: "Never" } } } },
        },
      },
      [`${hostname}[must not contain dots]`],
    ],
    [
      `${base}/services`,
      { metadata: { name: "s" }, spec: { ports: [{ port: 1 }], trafficDistribution: "PreferClose" } },
      [`spec.trafficDistribution: "PreferClose" is deprecated; use "PreferSameZone"`],
    ],
    [
      `${base}/services`,
      { metadata: { name: "s" }, spec: { ports: [{ port: 1 }], externalIPs: ["1.2.3.4"] } },
      ["spec.externalIPs is deprecated and may no longer be implemented in some clusters"],
    ],
    [
      `${base}/services`,
      { metadata: { name: "s" }, spec: { ports: [{ port: 1 }], clusterIP: "None", externalIPs: ["1.2.3.4"] } },
      ["spec.externalIPs is ignored for headless services"],
    ],
    [
      "/apis/storage.k8s.io/v1/csidrivers",
      { metadata: { name: "d" }, spec: { tokenRequests: [{ audience: "a" }] } },
      [
        "spec.serviceAccountTokenInSecrets is unset; if supported by this CSI driver, set to true to prevent possible logging of tokens in volume attributes",
      ],
    ],
  ])("POST to %s of %j warns like kube-apiserver", async (path, object, wanted) => {
    const response = await ask(`${path}?dryRun=All`, { method: "POST", headers: json, body: JSON.stringify(object) });
    expect(response.status, await response.clone().text()).toBe(201);
    const warnings = [...(response.headers.get("warning") ?? "").matchAll(/299 - "((?:[^"\\]|\\.)*)"/g)].map(
      ([, text]) => JSON.parse(`"${text!}"`) as string,
    );
    expect(warnings).toHaveLength(wanted.length);
  });
});

describe("dropped fields", () => {
  it.each([
    [
      "/apis/apps/v1/namespaces/default/statefulsets",
      {
        metadata: { name: "s" },
        spec: {
          ...workload,
          serviceName: "s",
          updateStrategy: { type: "RollingUpdate", rollingUpdate: { maxUnavailable: 2, partition: 1 } },
        },
      },
      "spec.updateStrategy.rollingUpdate",
      { partition: 1 },
    ],
    [
      "/apis/coordination.k8s.io/v1/namespaces/default/leases",
      {
        metadata: { name: "l" },
        spec: { holderIdentity: "h", strategy: "OldestEmulationVersion", preferredHolder: "p" },
      },
      "spec",
      { holderIdentity: "h" },
    ],
    [
      "/apis/discovery.k8s.io/v1/namespaces/default/endpointslices",
      {
        metadata: { name: "e" },
        addressType: "IPv4",
        endpoints: [{ addresses: ["1.2.3.4"], deprecatedTopology: { a: "b" } }],
        ports: [],
      },
      "endpoints",
      [{ addresses: ["1.2.3.4"], conditions: {} }],
    ],
    [
      "/apis/apps/v1/namespaces/default/daemonsets",
      { metadata: { name: "d" }, spec: workload },
      "metadata.annotations",
      { "deprecated.daemonset.template.generation": "1" },
    ],
    [
      "/apis/apps/v1/namespaces/default/daemonsets",
      { metadata: { name: "d" }, spec: workload },
      "metadata.managedFields.0.fieldsV1.f:metadata",
      { "f:annotations": { ".": {}, "f:deprecated.daemonset.template.generation": {} } },
    ],
  ])("POST to %s of %j keeps only what kube-apiserver keeps", async (path, object, at, wanted) => {
    let value: unknown = await (
      await ask(`${path}?dryRun=All`, { method: "POST", headers: json, body: JSON.stringify(object) })
    ).json();
    const steps = at.startsWith("metadata.managedFields")
      ? [...at.split(".").slice(0, 4), at.split(".").slice(4).join(".")]
      : at.split(".");
    for (const key of steps) value = (value as Record<string, unknown>)[key];
    expect(value).toEqual(wanted);
  });
});

describe("Table rows", () => {
  const event = {
    metadata: { name: "e" },
    eventTime: "2020-01-01T00:00:00.000000Z",
    action: "a",
    reason: "r",
    type: "Normal",
    note: "n",
    reportingController: "example.com/c",
    reportingInstance: "i",
    regarding: { kind: "Pod", namespace: "default", name: "p" },
  };
  beforeAll(async () => {
    await ask("/apis/events.k8s.io/v1/namespaces/default/events", {
      method: "POST",
      headers: json,
      body: JSON.stringify(event),
    });
    await ask("/apis/apps/v1/namespaces/default/daemonsets", {
      method: "POST",
      headers: json,
      body: JSON.stringify({ metadata: { name: "d" }, spec: workload }),
    });
  });

  it.each([
    ["/apis/events.k8s.io/v1/namespaces/default/events/e", 5, "example.com/c, i"],
    ["/apis/events.k8s.io/v1/namespaces/default/events/e", 6, "n"],
    [`${base}/events/e`, 6, "n"],
  ])("%s in cell %i show %s", async (path, cell, wanted) => {
    const table = (await (
      await ask(path, { headers: { accept: "application/json;as=Table;g=meta.k8s.io;v=v1" } })
    ).json()) as { rows: { cells: unknown[] }[] };
    expect(table.rows[0]!.cells[cell]).toBe(wanted);
  });

  it("PartialObjectMetadata omits annotations that stand for fields", async () => {
    const shown = (await (
      await ask("/apis/apps/v1/namespaces/default/daemonsets/d", {
        headers: { accept: "application/json;as=PartialObjectMetadata;g=meta.k8s.io;v=v1" },
      })
    ).json()) as { metadata: object };
    expect(shown.metadata).not.toHaveProperty("annotations");
  });
});
