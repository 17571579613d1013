interface Proxy {
    handle(request: Request): Promise<Response>;
    upgrade(request: Request): Promise<Response | ProxySocket>;
}

interface ProxyCluster {
    readonly transport: Transport;
}

interface ProxyEvent {
    readonly user: ProxyUser | undefined;
    readonly cluster: string | undefined;
    readonly method: string;
    readonly path: string;
    readonly info: RequestInfo | undefined;
    readonly status: number;
    readonly refused?: string | undefined;
    readonly durationMs: number;
}

interface ProxyLimits {
    readonly bodyBytes?: number | undefined;
    readonly perUser?: number | undefined;
    readonly total?: number | undefined;
    readonly streams?: number | undefined;
    readonly recheckMs?: number | undefined;
    readonly responseMs?: number | undefined;
}

interface ProxyOptions {
    readonly clusters: Readonly<Record<string, ProxyCluster>>;
    readonly authenticate: "none" | ((request: Request) => ProxyUser | undefined | Promise<ProxyUser | undefined>);
    readonly impersonate?: boolean | undefined;
    readonly allow?: readonly ProxyRule[] | ((user: ProxyUser | undefined, cluster: string) => readonly ProxyRule[]) | undefined;
    readonly basePath?: string | undefined;
    readonly hosts?: readonly string[] | undefined;
    readonly origins?: readonly string[] | undefined;
    readonly shareWatches?: boolean | undefined;
    readonly clock?: Clock | undefined;
    readonly limits?: ProxyLimits | undefined;
    readonly audit?: ((event: ProxyEvent) => void) | undefined;
    readonly onError?: ((error: unknown) => void) | undefined;
}

interface ProxyRule {
    readonly verbs?: readonly string[] | undefined;
    readonly groups?: readonly string[] | undefined;
    readonly resources?: readonly string[] | undefined;
    readonly namespaces?: readonly string[] | undefined;
    readonly names?: readonly string[] | undefined;
    readonly paths?: readonly string[] | undefined;
}

interface ProxySocket {
    readonly protocol: string;
    readonly socket: TransportSocket;
}

interface ProxyUser {
    readonly name: string;
    readonly groups?: readonly string[] | undefined;
    readonly extra?: Readonly<Record<string, readonly string[]>> | undefined;
}

function createProxy(options: ProxyOptions): Proxy;

const readRules: readonly ProxyRule[];
