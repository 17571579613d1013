interface ListenOptions {
    readonly port?: number;
    readonly host?: string;
    readonly tls?: {
        readonly cert: string;
        readonly key: string;
    };
    readonly allowedHosts?: readonly string[];
    readonly timeouts?: ListenTimeouts;
    readonly intercept?: (request: IncomingMessage, response: ServerResponse) => boolean;
}

interface ListenTimeouts {
    readonly headMs?: number;
    readonly requestMs?: number;
    readonly idleMs?: number;
}

interface Listener {
    readonly url: string;
    readonly secureUrl: string | undefined;
    readonly port: number;
    close(): Promise<void>;
    [Symbol.asyncDispose](): Promise<void>;
}

interface ServerCertificate {
    readonly ca: string;
    readonly cert: string;
    readonly key: string;
}

function createServerCertificate(hosts: readonly string[], nowMs: number): ServerCertificate;

function dumpDirectory(server: Pick<ApiServer, "dump">, directory: string, options?: DumpOptions): Promise<number>;

function listen(server: ApiServer, options?: ListenOptions): Promise<Listener>;

function loadDirectory(server: Pick<ApiServer, "load">, directory: string): Promise<number>;

const nodeWebhookCaller: WebhookCaller;
