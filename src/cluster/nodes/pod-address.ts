import type { Timer } from "../../internal/clock.js";
import type { Pod } from "../../kinds/core/v1.js";
import type { DeepReadonly } from "../../meta/object.js";
import type { PodHost } from "./pod-host.js";

/** Time after which a pod without an address looks for one again. */
const retryMs = 10_000;

/** The address of a pod on its node. */
export class PodAddress {
  /** The address; `undefined` before the pod has one. */
  ip: string | undefined;
  readonly #host: PodHost;
  readonly #onRetry: () => void;
  #retry: Timer | undefined;

  /** `onRetry` is called when it's time to call `take` again. */
  constructor(host: PodHost, ip: string | undefined, onRetry: () => void) {
    this.ip = ip;
    this.#host = host;
    this.#onRetry = onRetry;
  }

  /** Takes an address, unless the pod has one. Returns false if the node has none left. */
  take(pod: DeepReadonly<Pod>): boolean {
    if (this.#retry !== undefined) return false;
    const { clock, hostIp } = this.#host;
    this.ip ??= pod.spec?.hostNetwork === true ? hostIp : this.#host.allocateIp();
    if (this.ip !== undefined) return true;
    const note = "Failed to create pod sandbox: no IP addresses available on the node";
    this.#host.event(pod, { type: "Warning", reason: "FailedCreatePodSandBox", note });
    this.#retry = clock.setTimer(() => {
      this.#retry = undefined;
      this.#onRetry();
    }, retryMs);
    return false;
  }

  /** Gives the address back to the node. */
  release(): void {
    this.#retry?.cancel();
    if (this.ip !== undefined) this.#host.releaseIp(this.ip);
  }
}
