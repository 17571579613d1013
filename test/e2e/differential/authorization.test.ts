// All authorizers, compared with a kube-apiserver that reads the same files and flags.
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterEach, beforeAll, describe, expect, it } from "vitest";
import { createCertificateAuthority } from "../../../src/certificates/authority.js";
import { type JsonWebhook, startJsonWebhook, webhookKubeconfig } from "../../support/json-webhook.js";
import { missingReason } from "../real-apiserver.js";
import { createPairFolder, type PairRequest, type ServerPair, startPair } from "../server-pair.js";

const missing = missingReason();
let pair: ServerPair;
let webhook: JsonWebhook | undefined;

/** Attributes of an access review: verb and resource with its group, namespace and name, or verb and path. */
interface Action {
  readonly verb: string;
  readonly group?: string;
  readonly version?: string;
  readonly resource?: string;
  readonly subresource?: string;
  readonly namespace?: string;
  readonly name?: string;
  readonly path?: string;
}

/** Asks both servers whether a user may do something, and returns the equal answer. */
async function decide(user: string, groups: readonly string[], { path, verb, ...resource }: Action): Promise<string> {
  const spec = {
    user,
    groups,
    ...(path === undefined ? { resourceAttributes: { verb, ...resource } } : { nonResourceAttributes: { verb, path } }),
  };
  const request: PairRequest = {
    method: "POST",
    path: "/apis/authorization.k8s.io/v1/subjectaccessreviews",
    json: { spec },
    ignore: ["/metadata", "/status/reason", "/status/evaluationError"],
  };
  expect([user, groups, path, verb, resource, await pair.compare(request)]).toEqual([
    user,
    groups,
    path,
    verb,
    resource,
    [],
  ]);
  const { status } = (await pair.own.send(request)).value as { status: { allowed: boolean; denied?: boolean } };
  return status.allowed ? "allowed" : status.denied === true ? "denied" : "no opinion";
}

const files =
  (folder: string) =>
  (name: string, text: string): string => {
    writeFileSync(join(folder, name), text);
    return join(folder, name);
  };

async function give(path: string, json: object): Promise<void> {
  const { real, own } = await pair.both({ method: "POST", path, json });
  expect([path, real.status, own.status]).toEqual([path, 201, 201]);
}

const pods = (verb: string, namespace = "team", more: Partial<Action> = {}): Action => ({
  verb,
  resource: "pods",
  namespace,
  ...more,
});

