/** Connection of a request to an aggregated API server. */
export interface ApiConnection {
  /** Address to connect to, `host:port`, instead of that of the URL; the certificate must be valid for the URL. */
  readonly connectTo?: string | undefined;
  /** CA certificate of the server: PEM in base64; `undefined` to use the system's authorities. */
  readonly caBundle?: string | undefined;
  /** True to accept any certificate. */
  readonly insecureSkipTLSVerify: boolean;
  /** Headers that say who the user is, one per value. Those of the request join values of the same name by a comma. */
  readonly userHeaders?: readonly (readonly [name: string, value: string])[] | undefined;
}

/**
 * Function that sends a request to an aggregated API server, and resolves with its response as soon as the headers are
 * there. It doesn't follow redirects.
 */
export type ApiCaller = (request: Request, connection: ApiConnection) => Promise<Response>;

/** Calls aggregated API servers with the platform's `fetch`, which trusts only the system's authorities. */
export const fetchApiCaller: ApiCaller = async (request, { connectTo }) => {
  const url = new URL(request.url);
  if (connectTo !== undefined) url.host = connectTo;
  const { method, headers, signal } = request;
  const body = method === "GET" || method === "HEAD" ? undefined : await request.arrayBuffer();
  return fetch(url, { method, headers, signal, redirect: "manual", ...(body === undefined ? {} : { body }) });
};
