// Responses of kube-apiserver 1.36 in scenarios that no other suite covers.
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import type { UserInfo } from "../../../src/apiserver/http/user-info.js";
import { createApiServer } from "../../../src/apiserver/server.js";

const users: readonly (readonly [string, UserInfo])[] = [
  ["admin", { name: "admin", uid: "", groups: ["system:masters"], extra: {} }],
  ["alice", { name: "alice", uid: "", groups: [], extra: {} }],
];
const server = createApiServer({ tokens: new Map(users), authorizationMode: "RBAC", controllers: false });
afterAll(() => server.close());

const base = "/api/v1/namespaces/default";
const maps = `${base}/configmaps`;
const pods = `${base}/pods`;
const items = "/apis/scen.example.com/v1/namespaces/default/items";
const definitions = "/apis/apiextensions.k8s.io/v1/customresourcedefinitions";
const merge = "application/merge-patch+json";

interface Answer {
  readonly status: number;
  readonly warnings: number;
  readonly body: {
    metadata?: Record<string, unknown>;
    items?: unknown[];
    message?: string;
    rows?: { cells: unknown[] }[];
    spec?: unknown;
    kind?: string;
  };
}

async function send(
  method: string,
  path: string,
  body?: unknown,
  headers: Readonly<Record<string, string>> = {},
): Promise<Answer> {
  const content = body === undefined ? {} : { body: typeof body === "string" ? body : JSON.stringify(body) };
  const response = await server.handle(
    new Request(`http://server${path}`, {
      method,
      headers: {
        authorization: "Bearer admin",
        ...(body === undefined ? {} : { "content-type": "application/json" }),
        ...headers,
      },
      ...content,
    }),
  );
  const text = await response.text();
  return {
    status: response.status,
    warnings: (response.headers.get("warning") ?? "").split("299 - ").length - 1,
    body: text.startsWith('{"type"')
      ? {
          items: text
            .trim()
            .split("\n")
            .map((line) => JSON.parse(line) as unknown),
        }
      : (JSON.parse(text) as Answer["body"]),
  };
}

const schema = {
  type: "object",
  properties: {
    spec: {
      type: "object",
      properties: {
        n: { type: "integer", minimum: 0, maximum: 10 },
        host: { type: "string", format: "hostname" },
        span: { type: "string", format: "duration" },
        text: { type: "string", pattern: "^[a-z]+$", minLength: 2 },
        map: { type: "object", additionalProperties: { type: "integer" } },
        raw: {
          type: "object",
          "x-kubernetes-preserve-unknown-fields": true,
          properties: { known: { type: "object", properties: { a: { type: "string" } } } },
        },
        pod: { type: "object", "x-kubernetes-embedded-resource": true, "x-kubernetes-preserve-unknown-fields": true },
      },
    },
  },
};
const definition = (name: string, more: Record<string, unknown> = {}, spec: Record<string, unknown> = {}): object => ({
  apiVersion: "apiextensions.k8s.io/v1",
  kind: "CustomResourceDefinition",
  metadata: { name: `${name}s.scen.example.com` },
  spec: {
    group: "scen.example.com",
    scope: "Namespaced",
    names: { plural: `${name}s`, kind: name === "item" ? "Item" : "Other" },
    versions: [{ name: "v1", served: true, storage: true, schema: { openAPIV3Schema: schema }, ...more }],
    ...spec,
  },
});
const item = (spec: unknown): object => ({
  apiVersion: "scen.example.com/v1",
  kind: "Item",
  metadata: { name: "i" },
  spec,
});

beforeAll(async () => {
  await send("POST", "/apis/apps/v1/namespaces/default/deployments", {
    metadata: { name: "counted" },
    spec: {
      selector: { matchLabels: { a: "b" } },
      template: { metadata: { labels: { a: "b" } }, spec: { containers: [{ name: "c", image: "i" }] } },
    },
  });
  await send(
    "POST",
    definitions,
    definition("item", {
      subresources: { status: {}, scale: { specReplicasPath: ".spec.n", statusReplicasPath: ".status.n" } },
      additionalPrinterColumns: [{ name: "M", type: "string", jsonPath: ".spec.map" }],
    }),
  );
  await server.settled();
});

