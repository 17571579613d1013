interface RateLimitOptions {
    readonly qps: number;
    readonly burst?: number;
    readonly onWait?: (waitedMs: number) => void;
    readonly clock?: Clock;
}

interface RequestInfo {
    readonly group?: string;
    readonly version?: string;
    readonly resource?: string;
    readonly subresource?: string;
    readonly namespace?: string;
    readonly name?: string;
    readonly verb: string;
}

interface RequestLogEntry {
    readonly method: string;
    readonly path: string;
    readonly headers: Readonly<Record<string, string>>;
    readonly status?: number;
    readonly error?: string;
    readonly durationMs: number;
    readonly text: string;
}

interface RequestMeasurement extends RequestInfo {
    readonly method: string;
    readonly status?: number;
    readonly error?: unknown;
    readonly headersMs: number;
    readonly totalMs: number;
    readonly sentBytes: number;
    readonly receivedBytes: number;
    readonly flowSchemaUid?: string;
    readonly priorityLevelUid?: string;
}

interface TraceOptions {
    readonly parent?: () => string | undefined;
    readonly state?: () => string | undefined;
    readonly onSpan?: (span: TraceSpan, request: TransportRequest) => ((end: {
        readonly status?: number;
        readonly error?: unknown;
    }) => void) | undefined;
    readonly sampled?: boolean;
}

interface TraceSpan {
    readonly traceId: string;
    readonly spanId: string;
    readonly parentSpanId?: string;
    readonly sampled: boolean;
}

function bearerToken(token: string | ((refused?: string) => string | Promise<string>)): Interceptor;

function logRequests(log: (entry: RequestLogEntry) => void, options?: {
    readonly clock?: Clock;
}): Interceptor;

function measureRequests(record: (measurement: RequestMeasurement) => void, options?: {
    readonly clock?: Clock;
}): Interceptor;

function parseTraceparent(text: string | undefined): TraceSpan | undefined;

function rateLimit(options: RateLimitOptions): Interceptor;

function redactHeaders(headers: Readonly<Record<string, string>>): Record<string, string>;

function requestInfo(method: string, path: string): RequestInfo;

function traceContext(options?: TraceOptions): Interceptor;
