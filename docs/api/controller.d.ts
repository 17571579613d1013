interface AddOptions {
    readonly priority?: number | undefined;
}

interface BucketRateLimiterOptions {
    readonly qps?: number | undefined;
    readonly burst?: number | undefined;
    readonly clock?: Clock | undefined;
}

class CacheSyncError extends KubestreamError {
    readonly name = "CacheSyncError";
    readonly missing: readonly string[];
    constructor(message: string, missing: readonly string[], options?: ErrorOptions);
    static get className(): string;
}

interface ConsoleLogOptions {
    readonly level?: LogEntry["level"] | undefined;
}

interface Controller extends AsyncDisposable {
    readonly name: string;
    readonly needsLeadership: boolean;
    readonly status: ControllerStatus;
    readonly metrics: ControllerMetrics;
    readonly sources: readonly ControllerSource[];
    readonly done: Promise<void>;
    start(options?: Pick<RunOptions, "informers">): void;
    run(options: RunOptions): Promise<void>;
    stop(options?: Pick<ControllerOptions<unknown>, "drainTimeoutMs">): Promise<void>;
    pause(): void;
    resume(): void;
    addSource(source: Source): SourceRegistration;
    enqueue(request: ReconcileRequest, options?: EnqueueOptions): void;
    onReconcile(handler: (outcome: ReconcileOutcome) => void): {
        remove(): void;
    };
}

interface ControllerMetrics {
    readonly reconciles: Readonly<Record<ReconcileOutcome["result"], number>>;
    readonly conflicts: number;
    readonly reconcileTime: DurationStats;
    readonly active: number;
    readonly concurrency: number;
    readonly handlerErrors: number;
    readonly sourceFailures: number;
    readonly queue: WorkQueueMetrics;
}

interface ControllerOptions<T, S extends Scope = Scope> {
    readonly name: string;
    readonly for: Watchable<T, S>;
    readonly kind?: Kind<unknown, S> | undefined;
    readonly owns?: readonly Watchable<unknown>[] | undefined;
    readonly watches?: readonly Source[] | undefined;
    readonly predicates?: readonly Predicate<T>[] | undefined;
    readonly informer?: SharedInformerOptions<T> | undefined;
    readonly optional?: KindSourceOptions<T>["optional"] | undefined;
    readonly reconcile: Reconcile<T, S>;
    readonly concurrency?: number | undefined;
    readonly rateLimiter?: RateLimiter<string> | undefined;
    readonly reconcileTimeoutMs?: number | undefined;
    readonly cacheSyncTimeoutMs?: number | undefined;
    readonly consistencyTimeoutMs?: number | undefined;
    readonly drainTimeoutMs?: number | undefined;
    readonly needsLeadership?: boolean | undefined;
    readonly log?: Log | undefined;
    readonly tracer?: Tracer | undefined;
    readonly clock?: Clock | undefined;
}

interface ControllerSource extends Source {
    readonly status: SourceStatus;
}

type ControllerStatus = {
    readonly type: "idle";
} | {
    readonly type: "syncing";
    readonly waitingFor: readonly string[];
} | {
    readonly type: "running";
    readonly active: readonly ReconcileRequest[];
} | {
    readonly type: "stopping";
    readonly active: readonly ReconcileRequest[];
} | {
    readonly type: "stopped";
} | {
    readonly type: "failed";
    readonly error: unknown;
};

interface DurationBucket {
    readonly le: number;
    readonly count: number;
}

interface DurationStats {
    readonly count: number;
    readonly totalMs: number;
    readonly maxMs: number;
    readonly buckets: readonly DurationBucket[];
}

interface EnqueueForOwnerOptions {
    readonly match?: "controller" | "every" | undefined;
}

interface EnqueueOptions extends AddOptions {
    readonly delayMs?: number | undefined;
}

interface EventDetails {
    readonly type?: "Normal" | "Warning" | undefined;
    readonly reason: string;
    readonly action?: string | undefined;
    readonly note?: string | undefined;
    readonly related?: DeepReadonly<KubernetesObject> | ObjectReference | undefined;
}