describe("deletion", () => {
  it.each([["uid=nope"], ["resourceVersion=1"], ["uid=nope&resourceVersion=1"]])(
    "checks the preconditions ?%s",
    async (query) => {
      await send("POST", maps, { metadata: { name: "held" } });
      expect((await send("DELETE", `${maps}/held?${query}`)).status).toBe(409);
      expect((await send("GET", `${maps}/held`)).status).toBe(200);
    },
  );

  it("stores a grace period of 0 before a pod is removed", async () => {
    const {
      body: { metadata },
    } = await send("POST", pods, {
      metadata: { name: "p" },
      spec: { nodeName: "n", containers: [{ name: "c", image: "i" }] },
    });
    await send("DELETE", `${pods}/p?gracePeriodSeconds=0`);
    const { body } = await send(
      "GET",
      `${pods}?watch=1&timeoutSeconds=1&resourceVersion=${String(metadata?.["resourceVersion"])}`,
    );
    expect(
      body.items?.map((event) => [
        (event as { type: string }).type,
        (event as { object: Answer["body"] }).object.metadata?.["deletionGracePeriodSeconds"],
      ]),
    ).toEqual([
      ["MODIFIED", 0],
      ["DELETED", 0],
    ]);
  });

  it.each([
    ["", 1],
    ["?propagationPolicy=Background", 0],
    ["?propagationPolicy=Orphan", 0],
  ])('of a Job with query "%s" warns about its pods %i times', async (query, warnings) => {
    const jobs = "/apis/batch/v1/namespaces/default/jobs";
    await send("POST", jobs, {
      metadata: { name: "j" },
      spec: { template: { spec: { restartPolicy: "Never", containers: [{ name: "c", image: "i" }] } } },
    });
    expect((await send("DELETE", `${jobs}/j${query}`)).warnings).toBe(warnings);
    await send("PATCH", `${jobs}/j`, { metadata: { finalizers: null } }, { "content-type": merge });
  });
});

describe("PUT that creates an object", () => {
  it("requires the right to create", async () => {
    const roles = "/apis/rbac.authorization.k8s.io/v1/namespaces/default";
    await send("POST", `${roles}/roles`, {
      metadata: { name: "r" },
      rules: [{ apiGroups: [""], resources: ["configmaps", "endpoints"], verbs: ["update", "patch"] }],
    });
    await send("POST", `${roles}/rolebindings`, {
      metadata: { name: "r" },
      roleRef: { kind: "Role", name: "r" },
      subjects: [{ kind: "User", name: "alice" }],
    });
    const alice = { authorization: "Bearer alice" };
    expect(await send("PUT", `${base}/endpoints/none`, { metadata: { name: "none" } }, alice)).toMatchObject({
      status: 403,
      body: {
        message:
          'endpoints "none" is forbidden: User "alice" cannot create resource "endpoints" in API group "" in the namespace "default"',
      },
    });
    expect(
      (
        await send(
          "PATCH",
          `${maps}/none?fieldManager=a`,
          { apiVersion: "v1", kind: "ConfigMap", metadata: { name: "none" } },
          { ...alice, "content-type": "application/apply-patch+yaml" },
        )
      ).status,
    ).toBe(403);
    expect((await send("PUT", `${maps}/held`, { metadata: { name: "held" } }, alice)).status).toBe(200);
  });
});

describe("strict field validation", () => {
  const twice = '{"metadata":{"name":"twice"},"data":{"a":"1","a":"2"},"bogus":1,"bogus":2}';
  it.each([
    ["application/json", 'duplicate field "data.a", unknown field "bogus"'],
    [
      "application/yaml",
      'yaml: unmarshal errors:\n  line 1: key "a" already set in map\n  line 1: key "bogus" already set in map, unknown field "bogus"',
    ],
  ])("of %s reports unknown and duplicate fields", async (type, problems) => {
    const { body } = await send("POST", `${maps}?fieldValidation=Strict`, twice, { "content-type": type });
    expect(body.message).toBe(
      `ConfigMap in version "v1" cannot be handled as a ConfigMap: strict decoding error: ${problems}`,
    );
  });
});

