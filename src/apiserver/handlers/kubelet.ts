/** Request for the log of a container. */
export interface ContainerLogRequest {
  /** Name of the node. */
  readonly node: string;
  /** Namespace of the pod. */
  readonly namespace: string;
  /** Name of the pod. */
  readonly pod: string;
  /** Name of the container. */
  readonly container: string;
  /** True to continue with new lines until the container ends. */
  readonly follow: boolean;
  /** True for the log of the run before the last restart. */
  readonly previous: boolean;
  /** True to begin each line with its time. */
  readonly timestamps: boolean;
  /** Number of lines from the end. Default: all. */
  readonly tailLines?: number | undefined;
  /** Age of the oldest line in seconds. Default: any. */
  readonly sinceSeconds?: number | undefined;
  /** Oldest time of a line in milliseconds since the epoch. Default: any. */
  readonly sinceMs?: number | undefined;
  /** Limit for the bytes of the answer. Default: unlimited. */
  readonly limitBytes?: number | undefined;
  /** Stream to return. Default: both. */
  readonly stream?: "stdout" | "stderr" | undefined;
}

/** Refusal of a kubelet, which becomes a `BadRequest`. */
export interface KubeletRefusal {
  /** Message for the client. */
  readonly refused: string;
}

/** Connection of the API server to the nodes' kubelets. */
export interface KubeletConnection {
  /**
   * Returns a container's log in chunks, or the reason for which there isn't one; `undefined` if the node can't be
   * reached.
   */
  logs(request: ContainerLogRequest): AsyncIterator<Uint8Array, undefined> | KubeletRefusal | undefined;
}
