import { afterEach, beforeEach, describe, expect, it } from "vitest";
import type { PodSpec } from "../../../../src/apiserver/plugins/pod.js";
import { violations } from "../../../../src/apiserver/plugins/pod-security-checks.js";
import type { ApiServer } from "../../../../src/apiserver/server.js";
import { createApiServer } from "../../../../src/apiserver/server.js";
import { type JsonResponse, sendJson } from "../../../support/send-json.js";

let server: ApiServer;
beforeEach(() => {
  server = createApiServer({ controllers: false });
});
afterEach(() => server.close());

const send = (method: string, path: string, body: unknown): Promise<JsonResponse<Record<string, unknown>>> =>
  sendJson(server, { method, path, body });

const base = "/api/v1/namespaces/default";
const pod = (containers: unknown[], more: Record<string, unknown> = {}): Record<string, unknown> => ({
  metadata: { name: "p" },
  spec: {
    containers: containers.map((container, index) => ({ name: `c${index}`, image: "i", ...(container as object) })),
    ...more,
  },
});
const limits = (...items: unknown[]): Promise<unknown> => namedLimits("l", ...items);
const namedLimits = (name: string, ...items: unknown[]): Promise<unknown> =>
  send("POST", `${base}/limitranges`, { metadata: { name }, spec: { limits: items } });

describe("LimitRange", () => {
  it("applies default limits to containers and annotates the pod", async () => {
    await limits({ type: "Container", default: { cpu: "500m", memory: "1Gi" }, defaultRequest: { cpu: "100m" } });
    const { body } = await send("POST", `${base}/pods`, pod([{}, { resources: { limits: { cpu: "2" } } }]));
    const made = body as {
      metadata: { annotations: Record<string, string> };
      spec: { containers: { resources: unknown }[] };
    };
    expect(made.spec.containers.map(({ resources }) => resources)).toEqual([
      { limits: { cpu: "500m", memory: "1Gi" }, requests: { cpu: "100m", memory: "1Gi" } },
      { limits: { cpu: "2", memory: "1Gi" }, requests: { cpu: "2", memory: "1Gi" } },
    ]);
    expect(made.metadata.annotations["kubernetes.io/limit-ranger"]).toBe(
      "LimitRanger plugin set: cpu, memory request for container c0; cpu, memory limit for container c0; memory request for container c1; memory limit for container c1",
    );
  });

  it("applies default limits to the containers of a resized pod, without an annotation", async () => {
    const small = { resources: { requests: { cpu: "100m" } } };
    await send("POST", `${base}/pods`, pod([small, small]));
    await limits({ type: "Container", default: { cpu: "600m" }, defaultRequest: { cpu: "300m" } });
    const { spec } = pod([small, { resources: { requests: { cpu: "200m" } } }]);
    const { body } = await send("PATCH", `${base}/pods/p/resize`, { spec });
    const { metadata, spec: resized } = body as { metadata: object; spec: { containers: { resources: unknown }[] } };
    expect(resized.containers.map(({ resources }) => resources)).toEqual([
      { requests: { cpu: "100m" }, limits: { cpu: "600m" } },
      { requests: { cpu: "200m" }, limits: { cpu: "600m" } },
    ]);
    expect(metadata).not.toHaveProperty("annotations");
  });

  it("doesn't restrict an object that is being deleted", async () => {
    const finalizers = ["example.com/keep"];
    const claim = { accessModes: ["ReadWriteOnce"], resources: { requests: { storage: "10Gi" } } };
    await send("POST", `${base}/persistentvolumeclaims`, { metadata: { name: "data", finalizers }, spec: claim });
    await limits({ type: "PersistentVolumeClaim", max: { storage: "1Gi" } });
    const patch = (metadata: object) => send("PATCH", `${base}/persistentvolumeclaims/data`, { metadata });
    expect((await patch({ labels: { a: "b" } })).status).toBe(403);
    await send("DELETE", `${base}/persistentvolumeclaims/data`, undefined);
    expect((await patch({ finalizers: null })).status).toBe(200);
    expect((await patch({})).status).toBe(404);
  });

  it("reports the problems of the first range only", async () => {
    await namedLimits("a", { type: "Container", max: { cpu: "1", memory: "1Gi" } });
    await namedLimits("b", { type: "Container", max: { cpu: "900m" } });
    const { body } = await send("POST", `${base}/pods`, pod([{ resources: { limits: { cpu: "2", memory: "2Gi" } } }]));
    expect(body["message"]).toBe(
      'pods "p" is forbidden: [maximum cpu usage per Container is 1, but limit is 2, maximum memory usage per Container is 1Gi, but limit is 2Gi]',
    );
  });

  it.each([
    [
      "a limit above the maximum",
      { type: "Container", max: { cpu: "1" } },
      [{ resources: { limits: { cpu: "2" }, requests: { cpu: "1" } } }],
      "maximum cpu usage per Container is 1, but limit is 2",
    ],
    [
      "two containers above the maximum with one text",
      { type: "Container", max: { cpu: "1" } },
      [{ resources: { limits: { cpu: "2" } } }, { resources: { limits: { cpu: "2" } } }],
      "maximum cpu usage per Container is 1, but limit is 2",
    ],
    [
      "a request below the minimum",
      { type: "Container", min: { cpu: "50m" } },
      [{ resources: { requests: { cpu: "1m" } } }],
      "minimum cpu usage per Container is 50m, but request is 1m",
    ],
    [
      "a pod whose total exceeds the maximum",
      { type: "Pod", max: { memory: "1Gi" } },
      [{ resources: { limits: { memory: "600Mi" } } }, { resources: { limits: { memory: "600Mi" } } }],
      "maximum memory usage per Pod is 1Gi, but limit is 1200Mi",
    ],
    [
      "a limit too far above the request",
      { type: "Container", maxLimitRequestRatio: { cpu: "2" } },
      [{ resources: { limits: { cpu: "3" }, requests: { cpu: "1" } } }],
      "cpu max limit to request ratio per Container is 2, but provided ratio is 3.000000",
    ],
  ])("rejects %s", async (_title, item, containers, text) => {
    await limits(item);
    const { status, body } = await send("POST", `${base}/pods`, pod(containers));
    expect([status, body["message"]]).toEqual([403, `pods "p" is forbidden: ${text}`]);
  });
});

