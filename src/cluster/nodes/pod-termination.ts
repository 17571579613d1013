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

  /** Stops all containers. Only an earlier end than the known one counts. */
  begin(graceMs: number): void {
    const endsAtMs = this.#clock.now() + graceMs;
    if (endsAtMs >= this.#endsAtMs) return;
    this.#endsAtMs = endsAtMs;
    for (const container of this.#containers.values()) stop(container, graceMs);
  }

  /**
   * Stops what still runs when the main containers have ended. The hooks of all sidecars run together, but a sidecar gets
   * its signal only when the main containers and the sidecars after it have ended.
   */
  stopOthers({ spec }: DeepReadonly<Pod>): void {
    const graceMs = this.hasBegun ? Math.max(0, this.#endsAtMs - this.#clock.now()) : graceMsOf({ spec });
    const players = [...this.#containers.values()];
    for (const player of players) if (isUp(player) && !player.stopping) stop(player, graceMs);
    const mains = new Set(spec?.containers.map(({ name }) => name));
    const ordered = players.filter(({ container }) => isSidecar(container) || mains.has(container.name));
    ordered.findLast(isUp)?.release();
  }
}

function isUp({ view: { is } }: ContainerPlayer): boolean {
  return is === "running" || is === "starting";
}

function stop(player: ContainerPlayer, graceMs: number): void {
  const { container, view } = player;
  const waits = isSidecar(container) && view.is === "running" && graceMs > 0;
  player.stop(`Stopping container ${container.name}`, graceMs, waits);
}
