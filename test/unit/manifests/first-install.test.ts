import { describe, expect, it } from "vitest";
import type { ApiServerOptions } from "../../../src/apiserver/options.js";
import type { ManifestsError } from "../../../src/errors/manifests-error.js";
import type { Clock } from "../../../src/internal/clock.js";
import { MutatingWebhookConfiguration } from "../../../src/kinds/admissionregistration/v1.js";
import { ConfigMap, ResourceQuota } from "../../../src/kinds/core/v1.js";
import type { ManifestProgress } from "../../../src/manifests/each-manifest.js";
import { type ApplyManifestsOptions, applyManifests } from "../../../src/manifests/manifests.js";
import { type TestClient, withServer } from "./manifest-server.js";

/** A clock whose timers fire at once and move its time. */
function createHastyClock(): Clock & { readonly waited: number[] } {
  let time = 0;
  const waited: number[] = [];
  return {
    waited,
    now: () => time,
    monotonic: () => time,
    setTimer(callback, delayMs) {
      waited.push(delayMs);
      const timer = setImmediate(() => {
        time += delayMs;
        callback();
      });
      return { cancel: () => clearImmediate(timer) };
    },
  };
}

/** Applies objects, and records the progress. */
async function run(client: TestClient, objects: readonly object[], more: Partial<ApplyManifestsOptions> = {}) {
  const progress: ManifestProgress[] = [];
  const clock = createHastyClock();
  const how = {
    namespace: "web",
    fieldManager: "m",
    clock,
    onProgress: (each: ManifestProgress) => progress.push(each),
  };
  const outcomes = await applyManifests(client, objects as never[], { ...how, ...more }).catch(
    (error: unknown) => error as ManifestsError,
  );
  const lines = progress.map(({ kind, outcome, waitsFor, done, total }) =>
    [kind, outcome, ...(waitsFor === undefined ? [] : [`for ${waitsFor}`]), `${done}/${total}`].join(" "),
  );
  return { outcomes, lines, clock };
}

const map = (name: string) => ({ apiVersion: "v1", kind: "ConfigMap", metadata: { name } });
const webhooks = {
  apiVersion: "admissionregistration.k8s.io/v1",
  kind: "MutatingWebhookConfiguration",
  metadata: { name: "sites" },
  webhooks: [
    {
      name: "sites.example.com",
      clientConfig: { url: "https://sites.example.com/" },
      rules: [{ apiGroups: ["example.com"], apiVersions: ["*"], operations: ["*"], resources: ["*"] }],
      sideEffects: "None",
      admissionReviewVersions: ["v1"],
    },
  ],
};
const site = { apiVersion: "example.com/v1", kind: "Site", metadata: { name: "home" } };
const definition = {
  apiVersion: "apiextensions.k8s.io/v1",
  kind: "CustomResourceDefinition",
  metadata: { name: "sites.example.com" },
  spec: {
    group: "example.com",
    scope: "Namespaced",
    names: { plural: "sites", kind: "Site" },
    versions: [{ name: "v1", served: true, storage: true, schema: { openAPIV3Schema: { type: "object" } } }],
  },
};

/** Options of a server whose webhooks answer after a number of failures. */
function failing(count: number): ApiServerOptions {
  let left = count;
  return {
    webhooks: ({ body }) => {
      if (left-- > 0) return Promise.reject(new Error("connection refused"));
      const { request } = body as { request: { uid: string } };
      const response = { uid: request.uid, allowed: true };
      return Promise.resolve({ apiVersion: "admission.k8s.io/v1", kind: "AdmissionReview", response });
    },
  };
}

describe("a first install", () => {
  it("applies what others need first, repeats what a webhook refuses, and reports each step", () =>
    withServer(async (client) => {
      const { outcomes, lines, clock } = await run(client, [site, webhooks, map("a"), definition]);
      expect(outcomes).toMatchObject([{ kind: "Site" }, { kind: webhooks.kind }, { kind: "ConfigMap" }, {}]);
      expect(lines).toEqual([
        "CustomResourceDefinition created 1/4",
        "ConfigMap created 2/4",
        "MutatingWebhookConfiguration created 3/4",
        `Site waiting for webhook "sites.example.com" 3/4`,
        "Site created 4/4",
      ]);
      // The delays grow.
      expect(clock.waited).toHaveLength(3);
      expect(clock.waited[2]).toBeGreaterThan(clock.waited[0]!);
    }, failing(3)));

  it("fails after dependencyTimeoutMs with an error that names what it waited for", () =>
    withServer(async (client) => {
      const { outcomes, clock } = await run(client, [definition, webhooks, site, map("a")], {
        dependencyTimeoutMs: 30_000,
      });
      const { message } = outcomes as ManifestsError;
      expect(message).toMatch(/^apply failed for 1 of 4 objects: .*connection refused/);
      expect(message).toMatch(/\(waited 30000 ms for webhook "sites\.example\.com"\)$/);
      expect(clock.now()).toBe(30_000);
    }, failing(Number.POSITIVE_INFINITY)));

  it("doesn't wait for a webhook that isn't among the manifests", () =>
    withServer(async (client) => {
      const { apiVersion: _, kind: __, ...configuration } = webhooks;
      await client.resource(MutatingWebhookConfiguration).create(configuration as never);
      const { outcomes, lines } = await run(client, [definition, site]);
      expect((outcomes as ManifestsError).outcomes).toMatchObject([{ outcome: "created" }, { outcome: "failed" }]);
      expect(lines.filter((line) => line.includes("webhook"))).toEqual([]);
    }, failing(Number.POSITIVE_INFINITY)));

  it.each([
    ["another kind", { kind: "Page" }],
    ["another version", { apiVersion: "example.com/v9" }],
  ])("fails at once for %s of a group than the definition among the manifests has", (_title, wrong) =>
    withServer(async (client) => {
      const { outcomes, lines } = await run(client, [definition, { ...site, ...wrong }]);
      expect((outcomes as ManifestsError).outcomes).toMatchObject([{ outcome: "created" }, { outcome: "failed" }]);
      expect(lines.filter((line) => line.includes("waiting"))).toEqual([]);
    }),
  );

  it("waits for a quota that was not counted yet", () =>
    withServer(async (client) => {
      const quota = {
        apiVersion: "v1",
        kind: "ResourceQuota",
        metadata: { name: "q" },
        spec: { hard: { configmaps: "9" } },
      };
      const { lines } = await run(client, [map("a"), quota], {
        onProgress: undefined,
        clock: {
          ...createHastyClock(),
          setTimer: (callback, delayMs) => {
            const status = { hard: { configmaps: "9" }, used: { configmaps: "0" } };
            const quotas = client.resource(ResourceQuota).namespace("web").subresource("status");
            void quotas.patch("q", { type: "merge", patch: { status } }).then(callback);
            return { cancel: () => void delayMs };
          },
        },
      });
      expect(lines).toEqual([]);
      expect(await client.resource(ConfigMap).namespace("web").getOptional("a")).toBeDefined();
    }));

  it("ends with the error that onProgress throws", () =>
    withServer(async (client) => {
      const { outcomes } = await run(client, [map("a"), map("b")], {
        onProgress: ({ done }) => {
          if (done === 1) throw new Error("enough");
        },
      });
      expect(outcomes).toEqual(new Error("enough"));
      expect(await client.resource(ConfigMap).namespace("web").getOptional("b")).toBeUndefined();
    }));
});