describe("object types in bodies", () => {
  it.each([
    { apiVersion: "v1", kind: "Secret" },
    { apiVersion: "v2", kind: "ConfigMap" },
    { apiVersion: "apps/v1", kind: "Bogus" },
    { kind: [] },
  ])("%j is rejected in a create of a ConfigMap", async (body) => {
    expect((await send("POST", `${maps}?dryRun=All`, body)).status).toBe(400);
  });

  it("kind and apiVersion of DeleteOptions must be strings", async () => {
    expect((await send("DELETE", `${maps}/held?dryRun=All`, { apiVersion: {}, kind: "x" })).status).toBe(400);
  });
});

describe("custom resources", () => {
  it.each([
    [{ host: "a_b" }, 422],
    [{ host: "a.example" }, 201],
    [{ span: "P1D" }, 201],
    [{ span: "x" }, 422],
    [{ text: "A" }, 422],
    [{ pod: { apiVersion: "v1", kind: "Pod" } }, 201],
    [{ pod: { apiVersion: "a/b/c", kind: "Pod" } }, 422],
    [{ pod: { apiVersion: "v1", kind: "a b" } }, 422],
    [{ pod: { apiVersion: "v1", kind: "Pod", metadata: { labels: { a: "!" } } } }, 422],
    [{ pod: { apiVersion: 1, kind: "Pod" } }, 400],
    [{ pod: { apiVersion: "v1", kind: "Pod", metadata: 1 } }, 400],
  ])("a create with %j is answered with %i", async (spec, status) => {
    expect((await send("POST", `${items}?dryRun=All`, item(spec))).status).toBe(status);
  });

  it("only the first problem of a string is reported", async () => {
    expect((await send("POST", items, item({ text: "A" }))).body.message).toBe(
      'Item.scen.example.com "i" is invalid: spec.text: Invalid value: "A": spec.text in body should be at least 2 chars long',
    );
  });

  it("a write to /scale validates the schema and drops unknown fields of an apply", async () => {
    await send("POST", items, item({ n: 1, map: { b: 1, a: 2 } }));
    expect(
      (
        await send("PUT", `${items}/i/scale`, {
          apiVersion: "autoscaling/v1",
          kind: "Scale",
          metadata: { name: "i" },
          spec: { replicas: 11 },
        })
      ).status,
    ).toBe(422);
    expect(
      (await send("GET", items, undefined, { accept: "application/json;as=Table;v=v1;g=meta.k8s.io" })).body.rows?.[0]
        ?.cells[1],
    ).toBe('{"a":2,"b":1}');
    const { body } = await send(
      "PATCH",
      `${items}/i?fieldManager=a`,
      item({ raw: { x: 1, known: { a: "b", c: "d" } } }),
      { "content-type": "application/apply-patch+yaml" },
    );
    expect(body.spec).toMatchObject({ raw: { x: 1, known: { a: "b" } } });
    expect((body.spec as { raw: { known: object } }).raw.known).not.toHaveProperty("c");
    expect(await send("POST", `${items}/i/status`, item({}))).toMatchObject({
      status: 405,
      body: { message: 'create is not supported on resources of kind "items.scen.example.com"' },
    });
    expect(
      (
        await send("GET", `${items}/i`, undefined, {
          accept: "application/json;as=PartialObjectMetadataList;v=v1;g=meta.k8s.io",
        })
      ).status,
    ).toBe(500);
  });
});