type EventHandler<T> = (change: Change<T>) => Iterable<ReconcileRequest>;

interface EventRecorder extends AsyncDisposable {
    readonly metrics: EventRecorderMetrics;
    event(regarding: DeepReadonly<KubernetesObject> | ObjectReference, details: EventDetails): void;
    flush(options?: {
        readonly signal?: AbortSignal | undefined;
    }): Promise<void>;
    close(): Promise<void>;
}

interface EventRecorderMetrics {
    readonly recorded: number;
    readonly sent: number;
    readonly counted: number;
    readonly dropped: number;
    readonly spam: number;
    readonly failed: number;
    readonly pending: number;
}

interface EventRecorderOptions {
    readonly events: Pick<NamespacedResource<Event>, "namespace">;
    readonly controller: string;
    readonly instance?: string | undefined;
    readonly maxPending?: number | undefined;
    readonly maxRemembered?: number | undefined;
    readonly burstPerObject?: number | undefined;
    readonly seriesPerVersion?: boolean | undefined;
    readonly closeTimeoutMs?: number | undefined;
    readonly log?: Log | undefined;
    readonly clock?: Clock | undefined;
    readonly random?: (() => number) | undefined;
}

interface ExponentialRateLimiterOptions {
    readonly baseDelayMs?: number | undefined;
    readonly maxDelayMs?: number | undefined;
}

interface FastSlowRateLimiterOptions {
    readonly fastDelayMs: number;
    readonly slowDelayMs: number;
    readonly maxFastAttempts: number;
}

interface FormatMetricsOptions {
    readonly format?: MetricFormat | undefined;
}

type HealthCheck = () => string | undefined | void | Promise<string | undefined | void>;

interface HealthOptions {
    readonly only?: readonly string[] | undefined;
    readonly exclude?: readonly string[] | undefined;
    readonly timeoutMs?: number | undefined;
}

interface HealthReport {
    readonly ok: boolean;
    readonly checks: readonly {
        readonly name: string;
        readonly ok: boolean;
        readonly message?: string | undefined;
        readonly excluded?: true | undefined;
    }[];
}

interface KindSourceOptions<T> {
    readonly predicates?: readonly Predicate<T>[] | undefined;
    readonly informer?: SharedInformerOptions<T> | undefined;
    readonly optional?: {
        readonly definitions: ListWatch<CustomResourceDefinition>;
    } | undefined;
}

interface LeaderCallbacks {
    readonly onStartedLeading: (leading: Leadership) => Promise<unknown> | void;
    readonly onStoppedLeading?: (() => void) | undefined;
    readonly onNewLeader?: ((identity: string) => void) | undefined;
}

interface LeaderElectionOptions {
    readonly leases: Pick<Resource<Lease>, "get" | "create" | "update" | "description">;
    readonly name: string;
    readonly identity?: string | undefined;
    readonly leaseDurationMs?: number | undefined;
    readonly renewDeadlineMs?: number | undefined;
    readonly retryPeriodMs?: number | undefined;
    readonly releaseOnCancel?: boolean | undefined;
    readonly drainTimeoutMs?: number | undefined;
    readonly labels?: Readonly<Record<string, string>> | undefined;
    readonly log?: Log | undefined;
    readonly clock?: Clock | undefined;
    readonly random?: (() => number) | undefined;
}

interface LeaderElector {
    readonly name: string;
    readonly identity: string;
    readonly status: LeaderStatus;
    readonly isLeader: boolean;
    readonly leader: string | undefined;
    readonly metrics: LeaderMetrics;
    run(options: {
        readonly signal: AbortSignal;
    }): Promise<void>;
    check(toleranceMs?: number): string | undefined;
}

interface LeaderMetrics {
    readonly terms: number;
    readonly lost: number;
    readonly renewals: number;
    readonly failures: number;
    readonly slowPaths: number;
}

type LeaderStatus = {
    readonly type: "idle";
} | {
    readonly type: "waiting";
    readonly holder: string | undefined;
} | {
    readonly type: "leading";
    readonly term: number;
};

interface Leadership {
    readonly signal: AbortSignal;
    readonly lost: AbortSignal;
    readonly term: number;
}

