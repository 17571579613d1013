interface MswHandlersOptions {
    readonly url?: string;
}

function createMswHandlers(server: Pick<ApiServer, "handle">, options?: MswHandlersOptions): HttpHandler[];
