interface MswHandlersOptions {
    readonly url?: string | undefined;
}

function createMswHandlers(server: Pick<ApiServer, "handle">, options?: MswHandlersOptions): HttpHandler[];
