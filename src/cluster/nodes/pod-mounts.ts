import type { Timer } from "../../internal/clock.js";
import { ConfigMap, type Pod, Secret } from "../../kinds/core/v1.js";
import { ResourceClaim } from "../../kinds/resource/v1.js";
import type { DeepReadonly } from "../../meta/object.js";
import { allDeviceClaims, isReservedFor } from "../controllers/shared/device-claims.js";
import type { PodHost } from "./pod-host.js";

/** Pod whose objects `PodMounts` looks for. */
export interface MountingPod {
  /** Returns the pod in its current state. */
  get(): DeepReadonly<Pod>;
  /** Called when all objects are there. */
  changed(): void;
}

interface Source {
  readonly volume: string;
  readonly kind: "configmap" | "secret";
  readonly name: string;
}

interface Problem {
  readonly reason: "FailedMount" | "FailedPrepareDynamicResources";
  readonly note: string;
}

const firstDelayMs = 500;
const longestDelayMs = 122_000;

/** Objects that a pod needs before it starts: the ConfigMaps and Secrets that it mounts, and its ResourceClaims. */
export class PodMounts {
  readonly #host: Pick<PodHost, "client" | "clock" | "event">;
  readonly #pod: MountingPod;
  readonly #sources: readonly Source[];
  #mounted: boolean;
  #searching = false;
  #timer: Timer | undefined;
  #stopped = false;

  constructor(host: Pick<PodHost, "client" | "clock" | "event">, pod: MountingPod, mounted = false) {
    this.#host = host;
    this.#pod = pod;
    const { volumes = [] } = pod.get().spec ?? {};
    this.#sources = volumes.flatMap(({ name, configMap, secret }): Source[] => {
      if (configMap !== undefined && configMap.optional !== true)
        return [{ volume: name, kind: "configmap", name: configMap.name ?? "" }];
      return secret !== undefined && secret.optional !== true
        ? [{ volume: name, kind: "secret", name: secret.secretName ?? "" }]
        : [];
    });
    this.#mounted = mounted || this.#sources.length + allDeviceClaims(pod.get()).length === 0;
  }

  /** True if all of them are there. */
  get mounted(): boolean {
    return this.#mounted;
  }

  /** Looks for them until all are there. */
  search(): void {
    if (this.#mounted || this.#searching) return;
    this.#searching = true;
    this.#check(firstDelayMs);
  }

  /** Ends the search. */
  stop(): void {
    this.#stopped = true;
    this.#timer?.cancel();
  }

  #check(delayMs: number): void {
    const retry = (): void => {
      if (this.#stopped) return;
      this.#timer = this.#host.clock.setTimer(() => this.#check(Math.min(2 * delayMs, longestDelayMs)), delayMs);
    };
    const checks = [...this.#sources.map((source) => this.#missing(source)), this.#unprepared()];
    Promise.all(checks).then((results) => {
      if (this.#stopped) return;
      const problems = results.filter((problem) => problem !== undefined);
      this.#mounted = problems.length === 0;
      if (this.#mounted) {
        this.#pod.changed();
        return;
      }
      for (const problem of problems) this.#host.event(this.#pod.get(), { type: "Warning", ...problem });
      retry();
    }, retry);
  }

  /** Returns the problem of a volume whose object is missing. */
  async #missing({ volume, kind, name }: Source): Promise<Problem | undefined> {
    const { client } = this.#host;
    const handle = kind === "secret" ? client.resource(Secret) : client.resource(ConfigMap);
    if ((await handle.namespace(this.#pod.get().metadata!.namespace!).getOptional(name)) !== undefined)
      return undefined;
    return {
      reason: "FailedMount",
      note: `MountVolume.SetUp failed for volume "${volume}" : ${kind} "${name}" not found`,
    };
  }

  /** Returns the problem of the first claim that isn't reserved for the pod. */
  async #unprepared(): Promise<Problem | undefined> {
    const pod = this.#pod.get();
    const claims = this.#host.client.resource(ResourceClaim).namespace(pod.metadata!.namespace!);
    for (const { entry, claim: name } of allDeviceClaims(pod)) {
      const claim = name === undefined ? undefined : await claims.getOptional(name);
      if (claim !== undefined && isReservedFor(claim, pod)) continue;
      const problem = claim === undefined ? "doesn't exist" : "isn't reserved for the pod";
      const note = `Failed to prepare dynamic resources: ResourceClaim ${name ?? `for ${entry}`} ${problem}`;
      return { reason: "FailedPrepareDynamicResources", note };
    }
    return undefined;
  }
}
