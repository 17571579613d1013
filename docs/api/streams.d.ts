interface AttachOptions {
    readonly container?: string;
    readonly stdin?: boolean;
    readonly stdout?: boolean;
    readonly stderr?: boolean;
    readonly tty?: boolean;
    readonly signal?: AbortSignal;
}

interface CommandResult {
    readonly code: number;
    readonly stdout: Uint8Array;
    readonly stderr: Uint8Array;
}

interface ConnectPortOptions {
    readonly signal?: AbortSignal;
}

interface ExecOptions extends AttachOptions {
    readonly command: readonly string[];
}

interface ExitStatus {
    readonly code: number;
    readonly status: Status;
}

interface LogLinesOptions extends LogOptions {
    readonly maxLineBytes?: number;
}

interface LogOptions {
    readonly container?: string;
    readonly follow?: boolean;
    readonly previous?: boolean;
    readonly sinceSeconds?: number;
    readonly sinceTime?: string;
    readonly tailLines?: number;
    readonly timestamps?: boolean;
    readonly limitBytes?: number;
    readonly insecureSkipTlsVerifyBackend?: boolean;
    readonly stream?: "All" | "Stdout" | "Stderr";
    readonly signal?: AbortSignal;
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
    readonly namespace?: string;
    readonly name: string;
    readonly port?: number | string;
    readonly scheme?: "http" | "https";
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
    readonly input?: Uint8Array | string;
    readonly maxOutputBytes?: number;
}

interface ServiceTarget {
    readonly namespace: string;
    readonly service: string;
}

function attach(client: Pick<Client, "openWebSocket">, pod: PodTarget, options?: AttachOptions): Promise<RemoteCommand>;

function connectPort(client: Pick<Client, "openWebSocket">, pod: PodTarget, port: number, { signal }?: ConnectPortOptions): Promise<PortConnection>;

function exec(client: Pick<Client, "openWebSocket">, pod: PodTarget, options: ExecOptions): Promise<RemoteCommand>;

function logLines(client: Pick<Client, "request">, pod: PodTarget, options?: LogLinesOptions): Promise<AsyncIterableIterator<string>>;

function logs(client: Pick<Client, "request">, pod: PodTarget, options?: LogOptions): Promise<AsyncIterable<Uint8Array>>;

function proxyPath(target: ProxyTarget, path?: string): string;

function resolveService(client: Pick<Client, "request">, target: ServiceTarget, port: number | string, signal?: AbortSignal): Promise<{
    readonly pod: PodTarget;
    readonly port: number;
}>;

function runCommand(client: Pick<Client, "openWebSocket">, pod: PodTarget, options: RunCommandOptions): Promise<CommandResult>;