describe("pod priority", () => {
  it("comes from the pod's class or from the default class", async () => {
    const classes = "/apis/scheduling.k8s.io/v1/priorityclasses";
    await send("POST", classes, { metadata: { name: "high" }, value: 1234 });
    await send("POST", classes, {
      metadata: { name: "usual" },
      value: 7,
      globalDefault: true,
      preemptionPolicy: "Never",
    });
    const made = async (name: string, spec: Record<string, unknown>): Promise<unknown> => {
      const { body } = await send("POST", `${base}/pods`, { ...pod([{}], spec), metadata: { name } });
      const { priority, priorityClassName, preemptionPolicy } = (body["spec"] ?? {}) as Record<string, unknown>;
      return body["kind"] === "Status" ? body["message"] : [priority, priorityClassName, preemptionPolicy];
    };
    expect(await made("a", { priorityClassName: "high" })).toEqual([1234, "high", "PreemptLowerPriority"]);
    expect(await made("b", {})).toEqual([7, "usual", "Never"]);
    expect(await made("c", { priorityClassName: "none" })).toBe(
      'pods "c" is forbidden: no PriorityClass with name none was found',
    );
    expect(await made("d", { priorityClassName: "high", priority: 5 })).toContain(
      "the integer value of priority (5) must not be provided in pod spec; priority admission controller computed 1234",
    );
    expect(
      (await send("POST", classes, { metadata: { name: "second" }, value: 8, globalDefault: true })).body["message"],
    ).toContain("PriorityClass usual is already marked as default");
  });
});