class LeadershipLostError extends KubestreamError {
    readonly name = "LeadershipLostError";
    static get className(): string;
}

type Log = (entry: LogEntry) => void;

interface LogEntry {
    readonly level: "debug" | "info" | "warn" | "error";
    readonly message: string;
    readonly controller?: string | undefined;
    readonly request?: ReconcileRequest | undefined;
    readonly reconcileId?: string | undefined;
    readonly error?: unknown;
    readonly fields?: Readonly<Record<string, unknown>> | undefined;
}

interface Manager extends AsyncDisposable {
    readonly status: ManagerStatus;
    readonly elector: LeaderElector | undefined;
    readonly controllers: readonly Controller[];
    readonly informers: InformerFactory | undefined;
    readonly done: Promise<void>;
    start(): void;
    run(options: {
        readonly signal: AbortSignal;
    }): Promise<void>;
    stop(): Promise<void>;
    health(options?: HealthOptions): Promise<HealthReport>;
    readiness(options?: HealthOptions): Promise<HealthReport>;
}

interface ManagerOptions {
    readonly controllers?: readonly Controller[] | undefined;
    readonly runnables?: readonly Runnable[] | undefined;
    readonly leaderElection?: LeaderElectionOptions | undefined;
    readonly standby?: "warm" | "cold" | undefined;
    readonly informers?: InformerFactory | undefined;
    readonly cacheSyncTimeoutMs?: number | undefined;
    readonly drainTimeoutMs?: number | undefined;
    readonly healthChecks?: Readonly<Record<string, HealthCheck>> | undefined;
    readonly sourceGraceMs?: number | undefined;
    readonly readyChecks?: Readonly<Record<string, HealthCheck>> | undefined;
    readonly log?: Log | undefined;
    readonly clock?: Clock | undefined;
}

type ManagerStatus = {
    readonly type: "idle";
} | {
    readonly type: "syncing";
} | {
    readonly type: "standby";
} | {
    readonly type: "running";
} | {
    readonly type: "stopping";
} | {
    readonly type: "stopped";
} | {
    readonly type: "failed";
    readonly error: unknown;
};

type MeasuredInformer = Pick<Informer<unknown>, "description" | "hasSynced" | "metrics">;

interface MetricFamily {
    readonly name: string;
    readonly help: string;
    readonly type: "counter" | "gauge" | "histogram";
    readonly samples: readonly MetricSample[];
}

type MetricFormat = "prometheus" | "openmetrics";

interface MetricHistogram {
    readonly buckets: readonly {
        readonly le: number;
        readonly count: number;
    }[];
    readonly count: number;
    readonly sum: number;
}

interface MetricParts {
    readonly manager?: Pick<Manager, "controllers" | "informers" | "elector"> | undefined;
    readonly controllers?: readonly Pick<Controller, "name" | "metrics">[] | undefined;
    readonly workQueues?: Readonly<Record<string, Pick<WorkQueue<never>, "metrics">>> | undefined;
    readonly informers?: readonly MeasuredInformer[] | undefined;
    readonly electors?: readonly LeaderElector[] | undefined;
    readonly sources?: readonly MetricSource[] | undefined;
}

interface MetricSample {
    readonly labels: Readonly<Record<string, string>>;
    readonly value: number | MetricHistogram;
}

interface MetricSource {
    collect(): readonly MetricFamily[];
}

interface NamespacedRequest extends ReconcileRequest {
    readonly namespace: string;
}

type Predicate<T = unknown> = (change: Change<T>) => boolean;

interface RateLimiter<T> {
    when(item: T): number;
    forget(item: T): void;
    numRequeues(item: T): number;
}

type Reconcile<T, S extends Scope = Scope> = (request: RequestOf<S>, context: ReconcileContext<T>) => Promise<ReconcileResult | void> | ReconcileResult | void;

interface ReconcileContext<T> {
    readonly object: DeepReadonly<T> | undefined;
    readonly store: StoreReader<T>;
    readonly signal: AbortSignal;
    readonly reconcileId: string;
    readonly failures: number;
    readonly traceparent?: string | undefined;
    log(level: "debug" | "info" | "warn" | "error", message: string, fields?: Readonly<Record<string, unknown>>): void;
    recordWrite(...objects: readonly object[]): void;
}

