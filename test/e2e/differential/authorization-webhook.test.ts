// Authorization webhooks, alone and with other authorizers, compared with a kube-apiserver that reads the same files.
import { afterEach, beforeAll, describe, expect, it } from "vitest";
import { createCertificateAuthority } from "../../../src/certificates/authority.js";
import { type JsonWebhook, startJsonWebhook, webhookKubeconfig } from "../../support/webhooks/json-webhook.js";
import { createServerFolder } from "../control-plane.js";
import { missingReason } from "../real-apiserver.js";
import { type ServerPair, startPair } from "../server-pair.js";
import { decide, files, pods } from "./access-reviews.js";
import { checkNodes } from "./node-decisions.js";

const missing = missingReason();
let pair: ServerPair;
let webhook: JsonWebhook | undefined;

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
  expect(await decide(pair, "hook-allowed", [], pods("delete"))).toBe("allowed");
  expect(await decide(pair, "hook-denied", [], pods("delete"))).toBe("denied");
  await decide(pair, "hook-both", [], pods("get"));
  await decide(pair, "hook-fails", [], pods("get"));
  expect(await decide(pair, "other", [], pods("get"))).toBe("no opinion");
  expect(await decide(pair, "hook-denied", ["system:masters"], pods("delete"))).toBe("allowed");
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

describe.skipIf(missing !== undefined)("authorization webhooks compared with a real server", () => {
  afterEach(async () => {
    await pair.stop();
    await webhook?.close();
    webhook = undefined;
  });

  it("--authorization-mode=Webhook,RBAC sends reviews of the chosen version to the webhook of the kubeconfig", async () => {
    webhook = await startJsonWebhook(({ body }) => answer(body));
    const folder = createServerFolder();
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
    const folder = createServerFolder();
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
    expect(await decide(pair, "eve", [], { verb: "get", path: "/secret" })).toBe("denied");
    expect(await decide(pair, "eve", [], { verb: "get", path: "/other" })).toBe("no opinion");
    expect(await decide(pair, "eve", [], pods("get", "away"))).toBe("no opinion");
    await checkNodes(pair);
  });
});

if (missing !== undefined) {
  beforeAll(() => console.log(`authorization webhooks compared with a real server: skipped: ${missing}`));
}
