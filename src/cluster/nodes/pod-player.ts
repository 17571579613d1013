import type { Clock, Timer } from "../../internal/clock.js";
import type { Container, Pod, PodStatus } from "../../kinds/core/v1.js";
import type { DeepReadonly } from "../../meta/object.js";
import { parseTime } from "../../meta/time.js";
import { isFinished } from "../controllers/shared/pods.js";
import { amountOf, type Resources } from "../scheduler/snapshot/pod-resources.js";
import { AllContainersRestart } from "./containers/all-containers-restart.js";
import type { Ending } from "./containers/container-phase.js";
import { ContainerPlayer } from "./containers/container-player.js";
import { readsEnvironment } from "./containers/default-process.js";
import { endedContainers } from "./containers/ended-containers.js";
import { readEnvironment, refersToObjects } from "./containers/environment.js";
import { graceMsOf } from "./containers/grace-period.js";
import { type ContainerUsage, defaultUsage, type ImageScript, type ProbeAttempt } from "./containers/images.js";
import type { PlayerHost } from "./containers/player-host.js";
import { planPod } from "./containers/pod-plan.js";
import { isInit } from "./containers/restart-policy.js";
import { PodAddress } from "./pod-address.js";
import type { PodHost, Reason, SavedPod } from "./pod-host.js";
import { PodMounts } from "./pod-mounts.js";
import { PodResources } from "./pod-resources.js";
import { podStatus, rejectedStatus } from "./pod-status.js";
import { PodTermination } from "./pod-termination.js";
import { reportMissingPullSecrets } from "./pull-secrets.js";

const noProbes: ReadonlyMap<ProbeAttempt["type"], string | true> = new Map();

/** Plays a pod on a node. */
export class PodPlayer implements PlayerHost {
  readonly clock: Clock;
  readonly node: string;
  readonly presentImages: Set<string>;
  probes: ReadonlyMap<ProbeAttempt["type"], string | true> = noProbes;
  readonly containers: Map<string, ContainerPlayer> = new Map();
  readonly script: (image: string) => ImageScript;
  readonly #host: PodHost;
  readonly #startedMs: number;
  readonly #mounts: PodMounts;
  readonly #address: PodAddress;
  readonly #resources: PodResources;
  readonly #termination: PodTermination;
  readonly #restart: AllContainersRestart = new AllContainersRestart(this, this.containers);
  #pod: DeepReadonly<Pod>;
  #rejection: Reason | undefined;
  #failure: Reason | undefined;
  #disruption: Reason | undefined;
  #finished = false;
  #deadline: Timer | undefined;
  #syncing = false;
  #again = false;
  #usage: ContainerUsage | undefined;
  #discarded = false;

