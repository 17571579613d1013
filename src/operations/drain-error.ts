import { KubestreamError } from "../errors/kubestream-error.js";

/** A pod that keeps a node from being drained. */
export interface UndrainedPod {
  /** Namespace of the pod. */
  readonly namespace: string;
  /** Name of the pod. */
  readonly name: string;
  /** Why it is still there. */
  readonly reason: string;
  /** The error behind that, if there is one. */
  readonly error?: unknown;
}

/** A node could not be drained. It stays cordoned; pods that were evicted before are gone. */
export class DrainError extends KubestreamError {
  /** Name of the class. */
  override readonly name = "DrainError";
  /** The pods that are still there, and why. */
  readonly pods: readonly UndrainedPod[];

  /** `node` is the node's name. */
  constructor(node: string, pods: readonly UndrainedPod[]) {
    const [first] = pods;
    const one = first === undefined ? "" : `: ${first.namespace}/${first.name}: ${first.reason}`;
    super(
      `drain node ${JSON.stringify(node)}: ${pods.length} pods stay${one}${pods.length > 1 ? ` (and ${pods.length - 1} more)` : ""}`,
      { cause: first?.error },
    );
    this.pods = pods;
  }

  /** The class's own name, which survives minification. */
  static override get className(): string {
    return "DrainError";
  }
}
