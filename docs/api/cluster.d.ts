interface Cluster extends ClusterHandles {
    readonly server: ApiServer;
    advance(duration: number | string): Promise<void>;
    settled(): Promise<void>;
    snapshot(): Promise<ClusterSnapshot>;
    restore(snapshot: ClusterSnapshot): Promise<void>;
}

interface ClusterEvent {
    readonly timeMs: number;
    readonly type: string;
    readonly reason: string;
    readonly object: string;
    readonly message: string;
    readonly count: number;
}

interface ClusterHandles extends AsyncDisposable {
    readonly client: Client;
    now(): number;
    pods(selector?: string | PodSelector): PodHandles;
    readonly controllers: ControllerHandles;
    nodes(name: string): NodeHandle;
    events(name?: string): Promise<ClusterEvent[]>;
    until<T extends KubernetesObject>(kind: Kind<T>, name: string, condition: (object: DeepReadonly<T> | undefined) => boolean, options?: UntilOptions): Promise<DeepReadonly<T> | undefined>;
    close(): Promise<void>;
}

interface ClusterOptions {
    readonly nodes?: number | readonly NodeTemplate[] | undefined;
    readonly time?: "real" | "virtual" | undefined;
    readonly startMs?: number | undefined;
    readonly seed?: number | undefined;
    readonly images?: ImageScripts | undefined;
    readonly stages?: string | readonly Stage[] | undefined;
    readonly server?: Omit<ApiServerOptions, "clock" | "random" | "kubelets"> | undefined;
    readonly metrics?: boolean | undefined;
    readonly controllers?: readonly ControllerName[] | undefined;
    readonly signer?: SignerOptions | undefined;
    readonly log?: Log | undefined;
}

interface ClusterSnapshot {
    readonly timeMs: number;
}

class ClusterTimeoutError extends KubestreamError {
    readonly name = "ClusterTimeoutError";
    static get className(): string;
}

interface ContainerOutput {
    write(data: string | Uint8Array): void;
    readonly ready: Promise<void>;
}

type ContainerUsage = Readonly<Record<string, string>>;

interface ControllerHandles {
    readonly names: readonly ControllerName[];
    pause(name: ControllerName): void;
    resume(name: ControllerName): void;
}

type ControllerName = "certificatesigningrequest-approving" | "certificatesigningrequest-cleaner" | "certificatesigningrequest-signing" | "clusterrole-aggregation" | "cronjob" | "daemonset" | "deployment" | "device-taint-eviction" | "disruption" | "endpoints" | "endpointslice" | "endpointslice-mirroring" | "ephemeral-volume" | "garbage-collector" | "horizontal-pod-autoscaler" | "job" | "namespace" | "node-lifecycle" | "persistentvolume-attach-detach" | "persistentvolume-binder" | "persistentvolume-expander" | "persistentvolume-lifecycle" | "persistentvolumeclaim-protection" | "pod-garbage-collector" | "replicaset" | "replicationcontroller" | "resourceclaim" | "resourcequota" | "root-ca-certificate-publisher" | "service-cidr" | "serviceaccount" | "serviceaccount-token" | "statefulset" | "taint-eviction" | "ttl-after-finished" | "volumeattributesclass-protection";

interface CrashOptions {
    readonly exitCode?: number | undefined;
    readonly reason?: string | undefined;
    readonly message?: string | undefined;
    readonly container?: string | undefined;
}

interface EvictOptions {
    readonly message?: string | undefined;
}

interface ImageScript {
    readonly pull?: string | number | ((attempt: PullAttempt) => string | number | Promise<string | number>) | undefined;
    readonly run?: ((process: ProcessContext) => number | void | Promise<number | void>) | undefined;
    readonly exec?: ((process: ProcessContext) => number | void | Promise<number | void>) | undefined;
    readonly ports?: Readonly<Record<number, (connection: PortStream) => void | Promise<void>>> | undefined;
    readonly probe?: ((attempt: ProbeAttempt) => boolean | string | Promise<boolean | string>) | undefined;
    readonly usage?: ContainerUsage | ((sample: UsageSample) => ContainerUsage) | undefined;
}

type ImageScripts = Readonly<Record<string, ImageScript>>;

interface JoinOptions {
    readonly nodes?: number | readonly NodeTemplate[] | undefined;
    readonly images?: ImageScripts | undefined;
    readonly stages?: string | readonly Stage[] | undefined;
    readonly controllers?: readonly ControllerName[] | undefined;
    readonly scheduler?: boolean | undefined;
    readonly rootCa?: string | undefined;
    readonly signer?: SignerOptions | undefined;
    readonly kubelets?: KubeletListener | undefined;
    readonly log?: Log | undefined;
}