describe("pods", () => {
  const running = {
    metadata: { name: "r" },
    spec: {
      nodeName: "n",
      containers: [
        {
          name: "c",
          image: "i",
          resources: { requests: { cpu: "100m", memory: "64Mi" }, limits: { cpu: "200m", memory: "64Mi" } },
        },
      ],
    },
  };
  const strategic = { "content-type": "application/strategic-merge-patch+json" };
  beforeAll(async () => {
    await send("POST", pods, running);
  });

  it.each([
    [{ conditions: [{ type: "Ready", status: "True" }] }, 200],
    [{ conditions: [{ type: "not valid", status: "True" }] }, 422],
    [{ podIPs: [{ ip: "1.2.3.4" }], podIP: "1.2.3.4" }, 200],
    [{ podIPs: [{ ip: "x" }] }, 422],
    [{ podIPs: [{ ip: "1.2.3.4" }, { ip: "1.2.3.5" }] }, 422],
    [{ podIPs: [{ ip: "1.2.3.4" }, { ip: "fd00::1" }] }, 200],
    [{ hostIPs: [{ ip: "1.1.1.1" }] }, 422],
    [{ hostIP: "1.1.1.1", hostIPs: [{ ip: "1.1.1.1" }] }, 200],
    [{ nominatedNodeName: "m" }, 422],
    [{ observedGeneration: -1 }, 422],
    [{ qosClass: "Guaranteed" }, 422],
    [{ resourceClaimStatuses: [{ name: "none" }] }, 422],
    [
      {
        containerStatuses: [
          {
            name: "c",
            allocatedResourcesStatus: [{ name: "cpu", resources: [{ resourceID: "a", health: "Healthy" }] }],
          },
        ],
      },
      200,
    ],
    [{ containerStatuses: [{ name: "c", allocatedResourcesStatus: [{ name: "none" }] }] }, 422],
    [
      {
        containerStatuses: [
          { name: "c", allocatedResourcesStatus: [{ name: "cpu", resources: [{ resourceID: "a", health: "Fine" }] }] },
        ],
      },
      422,
    ],
    [{ containerStatuses: [{ name: "c", user: { linux: { uid: -1, gid: 0 } } }] }, 422],
    [{ ephemeralContainerStatuses: [{ name: "d", allocatedResourcesStatus: [{ name: "cpu" }] }] }, 422],
  ])("status %j is answered with %i", async (status, code) => {
    expect((await send("PUT", `${pods}/r/status?dryRun=All`, { ...running, status })).status).toBe(code);
  });

  it("terminated containers must not run again if the restart policy forbids it", async () => {
    const once = {
      metadata: { name: "once" },
      spec: { nodeName: "n", restartPolicy: "Never", containers: [{ name: "c", image: "i" }] },
    };
    await send("POST", pods, once);
    await send("PUT", `${pods}/once/status`, {
      ...once,
      status: { containerStatuses: [{ name: "c", state: { terminated: { exitCode: 0 } } }] },
    });
    expect(
      await send("PUT", `${pods}/once/status`, {
        ...once,
        status: { containerStatuses: [{ name: "c", state: { running: {} } }] },
      }),
    ).toMatchObject({
      status: 422,
      body: {
        message:
          'Pod "once" is invalid: status.containerStatuses[0].state: Forbidden: may not be transitioned to non-terminated state',
      },
    });
  });

  it.each([
    [{ requests: { cpu: "150m" } }, 200, ""],
    [
      { requests: { cpu: "300m" } },
      422,
      'spec.containers[0].resources.requests: Invalid value: "300m": must be less than or equal to cpu limit of 200m',
    ],
    [
      { requests: { cpu: "200m" } },
      422,
      'spec: Invalid value: "Burstable": Pod QOS Class may not change as a result of resizing',
    ],
    [
      { requests: { "example.com/gpu": "1" }, limits: { "example.com/gpu": "1" } },
      422,
      "spec: Forbidden: only cpu and memory resources are mutable",
    ],
    [{ requests: { cpu: null } }, 422, ""],
  ])("resize to %j is answered with %i", async (resources, status, text) => {
    const answer = await send(
      "PATCH",
      `${pods}/r/resize?dryRun=All`,
      { spec: { containers: [{ name: "c", resources }] } },
      strategic,
    );
    expect(answer.status).toBe(status);
    if (text !== "") expect(answer.body.message).toBe(`Pod "r" is invalid: ${text}`);
  });

  it("existing ephemeral containers are immutable", async () => {
    const beside = (...ephemeralContainers: unknown[]): object => ({
      ...running,
      spec: { ...running.spec, ephemeralContainers },
    });
    const put = async (body: object): Promise<number> =>
      (await send("PUT", `${pods}/r/ephemeralcontainers`, body)).status;
    expect(await put(beside({ name: "d", image: "i" }))).toBe(200);
    expect(await put(beside())).toBe(422);
    expect(await put(beside({ name: "d", image: "j" }))).toBe(422);
    for (const bad of [
      { name: "c", image: "i" },
      { name: "e", image: "i", livenessProbe: {} },
      { name: "e", image: "i", resources: { limits: { cpu: "1" } } },
      { name: "e", image: "i", targetContainerName: "none" },
      { name: "e" },
    ])
      expect(await put(beside({ name: "d", image: "i" }, bad))).toBe(422);
    expect(await put(beside({ name: "d", image: "i" }, { name: "e", image: "i", targetContainerName: "c" }))).toBe(200);
  });
});

