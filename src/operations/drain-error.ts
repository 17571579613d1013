import { KubestreamError } from "../errors/kubestream-error.js";

/** A pod that prevents a node from being drained. */
export interface UndrainedPod {
  /** Namespace of the pod. */
  readonly namespace: string;
  /** Name of the pod. */
  readonly name: string;
  /** Reason why the pod is still on the node. */
  readonly reason: string;
  /** Underlying error, if there is one. */
  readonly error?: unknown;
}

/** A node couldn't be drained. It stays cordoned, and pods that were already evicted are gone. */
export class DrainError extends KubestreamError {
  /** Name of the class. */
  override readonly name = "DrainError";
  /** Remaining pods, with reasons. */
  readonly pods: readonly UndrainedPod[];

  /** `node` is the node's name. */
  constructor(node: string, pods: readonly UndrainedPod[]) {
    const [first] = pods;
    const one = first === undefined ? "" : `: ${first.namespace}/${first.name}: ${first.reason}`;
    super(
      `drain node ${JSON.stringify(node)}: ${pods.length === 1 ? "1 pod remains" : `${pods.length} pods remain`}${one}${pods.length > 1 ? ` (and ${pods.length - 1} more)` : ""}`,
      { cause: first?.error },
    );
    this.pods = pods;
  }

  /** Name of the class, which survives minification. */
  static override get className(): string {
    return "DrainError";
  }
}