  constructor(host: PodHost, pod: DeepReadonly<Pod>, saved?: SavedPod) {
    this.#host = host;
    this.#pod = pod;
    this.clock = host.clock;
    this.#termination = new PodTermination(host.clock, this.containers);
    this.node = host.node;
    this.presentImages = host.presentImages;
    this.script = host.script;
    this.#startedMs = saved?.startedMs ?? parseTime(pod.status?.startTime)?.getTime() ?? host.clock.now();
    const ip = saved === undefined ? pod.status?.podIP : saved.podIp;
    this.#address = new PodAddress(host, ip, () => this.changed());
    this.#mounts = new PodMounts(host, { get: () => this.#pod, changed: () => this.changed() }, saved?.mounted);
    const restart = (name: string, message: string): void =>
      this.containers.get(name)?.replace(message, graceMsOf(this.#pod));
    const memory = (name: string): number | undefined => this.#memory(name);
    this.#resources = new PodResources(host, { restart, memory, changed: () => this.changed() }, pod, saved?.resources);
    if (saved === undefined) this.#restore();
    else this.#resume(saved);
  }

  /** Returns the state for a snapshot. */
  save(): SavedPod {
    return {
      pod: this.#pod,
      startedMs: this.#startedMs,
      podIp: this.#address.ip,
      mounted: this.#mounts.mounted,
      rejection: this.#rejection,
      failure: this.#failure,
      disruption: this.#disruption,
      finished: this.#finished,
      endsAtMs: this.#termination.endsAtMs,
      probes: this.probes,
      usage: this.#usage,
      containers: [...this.containers.values()].map((container) => container.save()),
      resources: this.#resources.save(),
    };
  }

  get uid(): string {
    return this.#pod.metadata!.uid!;
  }

  /** True if no container runs or will run. */
  get ended(): boolean {
    if (!this.#finished && !this.#termination.hasBegun) return false;
    return [...this.containers.values()].every(({ view: { is } }) => is === "exited" || is === "new");
  }

  /** Takes over a new version of the pod. */
  update(pod: DeepReadonly<Pod>): void {
    this.#pod = pod;
    const rejection = this.#finished ? undefined : this.#resources.update(pod);
    if (rejection !== undefined) [this.#rejection, this.#finished] = [rejection, true];
    const { deletionTimestamp, deletionGracePeriodSeconds = 30 } = pod.metadata!;
    if (deletionTimestamp != null) {
      const requestedMs = Date.parse(deletionTimestamp) - deletionGracePeriodSeconds * 1_000;
      const since = Math.min(this.clock.now(), Math.max(requestedMs, this.#startedMs));
      this.#terminate(Math.max(0, since + deletionGracePeriodSeconds * 1_000 - this.clock.now()));
    }
    // A final phase ends the pod, also one that another client wrote.
    if (isFinished(pod) && !this.#finished) this.#terminate(graceMsOf(this.#pod));
    const limit = pod.spec?.activeDeadlineSeconds;
    this.#deadline?.cancel();
    this.#deadline = undefined;
    if (limit !== undefined && !this.#finished && this.#failure === undefined) {
      const message = "Pod was active on the node longer than the specified deadline";
      const expire = (): void => {
        this.#host.event(this.#pod, { type: "Normal", reason: "DeadlineExceeded", note: message });
        this.#fail("DeadlineExceeded", message, graceMsOf(this.#pod));
      };
      this.#deadline = this.clock.setTimer(expire, Math.max(1, this.#startedMs + limit * 1_000 - this.clock.now()));
    }
    if (!this.#finished && !this.#termination.hasBegun)
      for (const container of [...(pod.spec?.initContainers ?? []), ...(pod.spec?.containers ?? [])])
        this.containers.get(container.name)?.update(container, graceMsOf(this.#pod));
    this.sync();
  }

  /** Takes over a version of the pod that leaves nothing to do. Any other needs `update`. */
  acknowledge(pod: DeepReadonly<Pod>): void {
    this.#pod = pod;
    this.#resources.update(pod);
  }

  /** Starts and stops containers until nothing is left to do before something changes. */
  sync(): void {
    if (this.#syncing) {
      this.#again = true;
      return;
    }
    this.#syncing = true;
    try {
      do {
        this.#again = false;
        if (!this.#discarded) this.#step();
      } while (this.#again);
    } finally {
      this.#syncing = false;
    }
  }

  /** Ends the pod for lack of resources on the node. */
  evict(message: string): void {
    this.#host.event(this.#pod, { type: "Warning", reason: "Evicted", note: message });
    this.#disruption = { reason: "TerminationByKubelet", message };
    this.#fail("Evicted", message, 0);
  }

  /** Ends the pod for a reason of the node. */
  #fail(reason: string, message: string, graceMs: number): void {
    if (this.ended || this.#failure !== undefined) return;
    this.#failure = { reason, message };
    this.#terminate(graceMs);
    this.sync();
    this.#host.changed(this.#pod);
  }

  /** Ends running containers as if their processes had ended. Returns the number of containers. */
  crash(ending: Ending, container?: string): number {
    const running = [...this.containers.values()].filter(
      (each) => each.view.is === "running" && (container === undefined || each.container.name === container),
    );
    for (const each of running) each.end(ending);
    return running.length;
  }

  /** Sets or clears the result of a kind of probe. */
  setProbe(type: ProbeAttempt["type"], result: string | true | undefined): void {
    const probes = new Map(this.probes);
    if (result === undefined) probes.delete(type);
    else probes.set(type, result);
    this.probes = probes;
    for (const container of this.containers.values()) container.probesChanged();
  }

  /** Sets what each container uses, or leaves it to the images' scripts again. */
  setUsage(usage: ContainerUsage | undefined): void {
    this.#usage = usage;
  }

  /** Returns what the running containers use. */
  usage(): { name: string; usage: ContainerUsage }[] {
    return [...this.containers.values()].flatMap(({ container, runningMs }) => {
      if (runningMs === undefined) return [];
      const { usage = defaultUsage } = this.script(container.image ?? "");
      const scripted = typeof usage === "function" ? usage({ pod: this.pod(), container, runningMs }) : usage;
      return [{ name: container.name, usage: { ...defaultUsage, ...scripted, ...this.#usage } }];
    });
  }

  #memory(container: string): number | undefined {
    const memory = this.usage().find(({ name }) => name === container)?.usage["memory"];
    return memory === undefined ? undefined : amountOf("memory", memory);
  }

  /** Resources that the pod takes from its node; `undefined` once it has ended. */
  get requests(): Resources | undefined {
    return this.ended ? undefined : this.#resources.requests;
  }

  /** True if the pod waits for room on the node to be resized. */
  get waitsForRoom(): boolean {
    return this.#resources.resize.pending !== undefined;
  }

  /** Returns the pod's current status. */
  status(): PodStatus {
    if (this.#rejection !== undefined) return rejectedStatus(this.#pod, this.#rejection, this.#startedMs);
    return podStatus(this.#pod, {
      containers: this.containers,
      resources: this.#resources,
      defaultWaiting: this.defaultWaiting(),
      hostIp: this.#host.hostIp,
      podIp: this.#address.ip,
      startedMs: this.#startedMs,
      ended: this.ended,
      failure: this.#failure,
      disruption: this.#disruption,
      restartsAll: this.#restart.inProgress,
      nowMs: this.clock.now(),
    });
  }

  /** Ends everything without a trace. */
  discard(): void {
    this.#discarded = true;
    this.#deadline?.cancel();
    this.#mounts.stop();
    this.#resources.stop();
    this.#restart.cancel();
    for (const container of this.containers.values()) container.discard();
    this.#address.release();
  }

  pod(): DeepReadonly<Pod> {
    const { hostIp } = this.#host;
    const podIp = this.#address.ip;
    const addresses = podIp === undefined ? undefined : { podIP: podIp, podIPs: [{ ip: podIp }] };
    return { ...this.#pod, status: { ...this.#pod.status, hostIP: hostIp, hostIPs: [{ ip: hostIp }], ...addresses } };
  }

  environment(container: DeepReadonly<Container>): Promise<Record<string, string>> | undefined {
    // A reference to an object that doesn't exist keeps the container from starting, whatever it does.
    const isRead = readsEnvironment(this, container) || refersToObjects(container);
    return isRead ? readEnvironment(this.#host, this.pod(), container) : undefined;
  }

  /** Returns the environment of a command that a client runs in a container. */
  async commandEnvironment({ container, runs }: ContainerPlayer): Promise<Readonly<Record<string, string>>> {
    return runs.env ?? readEnvironment(this.#host, this.pod(), container);
  }

  defaultWaiting(): string {
    return (this.#pod.spec?.initContainers ?? []).length > 0 ? "PodInitializing" : "ContainerCreating";
  }

  newContainerId(container: DeepReadonly<Container>, restartCount: number): string {
    return ["kubestream:/", this.uid, container.name, restartCount].join("/");
  }

  event(container: DeepReadonly<Container>, type: "Normal" | "Warning", reason: string, note: string): void {
    this.#host.event(this.#pod, { type, reason, note, container: container.name });
  }

  changed(): void {
    this.sync();
    if (!this.#discarded) this.#host.changed(this.#pod);
  }

  /** Resumes from the state of a snapshot. */
  #resume({ rejection, failure, disruption, finished, endsAtMs, probes, usage, containers }: SavedPod): void {
    this.#rejection = rejection;
    this.#failure = failure;
    this.#disruption = disruption;
    this.#finished = finished;
    this.probes = probes;
    this.#usage = usage;
    this.#syncing = true;
    for (const saved of containers) {
      const player = new ContainerPlayer(this, saved.container);
      this.containers.set(saved.container.name, player);
      player.resume(saved);
    }
    this.#syncing = false;
    const graceMs = endsAtMs - this.clock.now();
    if (endsAtMs !== Number.POSITIVE_INFINITY) this.#terminate(Math.max(0, graceMs));
  }

  /** Takes over the containers of a pod that was on the node before it failed. It begins again with init containers. */
  #restore(): void {
    const beginsAgain = this.#pod.spec?.restartPolicy !== "Never";
    for (const { container, restartCount, terminated } of endedContainers(this.#pod, this.clock.now())) {
      const player = new ContainerPlayer(this, container);
      player.restore(restartCount, terminated, beginsAgain && isInit(this.#pod, container));
      this.containers.set(container.name, player);
    }
    if (this.containers.size > 0) this.#address.ip = undefined;
  }

  #terminate(graceMs: number): void {
    this.#restart.cancel();
    this.#termination.begin(this.#pod, graceMs);
  }

  #step(): void {
    if (this.#termination.hasBegun || this.#finished) {
      this.#termination.stopOthers(this.#pod);
      return;
    }
    if (!this.#mounts.mounted) {
      this.#mounts.search();
      return;
    }
    if (this.#address.ip === undefined) reportMissingPullSecrets(this.#host, this.#pod);
    if (!this.#address.take(this.#pod) || this.#restart.check()) return;
    const plan = planPod(this.#pod.spec!, (name) => this.containers.get(name)?.view ?? { is: "new" });
    this.#finished = plan.finished;
    if (plan.finished) {
      this.#deadline?.cancel();
      this.#termination.stopOthers(this.#pod);
      return;
    }
    const { ephemeralContainers = [] } = this.#pod.spec!;
    for (const container of [...ephemeralContainers.filter(({ name }) => !this.containers.has(name)), ...plan.start]) {
      if ([...this.containers.values()].some(({ holdsUpOthers }) => holdsUpOthers)) return;
      this.#start(container);
    }
  }

  #start(container: DeepReadonly<Container>): void {
    let player = this.containers.get(container.name);
    if (player === undefined) {
      player = new ContainerPlayer(this, container);
      this.containers.set(container.name, player);
    }
    player.start();
  }
}