describe("service account tokens", () => {
  it("are valid only for their audiences in a TokenReview", async () => {
    await send("POST", `${base}/serviceaccounts`, { metadata: { name: "sa" } });
    const { body } = await send("POST", `${base}/serviceaccounts/sa/token`, { spec: { audiences: ["x"] } });
    const { token } = (body as unknown as { status: { token: string } }).status;
    const review = async (audiences?: readonly string[]): Promise<unknown> =>
      (
        (await send("POST", "/apis/authentication.k8s.io/v1/tokenreviews", { spec: { token, audiences } }))
          .body as unknown as { status: unknown }
      ).status;
    expect(await review(["x", "y"])).toMatchObject({
      authenticated: true,
      audiences: ["x"],
      user: {
        username: "system:serviceaccount:default:sa",
        extra: { "authentication.kubernetes.io/credential-id": [expect.stringMatching(/^JTI=/)] },
      },
    });
    expect(await review(["z"])).toEqual({
      user: {},
      error: '[invalid bearer token, token audiences ["x"] is invalid for the target audiences ["z"]]',
    });
    expect(await review()).toMatchObject({ user: {} });
  });
});

describe("system objects", () => {
  it("system priority classes, and namespaces with another uid, can't be deleted", async () => {
    expect(
      (await send("DELETE", "/apis/scheduling.k8s.io/v1/priorityclasses/system-node-critical?dryRun=All")).body.message,
    ).toBe(
      'priorityclasses.scheduling.k8s.io "system-node-critical" is forbidden: this is a system priority class and cannot be deleted',
    );
    expect((await send("DELETE", "/api/v1/namespaces/default?uid=nope&dryRun=All")).status).toBe(409);
  });

  it("a denied impersonation reports the mode that last succeeded", async () => {
    const rules = [{ apiGroups: [""], resources: ["users"], verbs: ["impersonate"], resourceNames: ["bob"] }];
    await send("POST", "/apis/rbac.authorization.k8s.io/v1/clusterroles", { metadata: { name: "imp" }, rules });
    await send("POST", "/apis/rbac.authorization.k8s.io/v1/clusterrolebindings", {
      metadata: { name: "imp" },
      roleRef: { kind: "ClusterRole", name: "imp" },
      subjects: [{ kind: "User", name: "alice" }],
    });
    const as = async (user: string): Promise<string | undefined> =>
      (await send("GET", `${maps}/held`, undefined, { authorization: "Bearer alice", "impersonate-user": user })).body
        .message;
    expect(await as("eve")).toContain("impersonate-on:user-info:get");
    await as("bob");
    expect(await as("eve")).toContain('users "eve" is forbidden: User "alice" cannot impersonate resource "users"');
  });

  it("an eviction reports why the budget doesn't allow it and when to retry", async () => {
    const budgets = "/apis/policy/v1/namespaces/default/poddisruptionbudgets";
    await send("POST", budgets, {
      metadata: { name: "b" },
      spec: { minAvailable: 1, selector: { matchLabels: { e: "1" } } },
    });
    await send("POST", pods, {
      metadata: { name: "e", labels: { e: "1" } },
      spec: { nodeName: "n", containers: [{ name: "c", image: "i" }] },
    });
    await send(
      "PATCH",
      `${pods}/e/status`,
      { status: { phase: "Running", conditions: [{ type: "Ready", status: "True" }] } },
      { "content-type": merge },
    );
    const evict = (): Promise<Answer> => send("POST", `${pods}/e/eviction`, { metadata: { name: "e" } });
    expect(await evict()).toMatchObject({ status: 429, body: { details: { retryAfterSeconds: 10 } } });
    await send(
      "PATCH",
      `${budgets}/b/status`,
      {
        status: { observedGeneration: 1, currentHealthy: 1, desiredHealthy: 0, expectedPods: 1, disruptionsAllowed: 0 },
      },
      { "content-type": merge },
    );
    expect(await evict()).toMatchObject({
      status: 429,
      body: { details: { causes: [{ message: "The disruption budget b does not allow evicting pods currently" }] } },
    });
    await send("PATCH", `${budgets}/b/status`, { status: { disruptionsAllowed: 1 } }, { "content-type": merge });
    expect((await evict()).status).toBe(201);
    expect((await send("GET", `${budgets}/b`)).body).toMatchObject({
      status: {
        disruptionsAllowed: 0,
        conditions: [{ type: "DisruptionAllowed", status: "False", reason: "InsufficientPods" }],
      },
    });
  });
});

