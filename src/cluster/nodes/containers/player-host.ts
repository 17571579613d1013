import type { Clock } from "../../../internal/clock.js";
import type { Container, Pod } from "../../../kinds/core/v1.js";
import type { DeepReadonly } from "../../../meta/object.js";
import type { ImageScript, ProbeAttempt } from "./images.js";

/** Services of a pod for its containers. */
export interface PlayerHost {
  readonly clock: Clock;
  /** Name of the node. */
  readonly node: string;
  /** Images on the node. */
  readonly presentImages: Set<string>;
  /** Results of probes that were set from outside: the reason of a failure, or true. */
  readonly probes: ReadonlyMap<ProbeAttempt["type"], string | true>;
  /** Returns the current version of the pod. */
  pod(): DeepReadonly<Pod>;
  /** Returns the script of an image. */
  script(image: string): ImageScript;
  /** Returns the environment for the next run of a container; `undefined` if nothing uses it. */
  environment(container: DeepReadonly<Container>): Promise<Readonly<Record<string, string>>> | undefined;
  /** Returns the reason with which a container waits that isn't created yet. */
  defaultWaiting(): string;
  /** Returns an id for a new container. */
  newContainerId(container: DeepReadonly<Container>, restartCount: number): string;
  /** Records an event about a container. */
  event(container: DeepReadonly<Container>, type: "Normal" | "Warning", reason: string, note: string): void;
  /** Reports that a container has changed. */
  changed(): void;
}
