import { createPublicKey, type JsonWebKey, verify } from "node:crypto";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { type ApiServer, createApiServer } from "../../../../src/apiserver/server.js";
import { sendJson } from "../../../support/send-json.js";
import { createVirtualClock, type VirtualClock } from "../../../support/virtual-clock.js";

const base = "/api/v1/namespaces/default";
const reviews = "/apis/authentication.k8s.io/v1/tokenreviews";
let clock: VirtualClock;
let server: ApiServer;

beforeEach(async () => {
  clock = createVirtualClock();
  server = createApiServer({
    clock,
    controllers: false,
    tokens: new Map([["admin", { name: "admin", uid: "", groups: ["system:masters"], extra: {} }]]),
  });
  await ask("POST", `${base}/serviceaccounts`, { metadata: { name: "sa" } });
});
afterEach(() => server.close());

interface Answer {
  readonly code: number;
  readonly body: Record<string, unknown> & {
    metadata: Record<string, string>;
    status: Record<string, unknown> & { token: string };
    message?: string;
  };
}

async function ask(method: string, path: string, body?: object, token = "admin"): Promise<Answer> {
  const headers = { authorization: `Bearer ${token}` };
  const answer = await sendJson<Answer["body"]>(server, { method, path, body, headers });
  return { code: answer.status, body: answer.body };
}

const issue = async (spec: object = {}): Promise<string> =>
  (await ask("POST", `${base}/serviceaccounts/sa/token`, { spec })).body.status.token;
const review = async (token: string, audiences?: readonly string[]): Promise<unknown> =>
  (await ask("POST", reviews, { spec: { token, ...(audiences && { audiences }) } })).body.status;
const part = (token: string, at: number): Record<string, unknown> =>
  JSON.parse(Buffer.from(token.split(".")[at]!, "base64url").toString()) as Record<string, unknown>;
const encode = (value: object): string => Buffer.from(JSON.stringify(value)).toString("base64url");

