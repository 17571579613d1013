import type { Timer } from "../../../internal/clock.js";
import { mayRestartAll } from "../../controllers/shared/pods.js";
import { removedState, type SavedContainer } from "./container-phase.js";
import { ContainerPlayer, noticeMs } from "./container-player.js";
import type { PlayerHost } from "./player-host.js";
import { restartsAll } from "./restart-policy.js";

/**
 * Restarts all containers of a pod in place when one of them ends with an exit code for which its rules say so.
 * @see https://kubernetes.io/docs/concepts/workloads/pods/pod-lifecycle/#restart-all-containers
 */
export class AllContainersRestart {
  readonly #host: PlayerHost;
  readonly #containers: Map<string, ContainerPlayer>;
  #timer: Timer | undefined;

  constructor(host: PlayerHost, containers: Map<string, ContainerPlayer>) {
    this.#host = host;
    this.#containers = containers;
  }

  /** True from the end of a container that restarts all until they are removed. */
  get inProgress(): boolean {
    return this.#timer !== undefined;
  }

  /** Begins a restart if a container has ended with such an exit code. Returns true while a restart is in progress. */
  check(): boolean {
    if (this.inProgress || !mayRestartAll(this.#host.pod().spec!)) return this.inProgress;
    if (![...this.#containers.values()].some(isSource)) return false;
    this.#timer = this.#host.clock.setTimer(() => {
      this.#removeAll();
      this.#timer = undefined;
      this.#host.changed();
    }, noticeMs);
    return true;
  }

  /** Ends a restart in progress, because the pod ends. */
  cancel(): void {
    this.#timer?.cancel();
    this.#timer = undefined;
  }

  /** Kills and removes the containers. Those whose end was the reason go last. */
  #removeAll(): void {
    const { initContainers = [], containers } = this.#host.pod().spec!;
    const players = [...containers, ...initContainers].flatMap(({ name }) => this.#containers.get(name) ?? []);
    for (const player of [...players.filter((each) => !isSource(each)), ...players.filter(isSource)]) {
      const saved = player.save();
      if (saved.phase.is === "running") {
        this.#host.event(player.container, "Normal", "Killing", "killing");
        player.end({ exitCode: 137 });
      }
      player.discard();
      const next = new ContainerPlayer(this.#host, player.container);
      next.resume(withoutContainer(saved));
      this.#containers.set(player.container.name, next);
    }
  }
}

/** Returns true for a container whose end restarts all. */
function isSource({ container, view }: ContainerPlayer): boolean {
  return view.is === "exited" && restartsAll(container, view.exitCode);
}

/** Returns the state of a container after its removal. One that waits to be restarted isn't counted twice. */
function withoutContainer(saved: SavedContainer): SavedContainer {
  const { phase, last, restartCount } = saved;
  const common = { ...saved, ready: false, started: false, restarting: false, id: "" };
  if (phase.is === "new") return saved;
  if (phase.is === "starting" || (phase.is === "exited" && phase.waiting !== undefined))
    return { ...common, phase: { is: "new" }, last: phase.is === "exited" ? phase.terminated : last };
  const { reason, message } = removedState;
  const waiting = { reason: reason!, message: message! };
  return { ...common, phase: { is: "new", waiting }, last: { ...removedState }, restartCount: restartCount + 1 };
}
