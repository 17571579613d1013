import type { Container, ContainerStateWaiting } from "../../../kinds/core/v1.js";
import type { DeepReadonly } from "../../../meta/object.js";
import { BackOff, goDuration } from "./back-off.js";
import { findImageNameProblem } from "./image-name.js";
import { pullMs } from "./images.js";
import type { PlayerHost } from "./player-host.js";

/** Size that events mention. A simulated image has no contents. */
const imageBytes = 0;

/** Event and state of a container whose image can't be used. */
interface Refusal {
  readonly event: string;
  readonly reason: string;
  readonly message: string;
}

type Wait = (waiting: ContainerStateWaiting) => void;

/** Makes a container's image present on its node. */
export class ImagePuller {
  readonly #host: PlayerHost;
  readonly #container: DeepReadonly<Container>;
  readonly #after: (callback: () => void, ms: number) => void;
  #backOff: BackOff | undefined;
  #failures = 0;

  constructor(host: PlayerHost, container: DeepReadonly<Container>, after: (callback: () => void, ms: number) => void) {
    this.#host = host;
    this.#container = container;
    this.#after = after;
  }

  get #image(): string {
    return this.#container.image ?? "";
  }

  /** Calls `then` when the image is present, and `wait` with the reason of each delay. */
  pull(then: () => void, wait: Wait): void {
    const image = this.#image;
    const { presentImages, node } = this.#host;
    const { imagePullPolicy } = this.#container;
    const { pull: script } = this.#host.script(image);
    const present = script === undefined || presentImages.has(image);
    const refusal = this.#refusal(present);
    if (refusal !== undefined) {
      const { event, ...waiting } = refusal;
      this.#event("Warning", event, waiting.message);
      wait(waiting);
      this.#after(() => this.pull(then, wait), 10_000);
      return;
    }
    if (present && imagePullPolicy !== "Always") {
      this.#event(
        "Normal",
        "Pulled",
        `Container image "${image}" already present on machine and can be accessed by the pod`,
      );
      then();
      return;
    }
    this.#event("Normal", "Pulling", `Pulling image "${image}"`);
    if (typeof script !== "function") {
      // A layer that is already present isn't transferred again.
      this.#finish(script === undefined || present ? 0 : pullMs(script), then);
      return;
    }
    new Promise<string | number>((resolve) => resolve(script({ image, node, failures: this.#failures })))
      .then(pullMs)
      .then(
        (ms) => this.#finish(ms, then),
        (error: unknown) => this.#fail(error, then, wait),
      );
  }

  /** Returns the reason why a kubelet doesn't try to pull the image. */
  #refusal(present: boolean): Refusal | undefined {
    const image = this.#image;
    const problem = findImageNameProblem(image);
    if (problem !== undefined) {
      const cause = `couldn't parse image name "${image}": ${problem}`;
      const message = `Failed to apply default image tag "${image}": ${cause}`;
      return { event: "InspectFailed", reason: "InvalidImageName", message };
    }
    if (present || this.#container.imagePullPolicy !== "Never") return undefined;
    const message = `Container image "${image}" is not present with pull policy of Never`;
    return { event: "ErrImageNeverPull", reason: "ErrImageNeverPull", message };
  }

  #finish(ms: number, then: () => void): void {
    const done = (): void => {
      this.#host.presentImages.add(this.#image);
      const took = goDuration(ms);
      const size = `Image size: ${imageBytes} bytes.`;
      const note = `Successfully pulled image "${this.#image}" in ${took} (${took} including waiting). ${size}`;
      this.#event("Normal", "Pulled", note);
      then();
    };
    if (ms > 0) this.#after(done, ms);
    else done();
  }

  #fail(error: unknown, then: () => void, wait: Wait): void {
    this.#failures++;
    const image = this.#image;
    const text = error instanceof Error ? error.message : String(error);
    this.#event("Warning", "Failed", `Failed to pull image "${image}": ${text}`);
    this.#event("Warning", "Failed", "Error: ErrImagePull");
    wait({ reason: "ErrImagePull", message: text });
    const failedMs = this.#host.clock.now();
    const backOff = (this.#backOff ??= new BackOff());
    backOff.attempt(failedMs, failedMs);
    const delay = backOff.delayMs;
    // The kubelet reports the back-off with its next sync of the pod.
    this.#after(() => {
      this.#event("Normal", "BackOff", `Back-off pulling image "${image}"`);
      this.#event("Warning", "Failed", "Error: ImagePullBackOff");
      const message = `Back-off pulling image "${image}": ErrImagePull: ${text}`;
      wait({ reason: "ImagePullBackOff", message });
    }, 1_000);
    this.#after(() => this.pull(then, wait), delay);
  }

  #event(type: "Normal" | "Warning", reason: string, note: string): void {
    this.#host.event(this.#container, type, reason, note);
  }
}
