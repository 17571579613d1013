import type { Client } from "../../client/client.js";
import { isNotFound } from "../../errors/predicates.js";
import type { Clock, Timer } from "../../internal/clock.js";
import { ConfigMap, type Pod, Secret } from "../../kinds/core/v1.js";
import type { DeepReadonly } from "../../meta/object.js";

/** Options for `PodMounts`. */
export interface MountOptions {
  readonly client: Client;
  readonly clock: Clock;
  /** Called with the description of each source that is missing. */
  readonly onMissing: (note: string) => void;
  /** Called when all sources exist. */
  readonly onMounted: () => void;
}

interface Source {
  readonly volume: string;
  readonly kind: "configmap" | "secret";
  readonly name: string;
}

const firstDelayMs = 500;
const longestDelayMs = 122_000;

/** The ConfigMaps and Secrets that a pod mounts. */
export class PodMounts {
  readonly #options: MountOptions;
  readonly #namespace: string;
  readonly #sources: readonly Source[];
  #mounted: boolean;
  #searching = false;
  #timer: Timer | undefined;
  #stopped = false;

  constructor(options: MountOptions, pod: DeepReadonly<Pod>, mounted = false) {
    this.#options = options;
    this.#namespace = pod.metadata!.namespace!;
    this.#sources = (pod.spec?.volumes ?? []).flatMap(({ name, configMap, secret }): Source[] => {
      if (configMap !== undefined && configMap.optional !== true)
        return [{ volume: name, kind: "configmap", name: configMap.name ?? "" }];
      return secret !== undefined && secret.optional !== true
        ? [{ volume: name, kind: "secret", name: secret.secretName ?? "" }]
        : [];
    });
    this.#mounted = mounted || this.#sources.length === 0;
  }

  /** True if all of them exist. */
  get mounted(): boolean {
    return this.#mounted;
  }

  /** Looks for them until all exist. */
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
    const { clock, onMissing, onMounted } = this.#options;
    const retry = (): void => {
      if (this.#stopped) return;
      this.#timer = clock.setTimer(() => this.#check(Math.min(2 * delayMs, longestDelayMs)), delayMs);
    };
    Promise.all(this.#sources.map((source) => this.#problemOf(source))).then((problems) => {
      if (this.#stopped) return;
      const missing = problems.filter((problem) => problem !== undefined);
      this.#mounted = missing.length === 0;
      if (this.#mounted) {
        onMounted();
        return;
      }
      for (const note of missing) onMissing(note);
      retry();
    }, retry);
  }

  async #problemOf({ volume, kind, name }: Source): Promise<string | undefined> {
    const { client } = this.#options;
    const handle = kind === "secret" ? client.resource(Secret) : client.resource(ConfigMap);
    try {
      await handle.namespace(this.#namespace).get(name);
      return undefined;
    } catch (error) {
      if (!isNotFound(error)) throw error;
      return `MountVolume.SetUp failed for volume "${volume}" : ${kind} "${name}" not found`;
    }
  }
}