describe.skipIf(missing !== undefined)("authorizers compared with a real server", () => {
  afterEach(async () => {
    await pair.stop();
    await webhook?.close();
    webhook = undefined;
  });

  it("--authorization-mode=ABAC,AlwaysDeny evaluates the lines of the policy file", async () => {
    const folder = createPairFolder();
    const line = (spec: object): string =>
      JSON.stringify({ apiVersion: "abac.authorization.kubernetes.io/v1beta1", kind: "Policy", spec });
    const policies = files(folder)(
      "policies.jsonl",
      [
        "# policies",
        line({ user: "ann", namespace: "*", resource: "*", apiGroup: "*" }),
        line({ group: "dev", namespace: "team", resource: "pods", readonly: true }),
        line({ user: "*", nonResourcePath: "/version*", readonly: true }),
        line({ user: "bea", nonResourcePath: "*" }),
        line({ user: "cid", namespace: "team", resource: "*", apiGroup: "apps" }),
        line({ user: "dot", group: "ops", namespace: "*", resource: "secrets", apiGroup: "*" }),
        '{"user":"old","resource":"pods"}',
        "",
      ].join("\n"),
    );
    pair = await startPair(folder, ["--authorization-mode=ABAC,AlwaysDeny", `--authorization-policy-file=${policies}`]);
    const loggedIn = ["system:authenticated"];
    const rows: readonly (readonly [string, readonly string[], Action, string])[] = [
      ["ann", [], { verb: "delete", group: "apps", resource: "deployments", namespace: "x" }, "allowed"],
      ["ann", [], { verb: "get", path: "/metrics" }, "no opinion"],
      ["joe", ["dev"], pods("list"), "allowed"],
      ["joe", ["dev"], pods("watch"), "allowed"],
      ["joe", ["dev"], pods("delete"), "no opinion"],
      ["joe", ["dev"], pods("list", "other"), "no opinion"],
      ["joe", ["dev"], pods("list", "team", { subresource: "log" }), "allowed"],
      ["joe", ["dev"], pods("get", "team", { group: "metrics.k8s.io" }), "no opinion"],
      ["joe", [], { verb: "get", path: "/version" }, "no opinion"],
      ["joe", loggedIn, { verb: "get", path: "/version" }, "allowed"],
      ["joe", loggedIn, { verb: "post", path: "/version" }, "no opinion"],
      ["joe", loggedIn, { verb: "get", path: "/versions/x" }, "allowed"],
      ["joe", loggedIn, { verb: "get", path: "/api" }, "no opinion"],
      ["bea", [], { verb: "delete", path: "/anything" }, "allowed"],
      ["bea", [], pods("get"), "no opinion"],
      ["cid", [], { verb: "create", group: "apps", resource: "deployments", namespace: "team" }, "allowed"],
      ["cid", [], { verb: "create", group: "batch", resource: "jobs", namespace: "team" }, "no opinion"],
      ["cid", [], { verb: "list", group: "apps", resource: "deployments" }, "no opinion"],
      ["dot", ["ops"], { verb: "get", resource: "secrets", namespace: "x" }, "allowed"],
      ["dot", [], { verb: "get", resource: "secrets", namespace: "x" }, "no opinion"],
      ["eve", ["ops"], { verb: "get", resource: "secrets", namespace: "x" }, "no opinion"],
      ["old", [], pods("delete", "any"), "allowed"],
      ["old", [], { verb: "get", resource: "secrets", namespace: "any" }, "no opinion"],
      ["", ["system:masters"], pods("delete"), "allowed"],
    ];
    for (const [user, groups, action, expected] of rows)
      expect([user, groups, action, await decide(user, groups, action)]).toEqual([user, groups, action, expected]);
    for (const path of ["/version", "/api", "/apis/apps/v1/deployments", "/api/v1/namespaces/team/pods"]) {
      const { real, own } = await pair.both({ path, token: "alice-token" });
      expect([path, own.status]).toEqual([path, real.status]);
    }
  });

  it("--authorization-mode=RBAC,AlwaysAllow allows what RBAC doesn't, and --anonymous-auth=false refuses strangers", async () => {
    pair = await startPair(createPairFolder(), ["--authorization-mode=RBAC,AlwaysAllow", "--anonymous-auth=false"]);
    expect(await decide("anyone", [], pods("delete"))).toBe("allowed");
    for (const [path, status] of [
      ["/api/v1/secrets", 200],
      ["/metrics", 200],
      ["/debug/api_priority_and_fairness/dump_queues", 200],
    ] as const) {
      const { real, own } = await pair.both({ path, token: "alice-token" });
      expect([path, real.status, own.status]).toEqual([path, status, status]);
    }
    for (const path of ["/version", "/api", "/metrics", "/healthz", "/livez", "/readyz"]) {
      const { real, own } = await pair.both({ path, token: "" });
      expect([path, own.status]).toEqual([path, real.status]);
    }
  });

  it("--authorization-mode=Webhook,RBAC sends reviews of the chosen version to the webhook of the kubeconfig", async () => {
    webhook = await startJsonWebhook(({ body }) => answer(body));
    const folder = createPairFolder();
    const config = files(folder)(
      "webhook.yaml",
      webhookKubeconfig(`${webhook.url}/authorize`, webhook.ca, { token: "server-token" }),
    );
    pair = await startPair(folder, [
      "--authorization-mode=Webhook,RBAC",
      `--authorization-webhook-config-file=${config}`,
      "--authorization-webhook-cache-unauthorized-ttl=0s",
      "--authorization-webhook-cache-authorized-ttl=0s",
    ]);
    await checkWebhook();
    const sent = webhook.take();
    expect(sent.length).toBeGreaterThan(0);
    expect(new Set(sent.map(({ headers }) => headers["authorization"]))).toEqual(new Set(["Bearer server-token"]));
    expect(new Set(sent.map(({ body }) => body["apiVersion"]))).toEqual(new Set(["authorization.k8s.io/v1beta1"]));
    webhook.take();
    await pair.both({ path: "/api/v1/namespaces/team/pods/p/log?labelSelector=a", token: "alice-token" });
    await pair.both({
      path: "/api/v1/namespaces/team/pods?labelSelector=a%3Db&fieldSelector=metadata.name%3Dx",
      token: "alice-token",
    });
    const reviews = webhook
      .take()
      .map(({ body }) => JSON.stringify(sorted(body)))
      .sort();
    expect(reviews.filter((_, at) => at % 2 === 0)).toEqual(reviews.filter((_, at) => at % 2 === 1));
  });

  it("an AuthorizationConfiguration orders a webhook with match conditions, Node and RBAC", async () => {
    webhook = await startJsonWebhook(({ body }) => answer(body));
    const folder = createPairFolder();
    const file = files(folder);
    const kubeConfigFile = file("webhook.yaml", webhookKubeconfig(`${webhook.url}/authorize`, webhook.ca));
    const absent = file("absent.yaml", webhookKubeconfig("https://127.0.0.1:1/", webhook.ca));
    const settings = {
      authorizedTTL: "1ms",
      unauthorizedTTL: "1ms",
      timeout: "3s",
      subjectAccessReviewVersion: "v1",
      matchConditionSubjectAccessReviewVersion: "v1",
    };
    const configuration = {
      apiVersion: "apiserver.config.k8s.io/v1",
      kind: "AuthorizationConfiguration",
      authorizers: [
        {
          type: "Webhook",
          name: "team",
          webhook: {
            ...settings,
            failurePolicy: "Deny",
            connectionInfo: { type: "KubeConfigFile", kubeConfigFile },
            matchConditions: [
              { expression: "has(request.resourceAttributes)" },
              { expression: "request.resourceAttributes.namespace == 'team'" },
              { expression: "!('system:nodes' in request.groups)" },
            ],
          },
        },
        {
          type: "Webhook",
          name: "away",
          webhook: {
            ...settings,
            failurePolicy: "Deny",
            connectionInfo: { type: "KubeConfigFile", kubeConfigFile: absent },
            matchConditions: [
              { expression: "has(request.nonResourceAttributes) && request.nonResourceAttributes.path == '/secret'" },
            ],
          },
        },
        {
          type: "Webhook",
          name: "ignored",
          webhook: {
            ...settings,
            failurePolicy: "NoOpinion",
            connectionInfo: { type: "KubeConfigFile", kubeConfigFile: absent },
            matchConditions: [
              { expression: "has(request.resourceAttributes) && request.resourceAttributes.namespace == 'away'" },
            ],
          },
        },
        { type: "Node", name: "node" },
        { type: "RBAC", name: "rbac" },
      ],
    };
    const nodes = createCertificateAuthority(Date.now());
    pair = await startPair(folder, [
      `--authorization-config=${file("authorization.yaml", JSON.stringify(configuration))}`,
      `--client-ca-file=${file("nodes.crt", nodes.ca)}`,
    ]);
    await checkWebhook();
    expect(await decide("eve", [], { verb: "get", path: "/secret" })).toBe("denied");
    expect(await decide("eve", [], { verb: "get", path: "/other" })).toBe("no opinion");
    expect(await decide("eve", [], pods("get", "away"))).toBe("no opinion");
    await checkNodes();
  });
});

