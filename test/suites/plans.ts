import { describe, expect, it } from "vitest";
import type { Client } from "../../src/client/client.js";
import { type ManifestOutcome, ManifestsError } from "../../src/errors/manifests-error.js";
import { deepEqual } from "../../src/internal/deep-equal.js";
import { ResourceQuota } from "../../src/kinds/core/v1.js";
import { applySet } from "../../src/manifests/apply-set.js";
import { applyManifests, deleteManifests } from "../../src/manifests/manifests.js";
import type { ManifestPlan, PlannedManifest } from "../../src/manifests/plan.js";
import { planManifests } from "../../src/manifests/plan-manifests.js";
import { refusalOf } from "../../src/manifests/refusal.js";
import type { KubernetesObject } from "../../src/meta/object.js";
import { createRandom, type Random } from "../simulation/random.js";
import { type Target, withNamespace } from "./target.js";

/** Compares plans of random manifest sets with what applying them does. `from` and `count` select the seeds. */
export function plansSuite(target: Target, { from, count }: { from: number; count: number }): void {
  describe("plans", () => {
    it(`equal the outcomes of the apply field by field (seeds ${from} to ${from + count - 1})`, () =>
      withNamespace(target, async (client, namespace) => {
        const quotas = client.resource(ResourceQuota).namespace(namespace);
        await quotas.create({ metadata: { name: "no-balancers" }, spec: { hard: { "services.loadbalancers": "0" } } });
        // No controller counts here, so the test does.
        const none = { hard: { "services.loadbalancers": "0" }, used: { "services.loadbalancers": "0" } };
        await quotas.subresource("status").patch("no-balancers", { type: "merge", patch: { status: none } });
        for (let seed = from; seed < from + count; seed++)
          expect(await comparePlan(client, namespace, seed), `seed ${seed}`).toEqual([]);
      }));
  });
}

/** Returns the differences between a plan and its outcome. */
async function comparePlan(client: Client, namespace: string, seed: number): Promise<string[]> {
  const random = createRandom(seed, "plan");
  const parent = { name: `set-${seed}`, namespace };
  const pool = Array.from({ length: 2 + random.int(5) }, (_, index) => ({
    make: random.pick(makers),
    name: `o${seed}-${index}`,
  }));
  const draw = (): KubernetesObject[] =>
    pool.filter(() => random.chance(0.8)).map(({ make, name }) => make(name, random) as KubernetesObject);
  const asSet = random.chance(0.3);
  // Failures leave some objects of the first state out.
  const before = draw();
  const manager = random.pick(["deployer", "deployer", "other"]);
  const first = { namespace, fieldManager: manager, force: true };
  await settled(asSet ? applySet(client, before, { ...first, parent }) : applyManifests(client, before, first));

  const after = draw();
  const how = { namespace, fieldManager: "deployer", force: random.chance(0.2) };
  const plan = await planManifests(client, after, { ...how, ...(asSet && { applySet: { parent } }) });
  const outcomes = await settled(
    asSet ? applySet(client, after, { ...how, parent }) : applyManifests(client, after, how),
  );
  const differences = differencesOf(plan, outcomes);
  await deleteManifests(client, [...before, ...after], { namespace }).catch(() => undefined);
  return differences;
}

async function settled(outcomes: Promise<ManifestOutcome[]>): Promise<readonly ManifestOutcome[]> {
  try {
    return await outcomes;
  } catch (error) {
    if (error instanceof ManifestsError) return error.outcomes;
    throw error;
  }
}

function differencesOf(plan: ManifestPlan, outcomes: readonly ManifestOutcome[]): string[] {
  const refused = plan.items.some(({ action }) => action === "refuse");
  const left = new Map(outcomes.map((outcome) => [keyOf(outcome), outcome]));
  const found: string[] = [];
  for (const item of plan.items) {
    const key = keyOf(item);
    const outcome = left.get(key);
    left.delete(key);
    // Nothing is pruned after a failure.
    if (item.action === "prune" && refused) continue;
    const expected = verbs[item.action];
    if (outcome?.outcome !== expected) {
      found.push(`${key}: planned ${item.action}, got ${outcome?.outcome}: ${String(outcome?.error)}`);
    } else if (item.action === "refuse") {
      const { reason, code } = refusalOf(outcome.error);
      // An error without a code comes from the client, which has no reasons.
      if (code !== item.refusal?.code || (code !== undefined && reason !== item.refusal?.reason))
        found.push(`${key}: planned ${item.refusal?.reason} ${item.refusal?.code}, got ${reason} ${code}`);
    } else if (item.object !== undefined && !deepEqual(stable(item.object), stable(outcome.object!))) {
      found.push(`${key}: ${JSON.stringify(stable(item.object))} is not ${JSON.stringify(stable(outcome.object!))}`);
    }
  }
  for (const key of left.keys()) found.push(`${key}: not planned`);
  return found;
}