interface ReconcileOutcome {
    readonly request: ReconcileRequest;
    readonly reconcileId: string;
    readonly result: "success" | "requeueAfter" | "error" | "timeout" | "terminal" | "aborted";
    readonly error?: unknown;
    readonly requeueAfterMs?: number | undefined;
    readonly priority: number;
    readonly durationMs: number;
}

interface ReconcileRequest {
    readonly namespace?: string | undefined;
    readonly name: string;
}

interface ReconcileResult {
    readonly requeueAfterMs?: number | undefined;
    readonly priority?: number | undefined;
}

type RequestOf<S extends Scope> = [
    S
] extends [
    "Namespaced"
] ? NamespacedRequest : ReconcileRequest;

interface RunOptions {
    readonly signal: AbortSignal;
    readonly abandon?: AbortSignal | undefined;
    readonly informers?: InformerFactory | undefined;
}

interface Runnable {
    readonly name: string;
    readonly needsLeadership?: boolean | undefined;
    readonly stopsLast?: boolean | undefined;
    run(options: RunOptions): Promise<void>;
    readonly check?: HealthCheck | undefined;
}

interface RunningSource {
    readonly informer?: Informer<unknown> | undefined;
    synced(options?: WaitOptions): Promise<void>;
    stop(options?: {
        readonly reportDeleted?: boolean | undefined;
    }): Promise<void>;
}

interface Source {
    readonly description: string;
    readonly kind?: Pick<Kind, "group" | "kind"> | undefined;
    readonly definition?: SourceDefinition | undefined;
    open?(informers: Pick<InformerFactory, "informer">): Informer<unknown>;
    start(context: SourceContext): RunningSource;
}

interface SourceContext {
    readonly informers: Pick<InformerFactory, "informer">;
    enqueue(request: ReconcileRequest, options?: EnqueueOptions, change?: Change<unknown>): void;
    onError(error: unknown): void;
}

interface SourceDefinition {
    watch(onServed: (isServed: boolean) => void): Source;
}

interface SourceOutage {
    readonly error: unknown;
    readonly failures: number;
    readonly durationMs: number;
}

interface SourceRegistration {
    readonly source: ControllerSource;
    synced(options?: WaitOptions): Promise<void>;
    remove(): Promise<void>;
}

interface SourceStatus {
    readonly informer: InformerStatus | undefined;
    readonly outage: SourceOutage | undefined;
}

interface Span {
    spanContext(): SpanContext;
    setAttribute(key: string, value: unknown): unknown;
    setStatus(status: {
        code: number;
        message?: string | undefined;
    }): unknown;
    recordException(exception: Error | string): void;
    end(): void;
}

type SpanAttributes = Readonly<Record<string, unknown>>;

interface SpanContext {
    readonly traceId: string;
    readonly spanId: string;
    readonly traceFlags: number;
    readonly traceState?: TraceState | undefined;
}

interface SpanOptions {
    readonly kind?: number | undefined;
    readonly attributes?: SpanAttributes | undefined;
    readonly links?: {
        context: SpanContext;
        attributes?: SpanAttributes | undefined;
    }[] | undefined;
    readonly root?: boolean | undefined;
}

type StructuredLogger = Readonly<Record<LogEntry["level"], (fields: object, message?: string) => void>>;

class TerminalError extends KubestreamError {
    readonly name = "TerminalError";
    static get className(): string;
}

interface TraceState {
    set(key: string, value: string): TraceState;
    unset(key: string): TraceState;
    get(key: string): string | undefined;
    serialize(): string;
}

interface Tracer {
    startSpan(name: string, options?: SpanOptions): Span;
    startActiveSpan(name: string, options: SpanOptions, work: (span: Span) => unknown): unknown;
}

type Watchable<T, S extends Scope = Scope> = (ListWatch<T> & {
    readonly kind?: Kind<unknown, S> | undefined;
}) | Informer<T>;

