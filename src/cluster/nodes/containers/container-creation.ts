import type { Container, ContainerStateWaiting, Pod } from "../../../kinds/core/v1.js";
import type { DeepReadonly } from "../../../meta/object.js";
import { ContainerConfigError } from "./environment.js";
import type { ImagePuller } from "./image-puller.js";
import type { PlayerHost } from "./player-host.js";

/** Time after which a kubelet tries again to create a container. */
const recreateMs = 10_000;

/** A container that is being created. */
export interface Creation {
  readonly host: PlayerHost;
  readonly puller: ImagePuller;
  /** Returns the current version of the container. */
  container(): DeepReadonly<Container>;
  /** Returns false once the container was stopped or its creation began again. */
  isCurrent(): boolean;
  /** Reports the reason of a delay. */
  wait(waiting: ContainerStateWaiting): void;
  /** Calls back after a delay, unless the creation has ended before. */
  after(callback: () => void, ms: number): void;
  /** Starts the container's process. */
  launch(env: Readonly<Record<string, string>> | undefined): void;
}

/** Pulls a container's image, determines its environment and launches it. Tries again after failures. */
export function createContainer(creation: Creation): void {
  creation.puller.pull(
    () => {
      if (creation.isCurrent()) configure(creation);
    },
    (waiting) => creation.wait(waiting),
  );
}

/** Creates a container after the delay between two attempts. */
export function createContainerLater(creation: Creation): void {
  creation.after(() => createContainer(creation), recreateMs);
}

function configure(creation: Creation): void {
  const { host } = creation;
  const container = creation.container();
  const environment = runsAsRoot(host.pod(), container)
    ? Promise.reject(new ContainerConfigError("container's runAsUser breaks non-root policy"))
    : host.environment(container);
  if (environment === undefined) {
    creation.launch(undefined);
    return;
  }
  environment.then(
    (env) => {
      if (creation.isCurrent()) creation.launch(env);
    },
    (error: unknown) => {
      if (!creation.isCurrent()) return;
      if (error instanceof ContainerConfigError) host.event(container, "Warning", "Failed", `Error: ${error.message}`);
      const message = error instanceof Error ? error.message : String(error);
      creation.wait({ reason: "CreateContainerConfigError", message });
      creation.after(() => configure(creation), recreateMs);
    },
  );
}

/** Returns true if a container that mustn't run as root has root's user ID. Users of images aren't known. */
function runsAsRoot({ spec }: DeepReadonly<Pod>, { securityContext: own }: DeepReadonly<Container>): boolean {
  const shared = spec?.securityContext;
  const [runAsNonRoot, runAsUser] = [own?.runAsNonRoot ?? shared?.runAsNonRoot, own?.runAsUser ?? shared?.runAsUser];
  return runAsNonRoot === true && runAsUser === 0;
}
