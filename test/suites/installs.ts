import { afterAll, beforeAll, describe, expect, it } from "vitest";
import type { Client } from "../../src/client/client.js";
import type { ManifestOutcome } from "../../src/errors/manifests-error.js";
import type { Clock } from "../../src/internal/clock.js";
import { systemClock } from "../../src/internal/clock.js";
import { ResourceQuota } from "../../src/kinds/core/v1.js";
import type { ManifestProgress } from "../../src/manifests/each-manifest.js";
import { applyManifests, deleteManifests } from "../../src/manifests/manifests.js";
import type { KubernetesObject } from "../../src/meta/object.js";
import { admissionWebhook, conversionWebhook } from "../../src/webhook/serve.js";
import { createRandom } from "../simulation/random.js";
import { type InstallStyle, installSet, installStyles } from "../support/install-sets.js";
import { clientOf, freshNamespace } from "./clients.js";
import type { Target } from "./target.js";
import { type Hook, serve } from "./webhooks.js";

/** Waits a twentieth of the time between attempts. */
const fastClock: Clock = {
  ...systemClock,
  setTimer: (callback, delayMs) => systemClock.setTimer(callback, delayMs / 20),
};

/** Installs programs on an empty cluster: definitions, webhooks and what depends on them, in any order. */
export function installsSuite(target: Target, styles: readonly InstallStyle[] = installStyles): void {
  describe("a first install", () => {
    let client: Client;
    let hook: Hook;
    /** Calls that the webhooks refuse before they are ready. */
    let refusals = 0;
    beforeAll(async () => {
      client = await clientOf(target);
      // Opens the connection that all tests share.
      await freshNamespace(client);
      const admit = admissionWebhook(() => undefined);
      const convert = conversionWebhook((object, desiredApiVersion) => ({
        ...object,
        apiVersion: desiredApiVersion,
      }));
      hook = await serve(async (request) => {
        if (refusals-- > 0) return new Response("starting", { status: 503 });
        const { kind } = (await request.clone().json()) as { kind: string };
        return kind === "ConversionReview" ? convert(request) : admit(request);
      });
    });
    afterAll(async () => {
      await hook.close();
      await client.close();
    });

    it.each(styles.map((style, index) => ({ style, index, program: style.name })))(
      "of a program like $program succeeds in one call, in any order, also when interrupted",
      async ({ style, index }) => {
        const random = createRandom(index + 1, "install");
        const id = `i${index}-${process.pid.toString(36)}-${Date.now().toString(36)}`;
        const objects = installSet(style, { id, clientConfig: hook.clientConfig });
        for (let at = objects.length - 1; at > 0; at--) {
          const other = random.int(at + 1);
          [objects[at], objects[other]] = [objects[other]!, objects[at]!];
        }
        const stop = random.int(objects.length);
        refusals = 2;
        await expect(install(objects, stop)).rejects.toThrow("stopped");
        refusals = 2;
        const { outcomes, progress } = await install(objects);
        expect(outcomes.filter((each) => each.outcome !== "created" && !wasApplied(each))).toEqual([]);
        expect(outcomes.filter(wasApplied).length).toBeGreaterThanOrEqual(stop);
        expect(progress.at(-1)).toMatchObject({ done: objects.length, total: objects.length });
        const again = await install(objects);
        expect(again.outcomes.filter((each) => !wasApplied(each))).toEqual([]);
        await deleteManifests(client, objects);
      },
    );

    /** Applies the objects, and stops after a number of them. */
    async function install(objects: readonly KubernetesObject[], stopAfter?: number) {
      const progress: ManifestProgress[] = [];
      const stop = new AbortController();
      const outcomes = await applyManifests(client, objects, {
        fieldManager: "installer",
        clock: fastClock,
        signal: stop.signal,
        onProgress(each) {
          progress.push(each);
          if (each.waitsFor?.includes("ResourceQuota")) void countQuota(client, objects);
          if (stopAfter !== undefined && each.done >= stopAfter) stop.abort(new Error("stopped"));
        },
      });
      return { outcomes, progress };
    }
  });
}

/**
 * Another apply of these kinds may store them again: with defaults that kube-apiserver leaves out at creation, or, of a
 * policy, with a later time of the installer, whose entry is then sorted behind that of the controller of the status.
 */
const storedTwice = new Set(["Namespace", "Job", "PersistentVolumeClaim", "ValidatingAdmissionPolicy"]);

/** True for the outcome of an object that was applied before. */
function wasApplied({ kind, outcome }: ManifestOutcome): boolean {
  return outcome === "unchanged" || (outcome === "applied" && storedTwice.has(kind));
}

/** Does the work of the quota controller, which isn't there. */
async function countQuota(client: Client, objects: readonly KubernetesObject[]): Promise<void> {
  for (const { kind, metadata } of objects) {
    if (kind !== "ResourceQuota") continue;
    const quotas = client.resource(ResourceQuota).namespace(metadata!.namespace!);
    const status = { hard: { configmaps: "100" }, used: { configmaps: "0" } };
    await quotas.subresource("status").patch(metadata!.name!, { type: "merge", patch: { status } });
  }
}
