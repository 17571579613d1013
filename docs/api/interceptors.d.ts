interface MetricFamily {
    readonly name: string;
    readonly help: string;
    readonly type: "counter" | "gauge" | "histogram";
    readonly samples: readonly MetricSample[];
}

interface MetricHistogram {
    readonly buckets: readonly {
        readonly le: number;
        readonly count: number;
    }[];
    readonly count: number;
    readonly sum: number;
}

interface MetricSample {
    readonly labels: Readonly<Record<string, string>>;
    readonly value: number | MetricHistogram;
}

interface MetricSource {
    collect(): readonly MetricFamily[];
}

interface RateLimitOptions {
    readonly qps: number;
    readonly burst?: number | undefined;
    readonly onWait?: ((waitedMs: number) => void) | undefined;
    readonly clock?: Clock | undefined;
}

interface RequestInfo {
    readonly group?: string | undefined;
    readonly version?: string | undefined;
    readonly resource?: string | undefined;
    readonly subresource?: string | undefined;
    readonly namespace?: string | undefined;
    readonly name?: string | undefined;
    readonly verb: string;
}

interface RequestLogEntry {
    readonly level: "debug" | "warn";
    readonly method: string;
    readonly path: string;
    readonly headers: Readonly<Record<string, string>>;
    readonly status?: number | undefined;
    readonly error?: string | undefined;
    readonly durationMs: number;
    readonly text: string;
}

interface RequestMeasurement extends RequestInfo {
    readonly method: string;
    readonly status?: number | undefined;
    readonly error?: unknown;
    readonly headersMs: number;
    readonly totalMs: number;
    readonly sentBytes: number;
    readonly receivedBytes: number;
    readonly flowSchemaUid?: string | undefined;
    readonly priorityLevelUid?: string | undefined;
}

interface RequestMetrics extends MetricSource {
    readonly interceptor: Interceptor;
    collect(): readonly MetricFamily[];
}

interface RequestMetricsOptions {
    readonly host?: string | (() => string) | undefined;
    readonly clock?: Clock | undefined;
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

interface TraceOptions {
    readonly parent?: (() => string | undefined) | undefined;
    readonly state?: (() => string | undefined) | undefined;
    readonly onSpan?: ((span: TraceSpan, request: TransportRequest) => ((end: {
        readonly status?: number | undefined;
        readonly error?: unknown;
    }) => void) | undefined) | undefined;
    readonly sampled?: boolean | undefined;
}

interface TraceSpan {
    readonly traceId: string;
    readonly spanId: string;
    readonly parentSpanId?: string | undefined;
    readonly sampled: boolean;
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

function bearerToken(token: string | ((refused?: string) => string | Promise<string>)): Interceptor;

function createRequestMetrics(options?: RequestMetricsOptions): RequestMetrics;

function formatTraceparent({ traceId, spanId, traceFlags }: SpanContext): string;

function logRequests(log: (entry: RequestLogEntry) => void, options?: {
    readonly clock?: Clock | undefined;
}): Interceptor;

function measureRequests(record: (measurement: RequestMeasurement) => void, options?: {
    readonly clock?: Clock | undefined;
}): Interceptor;

function parseTraceparent(text: string | undefined): TraceSpan | undefined;

function rateLimit(options: RateLimitOptions): Interceptor;

function redactHeaders(headers: Readonly<Record<string, string>>): Record<string, string>;

function requestInfo(method: string, path: string): RequestInfo;

function traceContext(options?: TraceOptions): Interceptor;

function traceRequests(tracer: Tracer): Interceptor;
