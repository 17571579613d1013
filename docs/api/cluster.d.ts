interface Cluster extends AsyncDisposable {
    readonly client: Client;
    readonly server: ApiServer;
    now(): number;
    advance(duration: number | string): Promise<void>;
    settled(): Promise<void>;
    until<T extends KubernetesObject>(kind: Kind<T>, name: string, condition: (object: DeepReadonly<T> | undefined) => boolean, options?: UntilOptions): Promise<DeepReadonly<T> | undefined>;
    close(): Promise<void>;
}

interface ClusterOptions {
    readonly nodes?: number | readonly NodeTemplate[] | undefined;
    readonly time?: "real" | "virtual" | undefined;
    readonly startMs?: number | undefined;
    readonly seed?: number | undefined;
    readonly controllers?: readonly ControllerName[] | undefined;
}

class ClusterTimeoutError extends KubestreamError {
    readonly name = "ClusterTimeoutError";
    static get className(): string;
}

type ControllerName = "deployment" | "replicaset";

interface NodeTemplate {
    readonly name: string;
    readonly labels?: Readonly<Record<string, string>> | undefined;
    readonly taints?: readonly DeepReadonly<Taint>[] | undefined;
    readonly capacity?: Readonly<Record<string, string>> | undefined;
}

interface UntilOptions {
    readonly timeoutMs?: number | undefined;
    readonly signal?: AbortSignal | undefined;
}

function createCluster(options?: ClusterOptions): Promise<Cluster>;
