/** Port of a Service that the server connects to, for a webhook or an aggregated API. */
export interface ServiceReference {
  /** Namespace of the Service. */
  readonly namespace: string;
  /** Name of the Service. */
  readonly name: string;
  /** Port of the Service. */
  readonly port: number;
}

/** Function in this process that answers the requests to a Service. */
export type ServiceHandler = (request: Request) => Response | Promise<Response>;

/**
 * Function that finds the program behind a Service. Returns the start of its URL, such as `https://127.0.0.1:9443`, a
 * function that answers the requests, or `undefined` to look up the stored Service.
 */
export type ServiceResolver = (
  service: ServiceReference,
) => string | ServiceHandler | undefined | Promise<string | ServiceHandler | undefined>;

/** Place of a Service. */
export interface ServicePlace {
  /** Start of the URL, without a slash at the end. */
  readonly origin: string;
  /** Address to connect to, `host:port`, if it isn't that of the URL. */
  readonly connectTo?: string | undefined;
  /** True if a `ServiceResolver` found the place. */
  readonly resolved?: true | undefined;
  /** Function that answers the requests, in place of a connection. */
  readonly handler?: ServiceHandler | undefined;
}

/** Finds the place of a Service. Rejects with the reason if it has none. */
export type FindService = (service: ServiceReference) => Promise<ServicePlace>;