interface NodeHandle {
    partition(): Promise<void>;
    crash(): Promise<void>;
    recover(): Promise<void>;
}

interface NodeTemplate {
    readonly name: string;
    readonly labels?: Readonly<Record<string, string>> | undefined;
    readonly taints?: readonly DeepReadonly<Taint>[] | undefined;
    readonly capacity?: Readonly<Record<string, string>> | undefined;
}

interface PodHandles {
    crash(options?: CrashOptions): Promise<void>;
    evict(options?: EvictOptions): Promise<void>;
    failProbe(type: ProbeAttempt["type"], reason?: string): Promise<void>;
    passProbe(type: ProbeAttempt["type"]): Promise<void>;
    setUsage(usage?: ContainerUsage): Promise<void>;
    list(): readonly DeepReadonly<Pod>[];
}

interface PodSelector {
    readonly labels?: string | undefined;
    readonly namespace?: string | undefined;
    readonly name?: string | undefined;
}

interface PortStream {
    readonly input: AsyncIterableIterator<Uint8Array>;
    write(data: Uint8Array): Promise<void>;
    readonly signal: AbortSignal;
}

interface ProbeAttempt {
    readonly type: "startup" | "readiness" | "liveness";
    readonly pod: DeepReadonly<Pod>;
    readonly container: DeepReadonly<Container>;
    readonly runningMs: number;
}

interface ProcessContext {
    readonly args: readonly string[];
    readonly env: Readonly<Record<string, string>>;
    readonly pod: DeepReadonly<Pod>;
    readonly container: DeepReadonly<Container>;
    readonly restartCount: number;
    readonly stdout: ContainerOutput;
    readonly stderr: ContainerOutput;
    readonly stdin: AsyncIterableIterator<Uint8Array>;
    readonly tty: boolean;
    onResize(callback: (size: TerminalSize) => void): void;
    readonly signal: AbortSignal;
    now(): number;
    sleep(duration: number | string): Promise<void>;
}

interface PullAttempt {
    readonly image: string;
    readonly node: string;
    readonly failures: number;
}

interface SignerOptions {
    readonly cert: string;
    readonly key: string;
}

interface Stage {
    readonly apiVersion?: string | undefined;
    readonly kind?: string | undefined;
    readonly metadata: {
        readonly name: string;
    };
    readonly spec: StageSpec;
}

interface StageDelay {
    readonly durationMilliseconds?: number | undefined;
    readonly durationFrom?: StageExpression | undefined;
    readonly jitterDurationMilliseconds?: number | undefined;
    readonly jitterDurationFrom?: StageExpression | undefined;
}

interface StageExpression {
    readonly expressionFrom: string;
}

interface StageNext {
    readonly event?: {
        readonly type?: string | undefined;
        readonly reason?: string | undefined;
        readonly message?: string | undefined;
    } | undefined;
    readonly finalizers?: {
        readonly add?: readonly {
            readonly value: string;
        }[] | undefined;
        readonly remove?: readonly {
            readonly value: string;
        }[] | undefined;
        readonly empty?: boolean | undefined;
    } | undefined;
    readonly delete?: boolean | undefined;
    readonly statusTemplate?: string | undefined;
    readonly statusSubresource?: string | undefined;
}

interface StageSelector {
    readonly matchLabels?: Readonly<Record<string, string>> | undefined;
    readonly matchAnnotations?: Readonly<Record<string, string>> | undefined;
    readonly matchExpressions?: readonly {
        readonly key: string;
        readonly operator: "In" | "NotIn" | "Exists" | "DoesNotExist";
        readonly values?: readonly string[] | undefined;
    }[] | undefined;
}

interface StageSpec {
    readonly resourceRef: {
        readonly apiGroup?: string | undefined;
        readonly kind: string;
    };
    readonly selector?: StageSelector | undefined;
    readonly weight?: number | undefined;
    readonly weightFrom?: StageExpression | undefined;
    readonly delay?: StageDelay | undefined;
    readonly next?: StageNext | undefined;
    readonly immediateNextStage?: boolean | undefined;
}

interface TerminalSize {
    readonly width: number;
    readonly height: number;
}

interface UntilOptions {
    readonly timeoutMs?: number | undefined;
    readonly signal?: AbortSignal | undefined;
}

interface UsageSample {
    readonly pod: DeepReadonly<Pod>;
    readonly container: DeepReadonly<Container>;
    readonly runningMs: number;
}

type Workload = DaemonSet | Deployment | ReplicaSet | ReplicationController | StatefulSet;

function createCluster(options?: ClusterOptions): Promise<Cluster>;

function isAvailable(workload: DeepReadonly<Workload> | undefined): boolean;

function joinCluster(client: Client, options?: JoinOptions): Promise<ClusterHandles>;