/** Returns the checks that a violation text names. */
const checksIn = (text: string): readonly string[] =>
  [...text.replace(/"[^"]*"/g, "").matchAll(/(?:^|, )([^():]+)(?:: [^()]*)? \(/g)].map(([, name]) => name!);

describe("Pod Security", () => {
  const strict = {
    allowPrivilegeEscalation: false,
    runAsNonRoot: true,
    capabilities: { drop: ["ALL"] },
    seccompProfile: { type: "RuntimeDefault" },
  };
  const one = (securityContext: Record<string, unknown>, more: Record<string, unknown> = {}): never =>
    ({ containers: [{ name: "c", securityContext, ...more }] }) as never;
  it.each([
    ["baseline", "an unremarkable pod", one({}), ""],
    [
      "baseline",
      "host namespaces",
      { containers: [], hostNetwork: true, hostPID: true } as never,
      "host namespaces (hostNetwork=true, hostPID=true)",
    ],
    [
      "baseline",
      "privileged",
      one({ privileged: true }),
      'privileged (container "c" must not set securityContext.privileged=true)',
    ],
    [
      "baseline",
      "capabilities",
      one({ capabilities: { add: ["NET_RAW", "CHOWN"] } }),
      'non-default capabilities (container "c" must not include "NET_RAW" in securityContext.capabilities.add)',
    ],
    ["baseline", "host ports", one({}, { ports: [{ hostPort: 80 }, { hostPort: 443 }] }), 'hostPort (container "c")'],
    [
      "baseline",
      "host paths",
      { containers: [], volumes: [{ name: "v", hostPath: { path: "/" } }] } as never,
      'hostPath volumes (volume "v")',
    ],
    ["baseline", "unconfined", one({ seccompProfile: { type: "Unconfined" } }), 'seccompProfile (container "c")'],
    ["baseline", "SELinux", one({ seLinuxOptions: { type: "x", user: "u" } }), 'seLinuxOptions (container "c")'],
    [
      "baseline",
      "sysctls",
      { containers: [], securityContext: { sysctls: [{ name: "kernel.msgmax" }] } } as never,
      "forbidden sysctls (kernel.msgmax)",
    ],
    [
      "baseline",
      "probe hosts",
      one({}, { livenessProbe: { httpGet: { host: "x" } } }),
      'probe or lifecycle host (container "c")',
    ],
    ["restricted", "a compliant pod", one(strict), ""],
    [
      "restricted",
      "a pod without settings",
      one({}),
      'allowPrivilegeEscalation != false (container "c" must set securityContext.allowPrivilegeEscalation=false), unrestricted capabilities (container "c" must set securityContext.capabilities.drop=["ALL"]), ' +
        'runAsNonRoot != true (pod or container "c" must set securityContext.runAsNonRoot=true), seccompProfile (pod or container "c" must set securityContext.seccompProfile.type to "RuntimeDefault" or "Localhost")',
    ],
    ["restricted", "root", one({ ...strict, runAsUser: 0 }), 'runAsUser=0 (container "c")'],
    [
      "restricted",
      "volumes",
      { ...(one(strict) as object), volumes: [{ name: "v", nfs: {} }] } as never,
      'restricted volume types (volume "v")',
    ],
    [
      "restricted",
      "a root user in a user namespace",
      { ...(one({ ...strict, runAsNonRoot: undefined, runAsUser: 0 }) as object), hostUsers: false } as never,
      "",
    ],
  ] as const)("level %s checks %s", (level, _title, spec, text) => {
    expect(checksIn(violations({ level, version: "latest" }, spec, {}))).toEqual(checksIn(text));
  });

  const secure = (context: object, container: object = {}, more: object = {}): PodSpec => ({
    securityContext: { runAsNonRoot: true, seccompProfile: { type: "RuntimeDefault" }, ...context },
    containers: [
      {
        name: "c",
        securityContext: { allowPrivilegeEscalation: false, capabilities: { drop: ["ALL"] }, ...container },
      },
    ],
    ...more,
  });
  const sysctl = (name: string): PodSpec => secure({ sysctls: [{ name }] });

  it.each([
    ["baseline", 27, "allows", sysctl("net.ipv4.ip_local_reserved_ports")],
    ["baseline", 29, "allows", sysctl("net.ipv4.tcp_fin_timeout")],
    ["baseline", 32, "allows", sysctl("net.ipv4.tcp_rmem")],
    ["baseline", 31, "allows", secure({ seLinuxOptions: { type: "container_engine_t" } })],
    ["baseline", 34, "rejects", { containers: [{ name: "c", livenessProbe: { httpGet: { host: "h" } } }] }],
    ["baseline", 35, "allows", secure({}, { procMount: "Unmasked" }, { hostUsers: false })],
    ["restricted", 8, "rejects", secure({}, { allowPrivilegeEscalation: undefined })],
    ["restricted", 19, "rejects", secure({ seccompProfile: undefined })],
    ["restricted", 22, "rejects", secure({}, { capabilities: { add: ["CHOWN"] } })],
    ["restricted", 23, "rejects", secure({ runAsUser: 0 })],
    [
      "restricted",
      25,
      "allows",
      secure({ seccompProfile: undefined }, { capabilities: {} }, { os: { name: "windows" } }),
    ],
    ["restricted", 35, "allows", secure({ runAsNonRoot: false, runAsUser: 0 }, {}, { hostUsers: false })],
  ] as const)("level %s since v1.%i %s a pod", (level, minor, effect, spec) => {
    const isAllowed = (version: number): boolean =>
      violations({ level, version: `v1.${String(version)}` }, spec as unknown as PodSpec, {}) === "";
    expect([isAllowed(minor - 1), isAllowed(minor)]).toEqual([effect === "rejects", effect === "allows"]);
  });

  it.each([
    ["rejects", "seccomp.security.alpha.kubernetes.io/pod", "unconfined"],
    ["rejects", "container.seccomp.security.alpha.kubernetes.io/c", "unconfined"],
    ["allows", "container.seccomp.security.alpha.kubernetes.io/other", "unconfined"],
    ["allows", "seccomp.security.alpha.kubernetes.io/pod", "docker/default"],
    ["allows", "seccomp.security.alpha.kubernetes.io/pod", "localhost/x"],
  ])("a standard before v1.19 %s a pod with the annotation %s=%s", (effect, key, profile) => {
    const found = (level: "baseline" | "restricted", version: string): boolean =>
      violations({ level, version }, secure({}), { [key]: profile }).includes("seccompProfile");
    const isRejected = effect === "rejects";
    expect([found("baseline", "v1.18"), found("restricted", "v1.18")]).toEqual([isRejected, isRejected]);
    expect([found("baseline", "v1.19"), found("restricted", "latest")]).toEqual([false, false]);
  });

  it("level restricted rejects an unmasked proc mount also in a user namespace", () => {
    const spec = secure({}, { procMount: "Unmasked" }, { hostUsers: false });
    expect(violations({ level: "restricted", version: "latest" }, spec, {})).toContain("procMount");
  });

  it("enforces the namespace's labels on pods, and only warns about workloads", async () => {
    await send("POST", "/api/v1/namespaces", {
      metadata: { name: "safe", labels: { "pod-security.kubernetes.io/enforce": "baseline" } },
    });
    const spec = { containers: [{ name: "c", image: "i" }], hostNetwork: true };
    const refused = await send("POST", "/api/v1/namespaces/safe/pods", { metadata: { name: "p" }, spec });
    expect([refused.status, refused.body["message"]]).toEqual([
      403,
      'pods "p" is forbidden: violates PodSecurity "baseline:latest": host namespaces (hostNetwork=true)',
    ]);
    const template = { metadata: { labels: { a: "b" } }, spec };
    const warned = await send("POST", "/apis/apps/v1/namespaces/safe/deployments", {
      metadata: { name: "d" },
      spec: { selector: { matchLabels: { a: "b" } }, template },
    });
    expect([warned.status, warned.headers.get("warning")]).toEqual([
      201,
      '299 - "would violate PodSecurity \\"baseline:latest\\": host namespaces (hostNetwork=true)"',
    ]);
    const bad = await send("POST", "/api/v1/namespaces", {
      metadata: { name: "odd", labels: { "pod-security.kubernetes.io/warn": "nope" } },
    });
    expect([bad.status, (bad.body["details"] as { causes: unknown }).causes]).toEqual([
      422,
      [
        {
          reason: "FieldValueInvalid",
          message: 'Invalid value: "nope": must be one of privileged, baseline, restricted',
          field: "metadata.labels[pod-security.kubernetes.io/warn]",
        },
      ],
    ]);
  });
});
