import type { Clock } from "../../internal/clock.js";
import type { Pod } from "../../kinds/core/v1.js";
import type { DeepReadonly } from "../../meta/object.js";
import type { ContainerPlayer } from "./containers/container-player.js";
import { graceMsOf } from "./containers/grace-period.js";
import { isSidecar } from "./containers/restart-policy.js";

/** The end of a pod: when it is due, and in which order the containers stop. */
export class PodTermination {
  readonly #clock: Clock;
  readonly #containers: ReadonlyMap<string, ContainerPlayer>;
  #endsAtMs = Number.POSITIVE_INFINITY;

  constructor(clock: Clock, containers: ReadonlyMap<string, ContainerPlayer>) {
    this.#clock = clock;
    this.#containers = containers;
  }

  /** Time at which the last container ends; infinite for a pod that goes on. */
  get endsAtMs(): number {
    return this.#endsAtMs;
  }

  /** True once containers are being stopped. */
  get hasBegun(): boolean {
    return this.#endsAtMs !== Number.POSITIVE_INFINITY;
  }

  /** Stops all containers but sidecars, which end after them. Only an earlier end than the known one counts. */
  begin(graceMs: number): void {
    const endsAtMs = this.#clock.now() + graceMs;
    if (endsAtMs >= this.#endsAtMs) return;
    this.#endsAtMs = endsAtMs;
    for (const container of this.#containers.values()) {
      const isLast = isSidecar(container.container) && container.view.is === "running";
      if (!isLast || graceMs === 0) this.#stop(container, graceMs);
    }
  }

  /** Stops what still runs when the main containers have ended: ephemeral containers, then the sidecars, the last first. */
  stopOthers(pod: DeepReadonly<Pod>): void {
    const graceMs = this.hasBegun ? Math.max(0, this.#endsAtMs - this.#clock.now()) : graceMsOf(pod);
    const up = [...this.#containers.values()].filter(({ view: { is } }) => is === "running" || is === "starting");
    const ephemeral = new Set(pod.spec?.ephemeralContainers?.map(({ name }) => name));
    for (const each of up) if (ephemeral.has(each.container.name)) this.#stop(each, graceMs);
    if (up.some(({ container }) => !isSidecar(container))) return;
    if (up.length > 0) this.#stop(up.at(-1)!, graceMs);
  }

  #stop(container: ContainerPlayer, graceMs: number): void {
    container.stop(`Stopping container ${container.container.name}`, graceMs);
  }
}
