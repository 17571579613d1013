// Steps of random histories that change single pods, chosen alike on every cluster.
import { isNotFound } from "../../../../src/errors/predicates.js";
import { Pod } from "../../../../src/kinds/core/v1.js";
import type { Eviction } from "../../../../src/kinds/policy/v1.js";
import { act, type ScenarioStep, type Stage } from "../scenario.js";

/** Returns the live pods with a label `app`: by phase, image, readiness and age. Equal pods come by their names. */
async function livePods({ client, namespace }: Stage, app: string): Promise<Pod[]> {
  const { items } = await client
    .resource(Pod)
    .namespace(namespace)
    .list({ labelSelector: `app=${app}` });
  const rank = ({ metadata, spec, status }: Pod): string => {
    const isReady = status?.conditions?.find(({ type }) => type === "Ready")?.status ?? "False";
    return [status?.phase, spec?.containers[0]?.image, isReady, metadata?.creationTimestamp, metadata?.name].join(" ");
  };
  return items
    .filter(({ metadata }) => metadata?.deletionTimestamp === undefined)
    .sort((a, b) => (rank(a) < rank(b) ? -1 : 1));
}

const onPod = (
  what: string,
  app: string,
  run: (stage: Stage, name: string, pod: Pod) => Promise<unknown>,
): ScenarioStep =>
  act(`${what} a pod of ${app}`, async (stage) => {
    const [pod] = await livePods(stage, app);
    if (pod !== undefined)
      await run(stage, pod.metadata!.name!, pod).catch((error: unknown) => {
        if (!isNotFound(error)) throw error;
      });
  });

const podsOf = ({ client, namespace }: Stage) => client.resource(Pod).namespace(namespace);

/** Deletes a pod. */
export const deletePod = (app: string, gracePeriodSeconds: number): ScenarioStep =>
  onPod(gracePeriodSeconds === 0 ? "kill" : "delete", app, (stage, name) =>
    podsOf(stage).delete(name, { gracePeriodSeconds }),
  );

/** Evicts a pod, unless a budget forbids it. */
export const evictPod = (app: string): ScenarioStep =>
  onPod("evict", app, (stage, name) =>
    podsOf(stage)
      .subresource("eviction")
      .create(name, { metadata: { name } } as Eviction),
  );

/** Lets a running pod fail, as if its node lacked memory. */
export const failPod = (app: string): ScenarioStep =>
  onPod("fail", app, async ({ cluster, namespace }, name, { status }) => {
    if (status?.phase === "Running") await cluster.pods({ namespace, name }).evict();
  });

/** Ends the containers of all running pods of a workload. */
export const crashPods = (app: string, exitCode: number): ScenarioStep =>
  act(`end the containers of ${app} with ${String(exitCode)}`, async (stage) => {
    for (const { metadata, status } of await livePods(stage, app)) {
      if (status?.phase === "Running")
        await stage.cluster.pods({ namespace: stage.namespace, name: metadata!.name! }).crash({ exitCode });
    }
  });

/** Lets the readiness probes of all running pods of a workload fail or pass. */
export const probePods = (app: string, passes: boolean): ScenarioStep =>
  act(`let probes of ${app} ${passes ? "pass" : "fail"}`, async (stage) => {
    for (const { metadata, status } of await livePods(stage, app)) {
      if (status?.phase !== "Running") continue;
      const handle = stage.cluster.pods({ namespace: stage.namespace, name: metadata!.name! });
      await (passes ? handle.passProbe("readiness") : handle.failProbe("readiness"));
    }
  });

/** Gives a pod another value of the label `app`. */
export const relabelPod = (app: string, to: string): ScenarioStep =>
  onPod(`relabel to ${to}`, app, (stage, name) =>
    podsOf(stage).patch(name, { type: "merge", patch: { metadata: { labels: { app: to } } } }),
  );

/** Removes the owners of a pod. */
export const disownPod = (app: string): ScenarioStep =>
  onPod("disown", app, (stage, name) =>
    podsOf(stage).patch(name, { type: "merge", patch: { metadata: { ownerReferences: null } } }),
  );

/** Adds a finalizer to a pod and deletes it. */
export const holdPod = (app: string): ScenarioStep =>
  onPod("hold and delete", app, async (stage, name) => {
    const pods = podsOf(stage);
    await pods.patch(name, { type: "merge", patch: { metadata: { finalizers: ["example.com/hold"] } } });
    await pods.delete(name, { gracePeriodSeconds: 1 });
  });

/** Removes the finalizers that `holdPod` added. */
export const releasePods = (): ScenarioStep =>
  act("release held pods", async (stage) => {
    const { items } = await podsOf(stage).list();
    for (const { metadata } of items)
      if (metadata?.finalizers?.includes("example.com/hold") === true)
        await podsOf(stage).patch(metadata.name!, {
          type: "merge",
          patch: { metadata: { finalizers: metadata.finalizers.filter((each) => each !== "example.com/hold") } },
        });
  });