/** Answers a SubjectAccessReview of either version by the user. */
function answer(body: Readonly<Record<string, unknown>>): object | number {
  const { apiVersion, kind, spec } = body as { apiVersion: string; kind: string; spec: { user: string } };
  const status = {
    "hook-allowed": { allowed: true, reason: "yes" },
    "hook-denied": { allowed: false, denied: true, reason: "no" },
    "hook-both": { allowed: true, denied: true },
  }[spec.user];
  return spec.user === "hook-fails" ? 403 : { apiVersion, kind, status: status ?? { allowed: false } };
}

async function checkWebhook(): Promise<void> {
  expect(await decide("hook-allowed", [], pods("delete"))).toBe("allowed");
  expect(await decide("hook-denied", [], pods("delete"))).toBe("denied");
  await decide("hook-both", [], pods("get"));
  await decide("hook-fails", [], pods("get"));
  expect(await decide("other", [], pods("get"))).toBe("no opinion");
  expect(await decide("hook-denied", ["system:masters"], pods("delete"))).toBe("allowed");
}

/** Compares the decisions about nodes, pods on them, and what these pods refer to. */
async function checkNodes(): Promise<void> {
  await give("/api/v1/namespaces", { metadata: { name: "team" } });
  await give("/api/v1/nodes", { metadata: { name: "n1" } });
  await give("/api/v1/nodes", { metadata: { name: "n2" } });
  await give("/api/v1/namespaces/team/serviceaccounts", { metadata: { name: "default" } });
  await give("/api/v1/namespaces/team/pods", {
    metadata: { name: "here" },
    spec: {
      nodeName: "n1",
      containers: [{ name: "c", image: "i", envFrom: [{ secretRef: { name: "used" } }] }],
      volumes: [
        { name: "v", configMap: { name: "used" } },
        { name: "d", persistentVolumeClaim: { claimName: "data" } },
      ],
      serviceAccountName: "default",
    },
  });
  const node = (user: string, action: Action): Promise<string> =>
    decide(`system:node:${user}`, ["system:nodes", "system:authenticated"], action);
  const used: Action = { verb: "get", resource: "secrets", namespace: "team", name: "used" };
  // The real server learns of pods from a watch.
  await expect
    .poll(
      async () => {
        const spec = { user: "system:node:n1", groups: ["system:nodes"], resourceAttributes: used };
        const { real } = await pair.both({
          method: "POST",
          path: "/apis/authorization.k8s.io/v1/subjectaccessreviews",
          json: { spec },
        });
        return (real.value as { status: { allowed: boolean } }).status.allowed;
      },
      { timeout: 20_000 },
    )
    .toBe(true);
  const rows: readonly (readonly [string, Action, string])[] = [
    ["n1", used, "allowed"],
    ["n2", used, "no opinion"],
    ["n1", { ...used, name: "other" }, "no opinion"],
    ["n1", { ...used, verb: "list" }, "allowed"],
    ["n1", { ...used, verb: "watch" }, "allowed"],
    ["n1", { ...used, verb: "delete" }, "no opinion"],
    ["n1", { ...used, resource: "configmaps" }, "allowed"],
    ["n2", { ...used, resource: "configmaps" }, "no opinion"],
    ["n1", { ...used, resource: "persistentvolumeclaims", name: "data" }, "allowed"],
    ["n1", { ...used, resource: "persistentvolumeclaims", name: "other" }, "no opinion"],
    [
      "n1",
      { verb: "create", resource: "serviceaccounts", subresource: "token", namespace: "team", name: "default" },
      "allowed",
    ],
    [
      "n2",
      { verb: "create", resource: "serviceaccounts", subresource: "token", namespace: "team", name: "default" },
      "no opinion",
    ],
    ["n1", pods("get", "team", { name: "here" }), "allowed"],
    ["n2", pods("get", "team", { name: "here" }), "no opinion"],
    ["n1", pods("list", ""), "no opinion"],
    ["n1", pods("delete", "team", { name: "here" }), "allowed"],
    ["n1", { verb: "get", resource: "nodes", name: "n1" }, "allowed"],
    ["n1", { verb: "get", resource: "nodes", name: "n2" }, "no opinion"],
    ["n1", { verb: "update", resource: "nodes", subresource: "status", name: "n1" }, "allowed"],
    [
      "n1",
      { verb: "get", group: "coordination.k8s.io", resource: "leases", namespace: "kube-node-lease", name: "n1" },
      "allowed",
    ],
    [
      "n1",
      { verb: "get", group: "coordination.k8s.io", resource: "leases", namespace: "kube-node-lease", name: "n2" },
      "no opinion",
    ],
    ["n1", { verb: "get", group: "storage.k8s.io", resource: "csinodes", name: "n1" }, "allowed"],
    ["n1", { verb: "get", group: "storage.k8s.io", resource: "csinodes", name: "n2" }, "no opinion"],
    ["n1", { verb: "list", resource: "services" }, "allowed"],
    ["n1", { verb: "create", group: "authentication.k8s.io", resource: "tokenreviews" }, "allowed"],
    ["n1", { verb: "get", path: "/metrics" }, "no opinion"],
  ];
  for (const [user, action, expected] of rows)
    expect([user, action, await node(user, action)]).toEqual([user, action, expected]);
}

/** Returns a value with its keys in order. */
function sorted(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(sorted);
  if (typeof value !== "object" || value === null) return value;
  return Object.fromEntries(
    Object.entries(value)
      .sort(([a], [b]) => (a < b ? -1 : 1))
      .map(([key, each]) => [key, sorted(each)]),
  );
}

if (missing !== undefined) {
  beforeAll(() => console.log(`authorizers compared with a real server: skipped: ${missing}`));
}
