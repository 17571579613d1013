import type { KubeletEndpoint } from "../../apiserver/kubelets/kubelet-server.js";
import type { Pod } from "../../kinds/core/v1.js";
import type { DeepReadonly } from "../../meta/object.js";
import type { Resources } from "../scheduler/snapshot/pod-resources.js";
import type { PodHost, SavedPod } from "./pod-host.js";
import { PodPlayer } from "./pod-player.js";

/** Condition of a simulated machine. A partitioned one runs its pods without a connection to the API server. */
export type MachineState = "up" | "partitioned" | "crashed";

/** Addresses of a node by its number. */
export interface NodeAddresses {
  readonly hostIp: string;
  /** Range of the pods' addresses. */
  readonly podRange: string;
  /** The range without the last part. */
  readonly podPrefix: string;
}

/** Returns the addresses of a node by its number. */
export function nodeAddresses(index: number): NodeAddresses {
  const podPrefix = `10.${(244 + (index >> 8)) & 255}.${index & 255}`;
  // 172.18.0.1 is the gateway.
  const host = index + 2;
  return { hostIp: `172.18.${host >> 8}.${host & 255}`, podRange: `${podPrefix}.0/24`, podPrefix };
}

/** Pod that is left to declared stages. */
interface StagedPod {
  readonly uid: string;
  readonly ip?: string | undefined;
}

/** State of a machine in a snapshot. */
export interface SavedNode {
  readonly state: MachineState;
  readonly presentImages: readonly string[];
  readonly lastIp: number;
  readonly usedIps: readonly number[];
  readonly pods: readonly (readonly [key: string, pod: SavedPod])[];
  readonly staged: readonly (readonly [key: string, pod: StagedPod])[];
}

/** A simulated machine with the pods that it runs. */
export class SimulatedNode {
  readonly name: string;
  hostIp: string;
  readonly podRange: string;
  readonly presentImages: Set<string> = new Set();
  state: MachineState = "up";
  /** Port of the kubelet; `undefined` if the API server has a connection of its own to the node. */
  kubeletPort: number | undefined;
  readonly #podPrefix: string;
  readonly #players = new Map<string, PodPlayer>();
  readonly #staged = new Map<string, StagedPod>();
  readonly #usedIps = new Set<number>();
  #lastIp = 1;

  constructor(name: string, index: number) {
    this.name = name;
    const { hostIp, podRange, podPrefix } = nodeAddresses(index);
    this.hostIp = hostIp;
    this.podRange = podRange;
    this.#podPrefix = podPrefix;
  }

  /** Moves the node to the address of its kubelet's port, before it starts. */
  listenAt({ address, port }: Pick<KubeletEndpoint, "address" | "port">): void {
    this.hostIp = address;
    this.kubeletPort = port;
  }

  /** The pods that run here. */
  get players(): Iterable<[string, PodPlayer]> {
    return this.#players;
  }

  /** Returns the player of a pod by `namespace/name`. */
  player(key: string): PodPlayer | undefined {
    return this.#players.get(key);
  }

  /** Returns the player of a pod, which is created if it doesn't run yet. */
  playerFor(key: string, pod: DeepReadonly<Pod>, host: PodHost): PodPlayer {
    const known = this.#players.get(key);
    if (known !== undefined && known.uid === pod.metadata!.uid) return known;
    known?.discard();
    const player = new PodPlayer(host, pod);
    this.#players.set(key, player);
    return player;
  }

  /** Returns what the pods that haven't ended take from the node, except the one with a UID. */
  *requests(exceptUid: string): Iterable<Resources> {
    for (const { uid, requests } of this.#players.values())
      if (uid !== exceptUid && requests !== undefined) yield requests;
  }

  /** Returns the pods on the node that haven't ended, except for one. */
  *otherPods(exceptUid: string): Iterable<DeepReadonly<Pod>> {
    for (const player of this.#players.values())
      if (player.uid !== exceptUid && player.requests !== undefined) yield player.pod();
  }

  /** Leaves a pod to declared stages: ends its containers without a trace. */
  stage(key: string, uid: string): void {
    if (this.isStaged(key, uid)) return;
    this.drop(key);
    this.#staged.set(key, { uid });
  }

  /** Returns true for a pod that is left to declared stages. */
  isStaged(key: string, uid: string): boolean {
    return this.#staged.get(key)?.uid === uid;
  }

  /** Returns the address of a pod that is left to declared stages. */
  stagedIp(key: string, uid: string): string | undefined {
    const staged = this.#staged.get(key);
    if (staged?.uid !== uid) return undefined;
    const ip = staged.ip ?? this.allocateIp();
    this.#staged.set(key, { uid, ip });
    return ip;
  }

  /** Ends a pod without a trace. */
  drop(key: string): void {
    const ip = this.#staged.get(key)?.ip;
    if (ip !== undefined) this.releaseIp(ip);
    this.#staged.delete(key);
    this.#players.get(key)?.discard();
    this.#players.delete(key);
  }

  /** Ends all pods without a trace. */
  dropAll(): void {
    for (const key of [...this.#players.keys(), ...this.#staged.keys()]) this.drop(key);
  }

  /** Returns the state for a snapshot. */
  save(): SavedNode {
    return {
      state: this.state,
      presentImages: [...this.presentImages],
      lastIp: this.#lastIp,
      usedIps: [...this.#usedIps],
      pods: [...this.#players].map(([key, player]) => [key, player.save()]),
      staged: [...this.#staged],
    };
  }

  /** Resumes from the state of a snapshot. Ends the current pods without a trace. */
  resume({ state, presentImages, lastIp, usedIps, pods, staged }: SavedNode, host: PodHost): void {
    this.dropAll();
    this.state = state;
    this.presentImages.clear();
    for (const image of presentImages) this.presentImages.add(image);
    this.#lastIp = lastIp;
    this.#usedIps.clear();
    for (const used of usedIps) this.#usedIps.add(used);
    for (const [key, pod] of staged) this.#staged.set(key, pod);
    for (const [key, saved] of pods) this.#players.set(key, new PodPlayer(host, saved.pod, saved));
  }

  /** Returns an address that no other pod of the node has; `undefined` if all are taken. */
  allocateIp(): string | undefined {
    for (let tries = 0; tries < 253; tries++) {
      this.#lastIp = this.#lastIp >= 254 ? 2 : this.#lastIp + 1;
      if (this.#usedIps.has(this.#lastIp)) continue;
      this.#usedIps.add(this.#lastIp);
      return `${this.#podPrefix}.${this.#lastIp}`;
    }
    return undefined;
  }

  /** Makes an address available again. */
  releaseIp(address: string): void {
    const last = address.lastIndexOf(".");
    if (address.slice(0, last) === this.#podPrefix) this.#usedIps.delete(Number(address.slice(last + 1)));
  }
}
