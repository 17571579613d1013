import type { Container, ContainerStateWaiting } from "../../../kinds/core/v1.js";
import type { DeepReadonly } from "../../../meta/object.js";
import { createBackOff, goDuration } from "./back-off.js";
import { pullMs } from "./images.js";
import type { PlayerHost } from "./player-host.js";

/** Size that events mention. A simulated image has no contents. */
const imageBytes = 0;

type Wait = (waiting: ContainerStateWaiting) => void;

/** Creates a function that makes a container's image present on its node and then calls back. */
export function createImagePuller(
  host: PlayerHost,
  container: DeepReadonly<Container>,
  after: (callback: () => void, ms: number) => void,
): (then: () => void, wait: Wait) => void {
  const { clock, presentImages } = host;
  const image = container.image ?? "";
  const backOff = createBackOff();
  let failures = 0;

  const pull = (then: () => void, wait: Wait): void => {
    const { pull: script } = host.script(image);
    const present = script === undefined || presentImages.has(image);
    if (present && container.imagePullPolicy !== "Always") {
      const note = `Container image "${image}" already present on machine and can be accessed by the pod`;
      host.event(container, "Normal", "Pulled", note);
      then();
      return;
    }
    if (container.imagePullPolicy === "Never") {
      const message = `Container image "${image}" is not present with pull policy of Never`;
      host.event(container, "Warning", "ErrImageNeverPull", message);
      wait({ reason: "ErrImageNeverPull", message });
      after(() => pull(then, wait), 10_000);
      return;
    }
    host.event(container, "Normal", "Pulling", `Pulling image "${image}"`);
    const finish = (ms: number): void => {
      const done = (): void => {
        presentImages.add(image);
        const took = goDuration(ms);
        const note = `Successfully pulled image "${image}" in ${took} (${took} including waiting). Image size: ${imageBytes} bytes.`;
        host.event(container, "Normal", "Pulled", note);
        then();
      };
      if (ms > 0) after(done, ms);
      else done();
    };
    if (typeof script !== "function") {
      // A layer that is already present isn't transferred again.
      finish(script === undefined || present ? 0 : pullMs(script));
      return;
    }
    new Promise<string | number>((resolve) => resolve(script({ image, node: host.node, failures })))
      .then(pullMs)
      .then(finish, (error: unknown) => fail(error, then, wait));
  };

  const fail = (error: unknown, then: () => void, wait: Wait): void => {
    failures++;
    const text = error instanceof Error ? error.message : String(error);
    host.event(container, "Warning", "Failed", `Failed to pull image "${image}": ${text}`);
    host.event(container, "Warning", "Failed", "Error: ErrImagePull");
    wait({ reason: "ErrImagePull", message: text });
    const failedMs = clock.now();
    backOff.attempt(failedMs, failedMs);
    const delay = backOff.delayMs;
    // The kubelet reports the back-off with its next sync of the pod.
    after(() => {
      host.event(container, "Normal", "BackOff", `Back-off pulling image "${image}"`);
      host.event(container, "Warning", "Failed", "Error: ImagePullBackOff");
      const message = `Back-off pulling image "${image}": ErrImagePull: ${text}`;
      wait({ reason: "ImagePullBackOff", message });
    }, 1_000);
    after(() => pull(then, wait), delay);
  };
  return pull;
}
