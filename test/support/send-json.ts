import type { ApiServer } from "../../src/apiserver/server.js";

/** Request of `sendJson`. */
export interface JsonRequest {
  readonly method: string;
  /** Path with the query. */
  readonly path: string;
  /** Content of the body. Default: none. */
  readonly body?: unknown;
  /** Media type of the body. Default: a merge patch for PATCH, JSON for other methods. */
  readonly type?: string | undefined;
  /** More headers. Default: none. */
  readonly headers?: Readonly<Record<string, string>> | undefined;
}

/** Response to `sendJson`. */
export interface JsonResponse<Body> {
  readonly status: number;
  readonly headers: Headers;
  readonly body: Body;
}

/** Sends a request with a body in JSON to a server in this process, and parses the response. */
export async function sendJson<Body = Record<string, unknown>>(
  server: Pick<ApiServer, "handle">,
  { method, path, body, headers, type = typeFor(method) }: JsonRequest,
): Promise<JsonResponse<Body>> {
  const content =
    body === undefined ? { headers } : { body: JSON.stringify(body), headers: { ...headers, "content-type": type } };
  const response = await server.handle(new Request(`http://server${path}`, { method, ...content }));
  return { status: response.status, headers: response.headers, body: (await response.json()) as Body };
}

function typeFor(method: string): string {
  return method === "PATCH" ? "application/merge-patch+json" : "application/json";
}
