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

/** Container to open a session in. */
export interface ContainerSessionRequest {
  /** Name of the node. */
  readonly node: string;
  /** Namespace of the pod. */
  readonly namespace: string;
  /** Name of the pod. */
  readonly pod: string;
  /** Name of the container. */
  readonly container: string;
  /** Command to run; `undefined` to attach to the main process. */
  readonly command: readonly string[] | undefined;
  /** True if the process runs in a terminal, which has a single output. */
  readonly tty: boolean;
  /** True if the client sends standard input. */
  readonly stdin: boolean;
}

/** Size of a terminal in characters. */
export interface TerminalSize {
  /** Number of columns. */
  readonly width: number;
  /** Number of rows. */
  readonly height: number;
}

/** Client of a session in a container. */
export interface ContainerSession {
  /** Standard input. Ends at once if the client doesn't send any. */
  readonly stdin: AsyncIterableIterator<Uint8Array>;
  /** Sends output; drops it if the client didn't request the stream. Resolves when there is room for more. */
  write(stream: "stdout" | "stderr", data: Uint8Array): Promise<void>;
  /** Calls back with the size of the terminal each time it changes. */
  onResize(callback: (size: TerminalSize) => void): void;
  /** Aborts when the client leaves. */
  readonly signal: AbortSignal;
}

/** Port of a pod to connect to. */
export interface PortRequest {
  /** Name of the node. */
  readonly node: string;
  /** Namespace of the pod. */
  readonly namespace: string;
  /** Name of the pod. */
  readonly pod: string;
  /** Number of the port. */
  readonly port: number;
}

/** Client's connection to a port of a pod. */
export interface PortStream {
  /** Bytes from the client, until it leaves. */
  readonly input: AsyncIterableIterator<Uint8Array>;
  /** Sends bytes to the client. Resolves when there is room for more. */
  write(data: Uint8Array): Promise<void>;
  /** Aborts when the client leaves. */
  readonly signal: AbortSignal;
}

/** Connection of the API server to the nodes' kubelets. */
export interface KubeletConnection {
  /**
   * Returns a container's log in chunks, or the reason for which there isn't one; `undefined` if the node can't be
   * reached.
   */
  logs(request: ContainerLogRequest): AsyncIterator<Uint8Array, undefined> | KubeletRefusal | undefined;
  /**
   * Returns a function that serves exec or attach and resolves with the exit code, or the reason for which the session
   * can't start; `undefined` if the node can't be reached. Default: sessions aren't supported.
   */
  session?(
    request: ContainerSessionRequest,
  ): ((session: ContainerSession) => Promise<number>) | KubeletRefusal | undefined;
  /**
   * Returns a function that serves a connection to a port; its error is the message for the client. `undefined` if the
   * node can't be reached. Default: port forwarding isn't supported.
   */
  connect?(request: PortRequest): ((stream: PortStream) => Promise<void>) | KubeletRefusal | undefined;
}
