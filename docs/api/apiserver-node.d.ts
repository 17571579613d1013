interface CertificateAuthority {
    readonly ca: string;
    readonly key: string;
    server(hosts: readonly string[]): KeyPair;
    client(name: string, groups?: readonly string[]): KeyPair;
}

interface KeyPair {
    readonly cert: string;
    readonly key: string;
}

interface KubeletListenOptions {
    readonly host?: string | undefined;
    readonly port?: number | undefined;
    readonly tls?: {
        readonly cert: string;
        readonly key: string;
    } | undefined;
    readonly clientCa?: string | undefined;
    readonly webhook?: boolean | undefined;
}

interface ListenOptions {
    readonly port?: number | undefined;
    readonly host?: string | undefined;
    readonly tls?: {
        readonly cert: string;
        readonly key: string;
    } | undefined;
    readonly allowedHosts?: readonly string[] | undefined;
    readonly timeouts?: ListenTimeouts | undefined;
    readonly intercept?: ((request: IncomingMessage, response: ServerResponse) => boolean) | undefined;
}

interface ListenTimeouts {
    readonly headMs?: number | undefined;
    readonly requestMs?: number | undefined;
    readonly idleMs?: number | undefined;
}

interface Listener {
    readonly url: string;
    readonly secureUrl: string | undefined;
    readonly port: number;
    close(): Promise<void>;
    [Symbol.asyncDispose](): Promise<void>;
}

interface NodeApiCallerOptions {
    readonly cert?: string | undefined;
    readonly key?: string | undefined;
}

interface ServerCertificate {
    readonly ca: string;
    readonly cert: string;
    readonly key: string;
}

function createCertificateAuthority(nowMs: number): CertificateAuthority;

function createKubeletListener(options?: KubeletListenOptions): KubeletListener;

function createNodeApiCaller({ cert, key }?: NodeApiCallerOptions): ApiCaller;

function createServerCertificate(hosts: readonly string[], nowMs: number): ServerCertificate;

function dumpDirectory(server: Pick<ApiServer, "dump">, directory: string, options?: DumpOptions): Promise<number>;

function listen(server: ApiServer, options?: ListenOptions): Promise<Listener>;

function loadDirectory(server: Pick<ApiServer, "load">, directory: string): Promise<number>;

const nodeIssuerFetch: IssuerFetch;

const nodeWebhookCaller: WebhookCaller;
