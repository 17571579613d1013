interface ClusterOptions extends ContextOptions {
    readonly kubeconfig?: string | readonly string[] | undefined;
    readonly kubeconfigText?: string | undefined;
}

interface ConnectOptions extends OpenTransportOptions, Omit<ClientOptions, "transport" | "clock"> {
}

interface ConnectedClient<FieldManager extends string | undefined = string | undefined> extends Client<FieldManager> {
    readonly namespace: string;
    readonly server: string;
}

interface ConnectionOverrides {
    readonly server?: string;
    readonly ca?: string | Uint8Array;
    readonly tlsServerName?: string;
    readonly insecureSkipTlsVerify?: boolean;
    readonly proxyUrl?: string;
    readonly token?: string;
    readonly tokenFile?: string;
    readonly cert?: string | Uint8Array;
    readonly key?: string | Uint8Array;
}

interface ContextOptions {
    readonly context?: string | undefined;
    readonly cluster?: string | undefined;
    readonly user?: string | undefined;
    readonly namespace?: string | undefined;
}

interface ContextSummary {
    readonly name: string;
    readonly current: boolean;
    readonly cluster?: string;
    readonly server?: string;
    readonly user?: string;
    readonly namespace?: string;
}

interface CopyOptions {
    readonly container?: string;
    readonly onSkipped?: (path: string) => void;
    readonly signal?: AbortSignal;
}

type Environment = Readonly<Record<string, string | undefined>>;

interface ExecCredentialOptions {
    readonly allowedPlugins?: readonly string[];
    readonly execTimeoutMs?: number;
    readonly execStderr?: "inherit" | "ignore";
    readonly stdinAvailable?: boolean;
}

interface ForwardPortsOptions {
    readonly ports: readonly (number | string | ForwardedPort)[];
    readonly address?: string;
    readonly onError?: (error: unknown) => void;
    readonly signal?: AbortSignal;
}

interface ForwardedPort {
    readonly remote: number | string;
    readonly local?: number;
}

interface ListContextsOptions {
    readonly kubeconfig?: string | readonly string[];
    readonly kubeconfigText?: string;
    readonly env?: Environment;
}

interface OpenTransportOptions extends ClusterOptions, ConnectionOverrides, PoolOptions, ExecCredentialOptions {
    readonly impersonate?: Impersonation;
    readonly persistTokens?: boolean;
    readonly env?: Environment;
    readonly clock?: Clock;
}

interface OpenedTransport {
    readonly transport: Transport;
    readonly namespace: string;
    readonly server: string;
}

type PoolOptions = Omit<UndiciTransportOptions, "server" | "tls" | "proxy" | "clock">;

interface PortForward extends AsyncDisposable {
    readonly ports: readonly {
        readonly local: number;
        readonly remote: number | string;
    }[];
    close(): Promise<void>;
}

interface TlsOptions {
    readonly ca?: string | Uint8Array;
    readonly cert?: string | Uint8Array;
    readonly key?: string | Uint8Array;
    readonly servername?: string;
    readonly insecureSkipVerify?: boolean;
}

interface UndiciTransport extends Transport {
    connect(request: TransportRequest, protocols: readonly string[]): Promise<TransportSocket>;
    drain(): Promise<void>;
}

interface UndiciTransportOptions {
    readonly server: string;
    readonly tls?: TlsOptions;
    readonly dispatcher?: Pick<Dispatcher, "dispatch">;
    readonly proxy?: URL;
    readonly http2?: boolean;
    readonly compression?: boolean;
    readonly maxConnections?: number;
    readonly connectTimeoutMs?: number;
    readonly headersTimeoutMs?: number;
    readonly keepAliveTimeoutMs?: number;
    readonly clock?: Clock;
}

function connect(options: ConnectOptions & {
    readonly fieldManager: string;
}): Promise<ConnectedClient<string>>;
function connect(options?: ConnectOptions): Promise<ConnectedClient>;

function copyFromPod(client: Pick<Client, "openWebSocket">, pod: PodTarget, from: string, to: string, options?: CopyOptions): Promise<void>;

function copyToPod(client: Pick<Client, "openWebSocket">, pod: PodTarget, from: string, to: string, options?: CopyOptions): Promise<void>;

function createUndiciTransport(options: UndiciTransportOptions): UndiciTransport;

function forwardPorts(client: Pick<Client, "openWebSocket" | "request">, target: PodTarget | ServiceTarget, options: ForwardPortsOptions): Promise<PortForward>;

function listContexts(options?: ListContextsOptions): Promise<readonly ContextSummary[]>;

function openTransport(options?: OpenTransportOptions): Promise<OpenedTransport>;
