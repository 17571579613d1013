import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { getResponseInfo } from "../../src/client/call/response-info.js";
import type { Client } from "../../src/client/client.js";
import type { Codec } from "../../src/codec/codec.js";
import {
  isNotFound,
  isResourceExpired,
  isTooManyRequests,
  isUnsupportedMediaType,
} from "../../src/errors/predicates.js";
import type { StatusError } from "../../src/errors/status-error.js";
import { CustomResourceDefinition } from "../../src/kinds/apiextensions/v1.js";
import { Deployment } from "../../src/kinds/apps/v1.js";
import { TokenReview } from "../../src/kinds/authentication/v1.js";
import { ConfigMap, Pod, ServiceAccount } from "../../src/kinds/core/v1.js";
import { PodDisruptionBudget } from "../../src/kinds/policy/v1.js";
import { defineKind } from "../../src/meta/define-kind.js";
import { clientOf, encodings, failure, freshNamespace, podOf } from "./clients.js";
import type { Target } from "./target.js";

/** Subresources and custom kinds, in every encoding. */
export function clientSubresourcesSuite(target: Target): void {
  describe.each(encodings)("subresources and custom kinds in %s:", (encoding, codecs) =>
    subresources(target, encoding, codecs),
  );
}

function subresources(target: Target, encoding: string, codecs: Codec[]): void {
  let client: Client;
  let namespace = "";
  beforeEach(async () => {
    client = await clientOf(target, { codecs });
    if (namespace === "") namespace = await freshNamespace(client);
  });
  afterEach(() => client.close());
  const pods = () => client.resource(Pod).namespace(namespace);

  it("subresources work: status, scale, eviction, binding, token, ephemeralcontainers, resize", async () => {
    const deployments = client.resource(Deployment).namespace(namespace);
    await deployments.create({
      metadata: { name: "web" },
      spec: {
        replicas: 1,
        selector: { matchLabels: { a: "b" } },
        template: { metadata: { labels: { a: "b" } }, spec: { containers: [{ name: "c", image: "i" }] } },
      },
    });
    const scale = await deployments.subresource("scale").get("web");
    expect(scale.spec?.replicas).toBe(1);
    expect((await deployments.subresource("scale").update({ ...scale, spec: { replicas: 3 } })).spec?.replicas).toBe(3);
    expect(
      (await deployments.subresource("scale").patch("web", { type: "merge", patch: { spec: { replicas: 4 } } })).spec
        ?.replicas,
    ).toBe(4);
    expect(
      (
        await deployments
          .subresource("status")
          .apply(
            { apiVersion: "apps/v1", kind: "Deployment", metadata: { name: "web" }, status: { replicas: 4 } },
            { fieldManager: "st" },
          )
      ).status?.replicas,
    ).toBe(4);
    expect(
      (
        await deployments.subresource("status").update("web", (d) => {
          d.status!.readyReplicas = 2;
        })
      ).status?.readyReplicas,
    ).toBe(2);

    await pods().create(podOf("evicted", { app: "guarded" }));
    await pods().create(podOf("bound"));
    expect(
      await pods()
        .subresource("binding")
        .create("bound", { metadata: { name: "bound" }, target: { kind: "Node", name: "n1" } }),
    ).toMatchObject({ status: "Success" });
    expect((await pods().get("bound")).spec?.nodeName).toBe("n1");
    expect(
      await pods()
        .subresource("ephemeralcontainers")
        .patch("bound", {
          type: "strategic",
          patch: { spec: { ephemeralContainers: [{ name: "debug", image: "i" }] } },
        }),
    ).toMatchObject({ spec: { ephemeralContainers: [{ name: "debug" }] } });
    expect(
      await pods()
        .subresource("resize")
        .patch("bound", {
          type: "strategic",
          patch: { spec: { containers: [{ name: "c", resources: { requests: { cpu: "10m" } } }] } },
        })
        .catch((e: unknown) => e as StatusError),
    ).toBeDefined();
    expect(
      await pods()
        .subresource("eviction")
        .create("evicted", { metadata: { name: "evicted" } }),
    ).toMatchObject({ status: "Success" });

    const accounts = client.resource(ServiceAccount).namespace(namespace);
    await accounts.create({ metadata: { name: "robot" } });
    const token = await accounts
      .subresource("token")
      .create("robot", { spec: { audiences: ["https://kubernetes.default.svc"], expirationSeconds: 600 } });
    const review = await client.resource(TokenReview).create({ spec: { token: token.status!.token! } });
    expect(review.status?.user?.username).toBe(`system:serviceaccount:${namespace}:robot`);
  });

  it("an eviction that a disruption budget blocks isn't retried", async () => {
    const budgets = client.resource(PodDisruptionBudget).namespace(namespace);
    await budgets.create({
      metadata: { name: "guard" },
      spec: { minAvailable: 1, selector: { matchLabels: { app: "kept" } } },
    });
    await budgets.subresource("status").update("guard", (b) => {
      b.status = {
        currentHealthy: 1,
        desiredHealthy: 1,
        disruptionsAllowed: 0,
        expectedPods: 1,
        observedGeneration: b.metadata!.generation!,
      };
    });
    await pods().create(podOf("kept", { app: "kept" }));
    await pods()
      .subresource("status")
      .update("kept", (p) => {
        p.status = { ...p.status, phase: "Running", conditions: [{ type: "Ready", status: "True" }] };
      });
    const error = await failure(
      pods()
        .subresource("eviction")
        .create("kept", { metadata: { name: "kept" } }),
    );
    expect(error).toSatisfy(isTooManyRequests);
    expect(error.details?.causes?.[0]?.reason).toBe("DisruptionBudget");
    expect(getResponseInfo(error)?.attempts).toBe(1);
  });

  it("custom kinds work, except strategic merge patches", async () => {
    await client.resource(CustomResourceDefinition).create({
      metadata: { name: `crontabs.${encoding}.example.com` },
      spec: {
        group: `${encoding}.example.com`,
        scope: "Namespaced",
        names: { plural: "crontabs", singular: "crontab", kind: "CronTab" },
        versions: [
          {
            name: "v1",
            served: true,
            storage: true,
            schema: {
              openAPIV3Schema: {
                type: "object",
                properties: {
                  spec: { type: "object", properties: { cron: { type: "string" }, replicas: { type: "integer" } } },
                  status: { type: "object", "x-kubernetes-preserve-unknown-fields": true },
                },
              },
            },
            subresources: { status: {} },
          },
        ],
      },
    });
    const CronTab = defineKind<{ cron?: string; replicas?: number }, { seen?: boolean }>()({
      group: `${encoding}.example.com`,
      version: "v1",
      kind: "CronTab",
      plural: "crontabs",
      scope: "Namespaced",
    });
    const tabs = client.resource(CronTab).namespace(namespace);
    for (let i = 0; ; i++) {
      const ready = await tabs.list().then(
        () => true,
        (e: unknown) => {
          if (i > 100 || !isNotFound(e)) throw e;
          return false;
        },
      );
      if (ready) break;
      await new Promise((resolve) => setTimeout(resolve, 100));
    }
    const created = await tabs.create({ metadata: { name: "t" }, spec: { cron: "* * * * *" } });
    expect(created.kind).toBe("CronTab");
    await tabs.update({ ...created, spec: { replicas: 2 } });
    expect(
      (await tabs.subresource("status").patch("t", { type: "merge", patch: { status: { seen: true } } })).status?.seen,
    ).toBe(true);
    expect(
      (
        await tabs.apply(
          {
            apiVersion: `${encoding}.example.com/v1`,
            kind: "CronTab",
            metadata: { name: "t" },
            spec: { cron: "@daily" },
          },
          { fieldManager: "m" },
        )
      ).spec?.cron,
    ).toBe("@daily");
    const plain = { ...CronTab, custom: false } as unknown as typeof ConfigMap;
    expect(
      await failure(client.resource(plain).namespace(namespace).patch("t", { type: "strategic", patch: {} })),
    ).toSatisfy(isUnsupportedMediaType);
    // A custom resource's history starts with its definition, so every earlier version has expired.
    const expired = await failure(client.resource(CronTab).namespace(namespace).watch({ resourceVersion: "1" }).next());
    expect(expired).toSatisfy(isResourceExpired);
    expect(expired.message).toMatch(
      /^watch crontabs\.\w+\.example\.com in "e2e-.*": 410 Expired: too old resource version/,
    );
  });
}