describe("CustomResourceDefinitions", () => {
  const webhook = (
    clientConfig: object,
    conversionReviewVersions: readonly string[] = ["v1"],
  ): Record<string, unknown> => ({
    conversion: { strategy: "Webhook", webhook: { clientConfig, conversionReviewVersions } },
  });
  const whole = (openAPIV3Schema: object): Record<string, unknown> => ({ schema: { openAPIV3Schema } });
  const property = (value: object): Record<string, unknown> => whole({ type: "object", properties: { a: value } });
  it.each([
    [{}, webhook({ service: { namespace: "n", name: "s" } }), 201, 0],
    [{}, webhook({ service: { namespace: "n", name: "s" } }, ["v1", "v1"]), 422, 0],
    [{}, webhook({ service: { name: "s" } }), 422, 0],
    [{}, webhook({ service: { namespace: "n", name: "s", port: 0 } }), 422, 0],
    [{}, { names: { plural: "others", kind: "Other", shortNames: [""] } }, 422, 0],
    [{ deprecated: true, deprecationWarning: "" }, {}, 422, 0],
    [{ deprecated: true, deprecationWarning: "x".repeat(257) }, {}, 422, 0],
    [property({ type: "string", format: "bogus" }), {}, 201, 1],
    [property({ type: "integer", format: "int32" }), {}, 201, 0],
    [property({ "x-kubernetes-int-or-string": true, anyOf: [{ type: "string" }] }), {}, 422, 0],
    [property({ "x-kubernetes-int-or-string": true, anyOf: [{ type: "integer" }, { type: "string" }] }), {}, 201, 0],
    [property({ type: "string", enum: [], default: "x" }), {}, 201, 0],
    [property({ type: "object", "x-kubernetes-preserve-unknown-fields": false }), {}, 422, 0],
    [whole({ "x-kubernetes-preserve-unknown-fields": true }), {}, 201, 0],
  ])("case %#: version %j, spec %j", async (version, spec, status, warnings) => {
    expect(await send("POST", `${definitions}?dryRun=All`, definition("other", version, spec))).toMatchObject({
      status,
      warnings,
    });
  });
});

describe("patches and lists of missing objects", () => {
  it.each([
    ["application/json-patch+json", "{}", 404],
    ["application/merge-patch+json", "a: b", 404],
    ["application/strategic-merge-patch+json", "a: b", 404],
  ])("%s with body %s", async (type, body, status) => {
    expect((await send("PATCH", `${maps}/missing`, body, { "content-type": type })).status).toBe(status);
  });

  it("a GET of a future resourceVersion says when to retry", async () => {
    const { body } = await send(
      "GET",
      `${maps}?fieldSelector=metadata.name%3Da&resourceVersion=1000000&resourceVersionMatch=NotOlderThan&limit=2`,
    );
    expect(body).toMatchObject({ code: 504, details: { retryAfterSeconds: 1 } });
  });
});

