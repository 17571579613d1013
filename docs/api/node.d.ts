interface CaBundleTargets {
    readonly validatingWebhookConfigurations?: readonly string[] | undefined;
    readonly mutatingWebhookConfigurations?: readonly string[] | undefined;
    readonly customResourceDefinitions?: readonly string[] | undefined;
}

interface CertificateFiles {
    readonly certFile: string;
    readonly keyFile: string;
    readonly intervalMs?: number | undefined;
}

interface ClusterOptions extends ContextOptions {
    readonly kubeconfig?: string | readonly string[] | undefined;
    readonly kubeconfigText?: string | undefined;
}

interface ConnectOptions extends OpenTransportOptions, Omit<ClientOptions, "transport" | "clock"> {
    readonly decodeInWorker?: boolean | URL | undefined;
}

interface ConnectedClient<FieldManager extends string | undefined = string | undefined> extends Client<FieldManager> {
    readonly namespace: string;
    readonly server: string;
    readonly decodingWorker?: DecodingWorkerStatus | undefined;
}

interface ConnectionOverrides {
    readonly server?: string | undefined;
    readonly ca?: string | Uint8Array | undefined;
    readonly tlsServerName?: string | undefined;
    readonly insecureSkipTlsVerify?: boolean | undefined;
    readonly proxyUrl?: string | undefined;
    readonly token?: string | undefined;
    readonly tokenFile?: string | undefined;
    readonly cert?: string | Uint8Array | undefined;
    readonly key?: string | Uint8Array | undefined;
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
    readonly cluster?: string | undefined;
    readonly server?: string | undefined;
    readonly user?: string | undefined;
    readonly namespace?: string | undefined;
}

interface CopyOptions {
    readonly container?: string | undefined;
    readonly onSkipped?: ((path: string) => void) | undefined;
    readonly signal?: AbortSignal | undefined;
}

interface DecodingWorkerStatus {
    readonly state: "idle" | "running" | "waiting" | "closed";
    readonly responses: number;
    readonly bytes: number;
    readonly failures: number;
    readonly error: Error | undefined;
}

type Environment = Readonly<Record<string, string | undefined>>;

interface ExecCredentialOptions {
    readonly allowedPlugins?: readonly string[] | undefined;
    readonly execTimeoutMs?: number | undefined;
    readonly execStderr?: "inherit" | "ignore" | undefined;
    readonly stdinAvailable?: boolean | undefined;
}

interface ForwardPortsOptions {
    readonly ports: readonly (number | string | ForwardedPort)[];
    readonly address?: string | undefined;
    readonly onError?: ((error: unknown) => void) | undefined;
    readonly signal?: AbortSignal | undefined;
}

interface ForwardedPort {
    readonly remote: number | string;
    readonly local?: number | undefined;
}

interface ListContextsOptions {
    readonly kubeconfig?: string | readonly string[] | undefined;
    readonly kubeconfigText?: string | undefined;
    readonly env?: Environment | undefined;
}

interface ManagedCertificate extends CaBundleTargets {
    readonly client: Client;
    readonly secret: {
        readonly namespace: string;
        readonly name: string;
    };
    readonly service?: {
        readonly namespace: string;
        readonly name: string;
    } | undefined;
    readonly hosts?: readonly string[] | undefined;
    readonly lifetimeMs?: number | undefined;
    readonly renewBeforeMs?: number | undefined;
    readonly propagationMs?: number | undefined;
}

interface OpenTransportOptions extends ClusterOptions, ConnectionOverrides, PoolOptions, ExecCredentialOptions {
    readonly impersonate?: Impersonation | undefined;
    readonly persistTokens?: boolean | undefined;
    readonly env?: Environment | undefined;
    readonly clock?: Clock | undefined;
}

interface OpenedTransport {
    readonly transport: Transport;
    readonly namespace: string;
    readonly server: string;
}

interface OperationsOptions {
    readonly port?: number | undefined;
    readonly host?: string | undefined;
    readonly metrics?: false | Omit<MetricParts, "manager"> | undefined;
    readonly profiling?: boolean | {
        readonly token: string;
    } | undefined;
    readonly checkTimeoutMs?: number | undefined;
    readonly log?: Log | undefined;
}

interface OperationsServer extends AsyncDisposable {
    readonly url: string;
    readonly port: number;
    close(): Promise<void>;
}

