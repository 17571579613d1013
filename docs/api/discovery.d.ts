interface ApiCatalog {
    readonly groups: readonly DiscoveredGroup[];
    readonly failures: readonly DiscoveryFailure[];
    readonly readAt: number;
}

interface DiscoveredGroup {
    readonly name: string;
    readonly versions: readonly DiscoveredVersion[];
}

interface DiscoveredResource extends Kind {
    readonly singular: string;
    readonly verbs: readonly string[];
    readonly shortNames: readonly string[];
    readonly categories: readonly string[];
    readonly subresources: readonly DiscoveredSubresource[];
}

interface DiscoveredSubresource {
    readonly name: string;
    readonly responseKind: {
        readonly group: string;
        readonly version: string;
        readonly kind: string;
    };
    readonly verbs: readonly string[];
}

interface DiscoveredVersion {
    readonly group: string;
    readonly version: string;
    readonly stale: boolean;
    readonly resources: readonly DiscoveredResource[];
}

interface Discovery {
    catalog(options?: RequestOptions & {
        readonly fresh?: boolean | undefined;
    }): Promise<ApiCatalog>;
    find(wanted: string | {
        readonly apiVersion?: string | undefined;
        readonly group?: string | undefined;
        readonly kind: string;
    }, options?: RequestOptions): Promise<DiscoveredResource | undefined>;
}

interface DiscoveryFailure {
    readonly group: string;
    readonly version: string;
    readonly error: unknown;
}

interface DiscoveryOptions {
    readonly maxAgeMs?: number | undefined;
    readonly clock?: Clock | undefined;
}

interface OpenApi {
    paths(options?: RequestOptions): Promise<readonly string[]>;
    document(path: string, options?: RequestOptions): Promise<object | undefined>;
}

function compareVersions(a: string, b: string): number;

function createDiscovery(client: Client, options?: DiscoveryOptions): Discovery;

function createOpenApi(client: Client): OpenApi;

function findByCategory(catalog: ApiCatalog, category: string): DiscoveredResource[];

function findByKind(catalog: ApiCatalog, wanted: {
    readonly apiVersion?: string | undefined;
    readonly group?: string | undefined;
    readonly kind: string;
}): DiscoveredResource | undefined;

function findByName(catalog: ApiCatalog, text: string): DiscoveredResource | undefined;

function listResources(catalog: ApiCatalog): DiscoveredResource[];

function parseApiVersion(apiVersion: string): {
    group: string;
    version: string;
};