interface WithLeadershipOptions extends LeaderElectionOptions, Pick<LeaderCallbacks, "onNewLeader"> {
    readonly signal?: AbortSignal | undefined;
}

interface WorkItem<T> {
    readonly item: T;
    readonly priority: number;
}

interface WorkQueue<T> {
    readonly length: number;
    readonly shuttingDown: boolean;
    readonly metrics: WorkQueueMetrics;
    add(item: T, options?: AddOptions): void;
    addAfter(item: T, delayMs: number, options?: AddOptions): void;
    addRateLimited(item: T, options?: AddOptions & {
        readonly minDelayMs?: number | undefined;
    }): number;
    forget(item: T): void;
    numRequeues(item: T): number;
    get(options?: {
        readonly signal?: AbortSignal | undefined;
    }): Promise<WorkItem<T> | undefined>;
    done(item: T): void;
    pause(): void;
    resume(): void;
    shutDown(): void;
    shutDownWithDrain(options?: {
        readonly signal?: AbortSignal | undefined;
    }): Promise<void>;
}

interface WorkQueueMetrics {
    readonly depth: number;
    readonly depthByPriority: Readonly<Record<number, number>>;
    readonly delayed: number;
    readonly processing: number;
    readonly adds: number;
    readonly retries: number;
    readonly latency: DurationStats;
    readonly workDuration: DurationStats;
    readonly longestRunningMs: number;
    readonly unfinishedWorkMs: number;
}

interface WorkQueueOptions<T> {
    readonly keyOf?: ((item: T) => unknown) | undefined;
    readonly rateLimiter?: RateLimiter<unknown> | undefined;
    readonly clock?: Clock | undefined;
}

function allOf<T>(...predicates: readonly Predicate<T>[]): Predicate<T>;

function annotationChanged(): Predicate;

function anyOf<T>(...predicates: readonly Predicate<T>[]): Predicate<T>;

function bucketRateLimiter<T>(options?: BucketRateLimiterOptions): RateLimiter<T>;

function collectMetrics(parts: MetricParts): MetricFamily[];

function createConsoleLog(options?: ConsoleLogOptions): Log;

function createController<T, S extends Scope = Scope>(options: ControllerOptions<T, S>): Controller;

function createEventRecorder(options: EventRecorderOptions): EventRecorder;

function createLeaderElector(options: LeaderElectionOptions & LeaderCallbacks): LeaderElector;

function createManager(options: ManagerOptions): Manager;

function createWorkQueue<T>(options?: WorkQueueOptions<T>): WorkQueue<T>;

function defaultControllerRateLimiter<T>(options?: Pick<BucketRateLimiterOptions, "clock">): RateLimiter<T>;

function enqueueForObject(): EventHandler<unknown>;

function enqueueForOwner(kind: Pick<Kind, "group" | "kind" | "scope">, options?: EnqueueForOwnerOptions): EventHandler<unknown>;

function enqueueMapped<T>(map: (object: DeepReadonly<T>) => Iterable<ReconcileRequest>): EventHandler<T>;

function exponentialRateLimiter<T>(options?: ExponentialRateLimiterOptions): RateLimiter<T>;

function fastSlowRateLimiter<T>(options: FastSlowRateLimiterOptions): RateLimiter<T>;

function formatMetrics(families: readonly MetricFamily[], options?: FormatMetricsOptions): string;

function generationChanged(): Predicate;

function kindSource<T>(watchable: Watchable<T>, handler: EventHandler<T>, options?: KindSourceOptions<T>): Source;

function labelChanged(): Predicate;

function labelsMatch(selector: string): Predicate;

const logToConsole: Log;

function logToPino(logger: StructuredLogger): Log;

const lowPriority = -100;

function maxOfRateLimiters<T>(...limiters: readonly RateLimiter<T>[]): RateLimiter<T>;

function not<T>(predicate: Predicate<T>): Predicate<T>;

function parseRequestKey(key: string): ReconcileRequest;

function requestKey(request: ReconcileRequest): string;

function resourceVersionChanged(): Predicate;

function withLeadership<R>(options: WithLeadershipOptions, work: (signal: AbortSignal, leadership: Leadership) => Promise<R>): Promise<R>;