type PoolOptions = Omit<UndiciTransportOptions, "server" | "tls" | "proxy" | "clock">;

interface PortForward extends AsyncDisposable {
    readonly ports: readonly {
        readonly local: number;
        readonly remote: number | string;
    }[];
    close(): Promise<void>;
}

interface ProxyHandlers {
    request(request: IncomingMessage, response: ServerResponse): void;
    upgrade(request: IncomingMessage, socket: Duplex, head: Uint8Array): void;
}

interface ServeProxyOptions {
    readonly port?: number | undefined;
    readonly host?: string | undefined;
    readonly tls?: {
        readonly cert: string;
        readonly key: string;
    } | undefined;
}

interface ServeWebhooksOptions {
    readonly handlers: Readonly<Record<string, WebhookHandler>>;
    readonly certificate: ManagedCertificate | CertificateFiles;
    readonly port?: number | undefined;
    readonly host?: string | undefined;
    readonly clientCa?: string | undefined;
    readonly log?: Log | undefined;
    readonly clock?: Clock | undefined;
}

interface ServedProxy extends AsyncDisposable {
    readonly url: string;
    readonly port: number;
    close(): Promise<void>;
}

interface SnapshotStorage {
    read(name: string): Promise<Uint8Array | undefined>;
    write(name: string, bytes: Uint8Array): Promise<void>;
    remove(name: string): Promise<void>;
}

interface TlsOptions {
    readonly ca?: string | Uint8Array | undefined;
    readonly cert?: string | Uint8Array | undefined;
    readonly key?: string | Uint8Array | undefined;
    readonly servername?: string | undefined;
    readonly insecureSkipVerify?: boolean | undefined;
}

interface UndiciTransport extends Transport {
    connect(request: TransportRequest, protocols: readonly string[]): Promise<TransportSocket>;
    drain(): Promise<void>;
}

interface UndiciTransportOptions {
    readonly server: string;
    readonly tls?: TlsOptions | undefined;
    readonly dispatcher?: Pick<Dispatcher, "dispatch"> | undefined;
    readonly proxy?: URL | undefined;
    readonly http2?: boolean | undefined;
    readonly compression?: boolean | undefined;
    readonly maxConnections?: number | undefined;
    readonly connectTimeoutMs?: number | undefined;
    readonly headersTimeoutMs?: number | undefined;
    readonly keepAliveTimeoutMs?: number | undefined;
    readonly clock?: Clock | undefined;
}

interface WebhookServer extends Runnable, MetricSource, AsyncDisposable {
    readonly url: string;
    readonly port: number;
    readonly needsLeadership: false;
    readonly stopsLast: true;
    check(): string | undefined;
    collect(): readonly MetricFamily[];
    close(): Promise<void>;
}

function connect(options: ConnectOptions & {
    readonly fieldManager: string;
}): Promise<ConnectedClient<string>>;
function connect(options?: ConnectOptions): Promise<ConnectedClient>;

function copyFromPod(client: Pick<Client, "openWebSocket">, pod: PodTarget, from: string, to: string, options?: CopyOptions): Promise<void>;

function copyToPod(client: Pick<Client, "openWebSocket">, pod: PodTarget, from: string, to: string, options?: CopyOptions): Promise<void>;

function createDecodingWorkerMetrics(client: {
    readonly decodingWorker?: DecodingWorkerStatus | undefined;
}): MetricSource;

function createFileStorage(folder: string): SnapshotStorage;

function createProcessMetrics(): MetricSource;

function createUndiciTransport(options: UndiciTransportOptions): UndiciTransport;

function forwardPorts(client: Pick<Client, "openWebSocket" | "request">, target: PodTarget | ServiceTarget, options: ForwardPortsOptions): Promise<PortForward>;

function listContexts(options?: ListContextsOptions): Promise<readonly ContextSummary[]>;

function openTransport(options?: OpenTransportOptions): Promise<OpenedTransport>;

function proxyHandlers(proxy: Proxy): ProxyHandlers;

function serveOperations(manager: Manager, options?: OperationsOptions): Promise<OperationsServer>;

function serveProxy(proxy: Proxy, options?: ServeProxyOptions): Promise<ServedProxy>;

function serveWebhooks(options: ServeWebhooksOptions): Promise<WebhookServer>;
