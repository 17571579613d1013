interface Mux extends AsyncDisposable {
    transport(cluster: string): Transport;
    readonly status: MuxStatus;
    readonly subscribe: (listener: () => void) => () => void;
    wake(): void;
    close(): Promise<void>;
}

interface MuxOptions {
    readonly transport: Transport;
    readonly heartbeatMs?: number | undefined;
    readonly deadlineMs?: number | undefined;
    readonly connectTimeoutMs?: number | undefined;
    readonly backoff?: BackoffOptions | undefined;
    readonly clock?: Clock | undefined;
    readonly random?: (() => number) | undefined;
}

type MuxStatus = {
    readonly type: "idle";
} | {
    readonly type: "connecting";
} | {
    readonly type: "open";
} | {
    readonly type: "disconnected";
    readonly error: Error;
} | {
    readonly type: "waiting";
    readonly error: Error;
    readonly delayMs: number;
    readonly attempt: number;
} | {
    readonly type: "closed";
};

function createMux(options: MuxOptions): Mux;
