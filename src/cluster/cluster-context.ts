import type { Informer } from "../cache/informer/informer.js";
import { createInformerFactory } from "../cache/informer/informer-factory.js";
import type { ReflectorOptions } from "../cache/reflector/reflector-config.js";
import type { Client } from "../client/client.js";
import { createEventRecorder } from "../controller/events/create-event-recorder.js";
import type { EventRecorder } from "../controller/events/event-recorder.js";
import type { Log } from "../controller/reconcile/controller-log.js";
import type { Clock } from "../internal/clock.js";
import { Event } from "../kinds/events/v1.js";
import type { Kind } from "../meta/kind.js";
import type { KubernetesObject } from "../meta/object.js";
import { getControllerOwner } from "../objects/owner-references.js";
import type { CertificateSigner } from "./controllers/certificate-signer.js";
import type { ClusterContext } from "./controllers/context.js";
import { createCoreRecorder, createEventOutbox } from "./core-recorder.js";

/** Options for `createContext`. */
export interface ContextOptions {
  readonly client: Client;
  readonly clock: Clock;
  readonly random: () => number;
  readonly log: Log;
  readonly rootCa: string;
  readonly signer: CertificateSigner;
  readonly afterTurns: ClusterContext["afterTurns"];
  readonly idle: ClusterContext["idle"];
  /** Options for the informers. Default: those for a server across a network. */
  readonly watches?: Pick<ReflectorOptions, "initialList" | "bookmarks" | "watchTimeoutSeconds"> | undefined;
}

/** Creates the services that the parts of a cluster share. `end` closes them, but not the client. */
export function createContext(options: ContextOptions): ClusterContext & { end(): Promise<void> } {
  const { client, clock, random, log } = options;
  const informers = createInformerFactory({ clock, random, ...options.watches });
  const caches = new Map<string, Informer<KubernetesObject>>();
  const recorders = new Map<string, EventRecorder>();
  const outbox = createEventOutbox();
  return {
    ...options,
    informers,
    cache<T extends KubernetesObject>(kind: Kind<T>): Informer<T> {
      const key = `${kind.group}/${kind.version}/${kind.plural}`;
      let informer = caches.get(key);
      if (informer === undefined) {
        informer = informers.informer<KubernetesObject>(client.resource(kind));
        informer.store.addIndex("controller", (object) => [
          getControllerOwner(object)?.uid ?? `orphan/${object.metadata?.namespace ?? ""}`,
        ]);
        informer.start();
        caches.set(key, informer);
      }
      return informer as unknown as Informer<T>;
    },
    recorder(component, host = "") {
      const key = `${component}/${host}`;
      let recorder = recorders.get(key);
      if (recorder === undefined) {
        recorder = createCoreRecorder({ client, component, host, clock, random, log, outbox });
        recorders.set(key, recorder);
      }
      return recorder;
    },
    schedulerEvents(scheduler) {
      let recorder = recorders.get(scheduler);
      if (recorder === undefined) {
        // A rollout of many pods must not lose events, which a test may wait for.
        recorder = createEventRecorder({
          events: client.resource(Event),
          controller: scheduler,
          instance: scheduler,
          clock,
          random,
          log,
          maxPending: 100_000,
          // A pod that stays pending for another reason shows it.
          seriesPerVersion: true,
        });
        recorders.set(scheduler, recorder);
      }
      return recorder;
    },
    async end() {
      await Promise.all([...recorders.values()].map((recorder) => recorder.close()));
      await informers.close();
    },
  };
}