describe("service account tokens", () => {
  it("are JWTs that the published key verifies", async () => {
    const token = await issue({ audiences: ["vault", "https://kubernetes.default.svc"], expirationSeconds: 900 });
    const { keys } = (await ask("GET", "/openid/v1/jwks")).body as unknown as {
      keys: (JsonWebKey & { kid: string })[];
    };
    const [head = "", payload = "", signature = ""] = token.split(".");
    expect(
      verify(
        "RSA-SHA256",
        Buffer.from(`${head}.${payload}`),
        createPublicKey({ key: keys[0]!, format: "jwk" }),
        Buffer.from(signature, "base64url"),
      ),
    ).toBe(true);
    expect(keys).toEqual([
      { use: "sig", kty: "RSA", kid: part(token, 0)["kid"], alg: "RS256", n: expect.any(String) as string, e: "AQAB" },
    ]);
    expect(part(token, 0)["alg"]).toBe("RS256");
    const now = Math.floor(clock.now() / 1000);
    const { uid } = (await ask("GET", `${base}/serviceaccounts/sa`)).body.metadata;
    expect(part(token, 1)).toEqual({
      aud: ["vault", "https://kubernetes.default.svc"],
      exp: now + 900,
      iat: now,
      nbf: now,
      iss: "https://kubernetes.default.svc",
      jti: expect.any(String) as string,
      "kubernetes.io": { namespace: "default", serviceaccount: { name: "sa", uid } },
      sub: "system:serviceaccount:default:sa",
    });
  });

  it("come with the metadata of the request, except for names and times", async () => {
    const owner = { apiVersion: "v1", kind: "Pod", name: "p", uid: "u" };
    const given = {
      labels: { a: "b c" },
      annotations: { d: "e" },
      finalizers: ["f/g"],
      generateName: "h",
      generation: 4,
    };
    const metadata = { ...given, ownerReferences: [owner, owner], creationTimestamp: "2020-01-01T00:00:00Z" };
    const { body } = await ask("POST", `${base}/serviceaccounts/sa/token`, { metadata });
    expect(body.metadata).toMatchObject({ ...given, name: "sa", namespace: "default", ownerReferences: [owner] });
    expect(Date.parse(body.metadata["creationTimestamp"]!)).toBeCloseTo(clock.now(), -4);
  });

  it("expire a minute after their end by the server's clock", async () => {
    const token = await issue({ expirationSeconds: 600 });
    await clock.advance(659_000);
    expect((await ask("GET", `${base}/configmaps`, undefined, token)).code).toBe(200);
    await clock.advance(2000);
    expect((await ask("GET", `${base}/configmaps`, undefined, token)).code).toBe(401);
    expect(await review(token)).toEqual({
      user: {},
      error: "[invalid bearer token, service account token has expired]",
    });
  });

  it.each([
    [
      "the service account is deleted",
      "",
      async () => ask("DELETE", `${base}/serviceaccounts/sa`),
      'serviceaccounts "sa" not found',
    ],
    [
      "the pod is deleted",
      "Pod",
      async () => ask("DELETE", `${base}/pods/p?gracePeriodSeconds=0`),
      "service account token has been invalidated",
    ],
    [
      "the secret is deleted",
      "Secret",
      async () => ask("DELETE", `${base}/secrets/p`),
      "service account token has been invalidated",
    ],
    [
      "the node is deleted",
      "Node",
      async () => ask("DELETE", "/api/v1/nodes/p"),
      "service account token has been invalidated",
    ],
    [
      "the pod is recreated",
      "Pod",
      async () => [
        await ask("DELETE", `${base}/pods/p?gracePeriodSeconds=0`),
        await ask("POST", `${base}/pods`, pod("p", {})),
      ],
      /^pod UID \(.*\) does not match service account pod ref claim \(.*\)$/,
    ],
    [
      "the service account is recreated",
      "",
      async () => [
        await ask("DELETE", `${base}/serviceaccounts/sa`),
        await ask("POST", `${base}/serviceaccounts`, { metadata: { name: "sa" } }),
      ],
      /^service account UID \(.*\) does not match claim \(.*\)$/,
    ],
  ] as const)("end when %s", async (_, kind, end, why) => {
    await bindable();
    const token = await issue(kind === "" ? {} : { boundObjectRef: { kind, apiVersion: "v1", name: "p" } });
    expect((await ask("GET", `${base}/configmaps`, undefined, token)).code).toBe(200);
    await end();
    expect((await ask("GET", `${base}/configmaps`, undefined, token)).code).toBe(401);
    const { error } = (await review(token)) as { error: string };
    expect(/^\[invalid bearer token, (.*)\]$/.exec(error)![1]).toMatch(why);
  });

  const pod = (name: string, spec: object): object => ({
    metadata: { name },
    spec: { serviceAccountName: "sa", containers: [{ name: "c", image: "i" }], ...spec },
  });

  async function bindable(): Promise<void> {
    await ask("POST", "/api/v1/nodes", { metadata: { name: "p" } });
    await ask("POST", `${base}/secrets`, { metadata: { name: "p" } });
    for (const [name, spec] of [
      ["p", {}],
      ["placed", { nodeName: "p" }],
      ["astray", { nodeName: "gone" }],
    ] as const)
      await ask("POST", `${base}/pods`, pod(name, spec));
  }

  it.each([
    ["a pod", "Pod", "p", ["pod"], ["credential-id", "pod-name", "pod-uid"], 600],
    [
      "a pod on a node",
      "Pod",
      "placed",
      ["node", "pod"],
      ["credential-id", "node-name", "node-uid", "pod-name", "pod-uid"],
      600,
    ],
    [
      "a pod on a missing node",
      "Pod",
      "astray",
      ["node", "pod"],
      ["credential-id", "node-name", "pod-name", "pod-uid"],
      600,
    ],
    ["a node", "Node", "p", ["node"], ["credential-id", "node-name", "node-uid"], 3607],
    ["a secret", "Secret", "p", ["secret"], ["credential-id"], 600],
    [
      "a pod, for a kubelet's token lifetime",
      "Pod",
      "p",
      ["pod", "warnafter"],
      ["credential-id", "pod-name", "pod-uid"],
      3607,
    ],
  ] as const)("contain %s", async (_, kind, name, claims, extra, expirationSeconds) => {
    await bindable();
    const token = await issue({ boundObjectRef: { kind, apiVersion: "v1", name }, expirationSeconds });
    const {
      exp,
      iat,
      "kubernetes.io": told,
    } = part(token, 1) as { exp: number; iat: number; "kubernetes.io": Record<string, { name: string; uid?: string }> };
    expect(Object.keys(told).filter((key) => key !== "namespace" && key !== "serviceaccount")).toEqual(claims);
    expect(exp - iat).toBe((claims as readonly string[]).includes("warnafter") ? 365 * 86_400 : expirationSeconds);
    const { user } = (await review(token)) as { user: { extra: Record<string, string[]> } };
    expect(
      Object.keys(user.extra)
        .map((key) => key.replace("authentication.kubernetes.io/", ""))
        .sort(),
    ).toEqual(extra);
  });

  it("are invalid after any change, and unknown if another server issued them", async () => {
    const token = await issue();
    const [head = "", payload = "", signature = ""] = token.split(".");
    const bad = { user: {}, error: "[invalid bearer token, go-jose/go-jose: error in cryptographic primitive]" };
    const claims = part(token, 1);
    expect(
      await review(`${head}.${encode({ ...claims, sub: "system:serviceaccount:kube-system:admin" })}.${signature}`),
    ).toEqual(bad);
    expect(await review(`${encode({ alg: "none" })}.${payload}.`)).toEqual(bad);
    expect(await review(`${head}.${payload}.${signature.slice(0, -8)}AAAAAAAA`)).toEqual(bad);
    expect(await review(`${encode({ alg: "RS256", kid: "other" })}.${payload}.${signature}`)).toEqual({
      user: {},
      error: "[invalid bearer token, invalid signature, no keys found]",
    });
    for (const other of [
      `${head}.${encode({ ...claims, iss: "https://other" })}.${signature}`,
      `x.${payload}.${signature}`,
      "a.b.c",
      `${token}.more`,
    ])
      expect(await review(other)).toEqual({ user: {}, error: "invalid bearer token" });
  });

  it("are valid only for their audiences", async () => {
    const token = await issue({ audiences: ["x", "y"] });
    expect((await ask("GET", `${base}/configmaps`, undefined, token)).code).toBe(401);
    expect(await review(token, ["y", "x", "z"])).toMatchObject({ authenticated: true, audiences: ["y", "x"] });
    expect(await review(token, ["z"])).toEqual({
      user: {},
      error: '[invalid bearer token, token audiences ["x" "y"] is invalid for the target audiences ["z"]]',
    });
  });

  it.each([
    [
      { name: "other" },
      422,
      'TokenRequest.authentication.k8s.io "sa" is invalid: metadata.name: Invalid value: "other": must match the service account name if specified',
    ],
    [
      { namespace: "other" },
      400,
      "the namespace of the provided object does not match the namespace sent on the request",
    ],
    [
      { uid: "abc" },
      409,
      /^Operation cannot be fulfilled on TokenRequest.authentication.k8s.io "sa": the UID in the token request \(abc\) does not match the UID of the service account/,
    ],
  ])("can't be requested with the metadata %j", async (metadata, code, message) => {
    const answer = await ask("POST", `${base}/serviceaccounts/sa/token`, { metadata, spec: {} });
    expect(answer.code).toBe(code);
    expect(answer.body.message).toMatch(message);
  });
});
