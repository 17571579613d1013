interface AttachOptions {
    readonly container?: string | undefined;
    readonly stdin?: boolean | undefined;
    readonly stdout?: boolean | undefined;
    readonly stderr?: boolean | undefined;
    readonly tty?: boolean | undefined;
    readonly signal?: AbortSignal | undefined;
}

interface CommandResult {
    readonly code: number;
    readonly stdout: Uint8Array;
    readonly stderr: Uint8Array;
}

interface ConnectPortOptions {
    readonly signal?: AbortSignal | undefined;
}

interface ExecOptions extends AttachOptions {
    readonly command: readonly string[];
}

interface ExitStatus {
    readonly code: number;
    readonly status: Status;
}

interface LogLinesOptions extends LogOptions {
    readonly maxLineBytes?: number | undefined;
}

interface LogOptions {
    readonly container?: string | undefined;
    readonly follow?: boolean | undefined;
    readonly previous?: boolean | undefined;
    readonly sinceSeconds?: number | undefined;
    readonly sinceTime?: string | undefined;
    readonly tailLines?: number | undefined;
    readonly timestamps?: boolean | undefined;
    readonly limitBytes?: number | undefined;
    readonly insecureSkipTlsVerifyBackend?: boolean | undefined;
    readonly stream?: "All" | "Stdout" | "Stderr" | undefined;
    readonly signal?: AbortSignal | undefined;
}

type PodContainerKind = "container" | "init" | "ephemeral";

interface PodLogFormat {
    readonly colors?: boolean | undefined;
    readonly timestamps?: boolean | undefined;
}

interface PodLogLine extends PodLogSource {
    readonly time: string;
    readonly text: string;
    readonly color: number;
}

interface PodLogSource {
    readonly namespace: string;
    readonly pod: string;
    readonly container: string;
}

type PodLogs = AsyncIterableIterator<PodLogLine> & AsyncDisposable;

interface PodLogsOptions extends Pick<SelectorOptions, "labelSelector" | "fieldSelector"> {
    readonly namespace?: string | undefined;
    readonly containers?: ((source: PodLogSource, kind: PodContainerKind) => boolean) | undefined;
    readonly tailLines?: number | undefined;
    readonly sinceSeconds?: number | undefined;
    readonly maxLineBytes?: number | undefined;
    readonly maxStreams?: number | undefined;
    readonly backoff?: BackoffOptions | undefined;
    readonly onError?: ((error: unknown, source: PodLogSource) => void) | undefined;
    readonly signal?: AbortSignal | undefined;
    readonly clock?: Clock | undefined;
    readonly random?: (() => number) | undefined;
}

interface PodTarget {
    readonly namespace: string;
    readonly name: string;
}

interface PortConnection extends AsyncDisposable {
    readonly protocol: string;
    readonly data: AsyncIterableIterator<Uint8Array>;
    write(data: Uint8Array): Promise<void>;
    end(): Promise<void>;
    close(): Promise<void>;
}

interface ProxyTarget {
    readonly resource: "services" | "pods" | "nodes";
    readonly namespace?: string | undefined;
    readonly name: string;
    readonly port?: number | string | undefined;
    readonly scheme?: "http" | "https" | undefined;
}

interface RemoteCommand extends AsyncDisposable {
    readonly protocol: string;
    readonly stdout: AsyncIterableIterator<Uint8Array>;
    readonly stderr: AsyncIterableIterator<Uint8Array>;
    readonly exited: Promise<ExitStatus>;
    write(data: Uint8Array | string): Promise<void>;
    end(): Promise<void>;
    resize(size: {
        readonly width: number;
        readonly height: number;
    }): Promise<void>;
    close(): Promise<void>;
}

interface RunCommandOptions extends Omit<ExecOptions, "stdin" | "stdout" | "stderr" | "tty"> {
    readonly input?: Uint8Array | string | undefined;
    readonly maxOutputBytes?: number | undefined;
}

interface ServiceTarget {
    readonly namespace: string;
    readonly service: string;
}

function attach(client: Pick<Client, "openWebSocket">, pod: PodTarget, options?: AttachOptions): Promise<RemoteCommand>;

function connectPort(client: Pick<Client, "openWebSocket">, pod: PodTarget, port: number, { signal }?: ConnectPortOptions): Promise<PortConnection>;

function exec(client: Pick<Client, "openWebSocket">, pod: PodTarget, options: ExecOptions): Promise<RemoteCommand>;

function followPodLogs(client: Client, options?: PodLogsOptions): PodLogs;

function formatPodLogLine(line: PodLogLine, { colors, timestamps }?: PodLogFormat): string;

function logLines(client: Pick<Client, "request">, pod: PodTarget, options?: LogLinesOptions): Promise<AsyncIterableIterator<string>>;

function logs(client: Pick<Client, "request">, pod: PodTarget, options?: LogOptions): Promise<AsyncIterable<Uint8Array>>;

function proxyPath(target: ProxyTarget, path?: string): string;

function resolveService(client: Pick<Client, "request">, target: ServiceTarget, port: number | string, signal?: AbortSignal): Promise<{
    readonly pod: PodTarget;
    readonly port: number;
}>;

function runCommand(client: Pick<Client, "openWebSocket">, pod: PodTarget, options: RunCommandOptions): Promise<CommandResult>;
