import type { Informer } from "../../cache/informer/informer.js";
import type { InformerFactory } from "../../cache/informer/informer-factory.js";
import type { Client } from "../../client/client.js";
import type { EventRecorder } from "../../controller/events/event-recorder.js";
import type { Log } from "../../controller/reconcile/controller-log.js";
import type { Clock } from "../../internal/clock.js";
import type { Kind } from "../../meta/kind.js";
import type { KubernetesObject } from "../../meta/object.js";
import type { CertificateSigner } from "./certificate-signer.js";

/** Services shared by the controllers, the scheduler and the nodes of a cluster. */
export interface ClusterContext {
  /** Client of the cluster's API server. */
  readonly client: Client;
  /** Certificate authority of the API server in PEM, for pods; empty if it has none. */
  readonly rootCa: string;
  /** Signs CertificateSigningRequests. */
  readonly signer: CertificateSigner;
  /** Shared informers. */
  readonly informers: InformerFactory;
  /** The cluster's clock. */
  readonly clock: Clock;
  /** The cluster's source of randomness: returns a number in [0, 1). */
  readonly random: () => number;
  /** Receives the log entries of the controllers. */
  readonly log: Log;
  /**
   * Returns the shared informer for all objects of a kind. It has the index `controller`, which holds the UID of each
   * object's controller owner, or `orphan/NAMESPACE` for an object without one.
   */
  cache<T extends KubernetesObject>(kind: Kind<T>): Informer<T>;
  /** Calls back after a number of turns of the event loop, for work that is better done for several changes at once. */
  afterTurns(turns: number, callback: () => void): void;
  /**
   * Waits until the cluster has nothing else to do, if its time is virtual. Work after the import of a module begins
   * then, so that its order doesn't depend on whether the module was loaded before.
   */
  idle(): Promise<void> | undefined;
  /** Returns the recorder of a component's events, such as `replicaset-controller`. `host` is the node that it's on. */
  recorder(component: string, host?: string): EventRecorder;
  /** Returns the recorder of a scheduler, which writes events of `events.k8s.io`. */
  schedulerEvents(scheduler: string): EventRecorder;
}
