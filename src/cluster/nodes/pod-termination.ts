import type { Clock } from "../../internal/clock.js";
import type { Container, Pod, PodSpec } from "../../kinds/core/v1.js";
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
  begin({ spec }: DeepReadonly<Pod>, graceMs: number): void {
    const endsAtMs = this.#clock.now() + graceMs;
    if (endsAtMs >= this.#endsAtMs) return;
    this.#endsAtMs = endsAtMs;
    this.#stop([...this.#containers.values()], spec!, graceMs);
  }

  /**
   * Stops what still runs when the main containers have ended. The hooks of all sidecars run together, but a sidecar gets
   * its signal only when the main containers and the sidecars after it have ended.
   */
  stopOthers({ spec }: DeepReadonly<Pod>): void {
    const graceMs = this.hasBegun ? Math.max(0, this.#endsAtMs - this.#clock.now()) : graceMsOf({ spec });
    const running = [...this.#containers.values()].filter((player) => isUp(player) && !player.stopping);
    this.#stop(running, spec!, graceMs);
    const { containers } = spec!;
    const ordered = [...sidecarsOf(spec!), ...containers].flatMap(({ name }) => this.#containers.get(name) ?? []);
    ordered.findLast(isUp)?.release();
  }

  #stop(players: readonly ContainerPlayer[], spec: DeepReadonly<PodSpec>, graceMs: number): void {
    const sidecars = new Set(sidecarsOf(spec).map(({ name }) => name));
    for (const player of players) {
      const { name } = player.container;
      const waits = sidecars.has(name) && player.view.is === "running" && graceMs > 0;
      player.stop(`Stopping container ${name}`, graceMs, waits);
    }
  }
}

function isUp({ view: { is } }: ContainerPlayer): boolean {
  return is === "running" || is === "starting";
}

function sidecarsOf({ initContainers = [] }: DeepReadonly<PodSpec>): DeepReadonly<Container>[] {
  return initContainers.filter(isSidecar);
}