describe("responses", () => {
  it("metadata of custom resources is sorted by name", async () => {
    const uid = "aaaaaaaa-aaaa-aaaa-aaaa-aaaaaaaaaaaa";
    const object = {
      ...item({ n: 1 }),
      metadata: { name: "owned", ownerReferences: [{ apiVersion: "v1", kind: "ConfigMap", name: "o", uid }] },
    };
    const { metadata = {} } = (await send("POST", items, object)).body;
    expect(Object.keys(metadata)).toEqual([
      "creationTimestamp",
      "generation",
      "managedFields",
      "name",
      "namespace",
      "ownerReferences",
      "resourceVersion",
      "uid",
    ]);
    expect(Object.keys((await send("GET", `${items}/owned`)).body.metadata ?? {})).toEqual(Object.keys(metadata));
  });

  it("a review can be requested as PartialObjectMetadata", async () => {
    const review = { apiVersion: "authentication.k8s.io/v1", kind: "SelfSubjectReview" };
    const ask = (kind: string): Promise<Answer> =>
      send("POST", "/apis/authentication.k8s.io/v1/selfsubjectreviews", review, {
        accept: `application/json;as=${kind};v=v1;g=meta.k8s.io`,
      });
    expect(await ask("PartialObjectMetadata")).toMatchObject({ status: 201, body: { kind: "PartialObjectMetadata" } });
    expect((await ask("PartialObjectMetadataList")).status).toBe(406);
  });

  it("warnings are encoded as UTF-8", async () => {
    const response = await server.handle(
      new Request(`http://server${maps}?dryRun=All`, {
        method: "POST",
        headers: { authorization: "Bearer admin", "content-type": "application/json" },
        body: JSON.stringify({ metadata: { name: "w" }, "ü€": 1 }),
      }),
    );
    expect(Buffer.from(response.headers.get("warning") ?? "", "latin1").toString()).toContain("ü€");
  });

  it("missing replicas count as 0", async () => {
    const { message } = (
      await send(
        "PATCH",
        "/apis/apps/v1/namespaces/default/deployments/counted/status",
        { status: { replicas: -1 } },
        { "content-type": merge },
      )
    ).body;
    expect(message).toContain("status.readyReplicas: Invalid value: 0: cannot be greater than status.replicas");
  });
});

describe("mandatory flow control objects", () => {
  const base = "/apis/flowcontrol.apiserver.k8s.io/v1";
  it.each([
    ["flowschemas/catch-all", { spec: { matchingPrecedence: 5 } }, "spec of 'catch-all' must equal the fixed value"],
    ["flowschemas/catch-all", { metadata: { labels: { a: "b" } } }, undefined],
    [
      "prioritylevelconfigurations/catch-all",
      { spec: { limited: { nominalConcurrencyShares: 6 } } },
      "spec of 'catch-all' must equal the fixed value",
    ],
    [
      "prioritylevelconfigurations/exempt",
      { spec: { type: "Limited", limited: {} } },
      "spec of 'exempt' except the 'spec.exempt' field must equal the fixed value",
    ],
    ["prioritylevelconfigurations/exempt", { spec: { exempt: { nominalConcurrencyShares: 9 } } }, undefined],
    ["flowschemas/global-default", { spec: { matchingPrecedence: 9800 } }, undefined],
  ])("%s patched with %j", async (path, change, why) => {
    const { status, body } = await send("PATCH", `${base}/${path}?dryRun=All`, change, { "content-type": merge });
    expect(status, JSON.stringify(body)).toBe(why === undefined ? 200 : 422);
    if (why !== undefined) expect(body.message).toContain(why);
  });
});

describe("conditional requests for OpenAPI documents", () => {
  const path = "/openapi/v3/apis/coordination.k8s.io/v1";
  const ask = async (method: string, headers: Readonly<Record<string, string>>): Promise<Response> =>
    server.handle(
      new Request(`http://server${path}`, {
        method,
        headers: { authorization: "Bearer admin", accept: "application/json", ...headers },
      }),
    );
  it.each([
    ["GET", "if-none-match", "TAG", 304],
    ["HEAD", "if-none-match", 'W/TAG, "x"', 304],
    ["GET", "if-none-match", '"x"', 200],
    ["GET", "if-modified-since", "Wed, 21 Oct 2099 07:28:00 GMT", 304],
    ["POST", "if-modified-since", "Wed, 21 Oct 2099 07:28:00 GMT", 200],
  ])("%s with %s: %s is answered with %i", async (method, name, value, status) => {
    const etag = (await ask("GET", {})).headers.get("etag") ?? "";
    expect((await ask(method, { [name]: value.replace("TAG", etag) })).status).toBe(status);
  });

  it.each([
    ["if-none-match", "*"],
    ["if-modified-since", "Wed, 21 Oct 2099 07:28:00 GMT"],
  ])("the index, which has no ETag, answers 304 for %s: %s", async (name, value) => {
    const response = await server.handle(
      new Request("http://server/openapi/v3", { headers: { authorization: "Bearer admin", [name]: value } }),
    );
    expect([response.status, response.headers.has("last-modified")]).toEqual([304, true]);
  });
});