const verbs = {
  create: "created",
  change: "applied",
  unchanged: "unchanged",
  later: "created",
  prune: "pruned",
  refuse: "failed",
} as const;

function keyOf({ kind, name }: Pick<PlannedManifest, "kind" | "name">): string {
  return `${kind}/${name}`;
}

/** Removes what the server generates or what another process sets. */
function stable(object: object): object {
  const { metadata, status: _, spec, data, ...rest } = structuredClone(object) as Record<string, object>;
  const volatile = ["uid", "creationTimestamp", "resourceVersion", "managedFields", "generation"];
  const kept = Object.entries(metadata!).filter(([name]) => !volatile.includes(name));
  const generated = ["clusterIP", "clusterIPs", "ipFamilies"];
  return {
    ...rest,
    metadata: Object.fromEntries(kept),
    ...(spec && { spec: Object.fromEntries(Object.entries(spec).filter(([name]) => !generated.includes(name))) }),
    // Plans don't show the values of Secrets.
    ...(data && { data: rest["kind"] === ("Secret" as unknown) ? Object.keys(data) : data }),
  };
}

type Maker = (name: string, random: Random) => object;

const letters = ["a", "b", "c"] as const;

/** Makes a map with some of the keys. */
function someOf(random: Random, value: () => string): Record<string, string> {
  return Object.fromEntries(letters.filter(() => random.chance(0.6)).map((key) => [key, value()]));
}

const makers: readonly Maker[] = [
  (name, random) => ({
    apiVersion: "v1",
    kind: "ConfigMap",
    metadata: { name, labels: someOf(random, () => random.pick(letters)) },
    data: someOf(random, () => random.pick(letters)),
    ...(random.chance(0.1) && { immutable: true }),
  }),
  (name, random) => ({
    apiVersion: "v1",
    kind: "Secret",
    metadata: { name },
    stringData: someOf(random, () => random.pick(letters)),
  }),
  (name, random) => ({
    apiVersion: "v1",
    kind: "Service",
    metadata: { name },
    spec: {
      selector: { app: random.pick(letters) },
      type: random.pick(["ClusterIP", "ClusterIP", "LoadBalancer"]),
      ports: letters
        .filter((_, index) => index === 0 || random.chance(0.5))
        .map((port, index) => ({
          name: port,
          port: random.chance(0.05) ? 70_000 : 80 + index,
        })),
    },
  }),
  (name, random) => {
    const labels = { app: random.chance(0.15) ? "other" : "shop" };
    const containers = letters
      .filter((_, index) => index === 0 || random.chance(0.4))
      .map((container) => ({
        name: container,
        image: `shop:${random.int(3)}`,
        ...(random.chance(0.5) && { env: [{ name: "A", value: random.pick(letters) }] }),
        ...(random.chance(0.3) && { resources: { limits: { cpu: random.pick(["1", "500m"]) } } }),
      }));
    return {
      apiVersion: "apps/v1",
      kind: "Deployment",
      metadata: { name },
      spec: {
        ...(random.chance(0.6) && { replicas: random.int(3) }),
        selector: { matchLabels: labels },
        template: { metadata: { labels }, spec: { containers } },
      },
    };
  },
  (name, random) => ({
    apiVersion: random.chance(0.5) ? "example.org/v1" : "v1",
    kind: "Unknown",
    metadata: { name },
  }),
  (name, random) => ({
    apiVersion: "v1",
    kind: "ConfigMap",
    metadata: { name, ...(random.chance(0.5) && { namespace: "missing-namespace" }) },
    data: { a: "1" },
  }),
];
