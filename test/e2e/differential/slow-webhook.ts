import { startJsonWebhook } from "../../support/webhooks/json-webhook.js";
import type { ServerPair } from "../server-pair.js";

/** Webhook that delays the creation of ConfigMaps in the namespace `slow`. */
export interface SlowWebhook {
  /** Holds the requests that arrive from now on. */
  hold(): void;
  /** Lets the requests go on that it holds. */
  release(): void;
  /** Returns the number of calls since the last time. */
  take(): number;
  /** Creates the namespace, and registers the webhook with both servers. */
  register(pair: ServerPair): Promise<void>;
  close(): Promise<void>;
}

export async function startSlowWebhook(): Promise<SlowWebhook> {
  let release: () => void = () => undefined;
  let held: Promise<void> = Promise.resolve();
  const webhook = await startJsonWebhook(async ({ body }) => {
    await held;
    const { apiVersion, kind, request } = body as { apiVersion: string; kind: string; request: { uid: string } };
    return { apiVersion, kind, response: { uid: request.uid, allowed: true } };
  });
  return {
    hold() {
      held = new Promise((resolve) => {
        release = resolve;
      });
    },
    release: () => release(),
    take: () => webhook.take().length,
    async register(pair) {
      await pair.create("/api/v1/namespaces", { metadata: { name: "slow", labels: { slow: "yes" } } });
      await pair.create("/apis/admissionregistration.k8s.io/v1/validatingwebhookconfigurations", {
        metadata: { name: "slow" },
        webhooks: [
          {
            name: "slow.example.com",
            clientConfig: { url: webhook.url, caBundle: Buffer.from(webhook.ca).toString("base64") },
            rules: [{ apiGroups: [""], apiVersions: ["v1"], operations: ["CREATE"], resources: ["configmaps"] }],
            namespaceSelector: { matchLabels: { slow: "yes" } },
            sideEffects: "None",
            timeoutSeconds: 30,
            admissionReviewVersions: ["v1"],
          },
        ],
      });
    },
    close: () => webhook.close(),
  };
}
