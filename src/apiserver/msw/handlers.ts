import type { HttpHandler } from "msw";
import { http } from "msw";
import { trimEnd } from "../../internal/trim-end.js";
import type { ApiServer } from "../server.js";

/** Options for `createMswHandlers`. */
export interface MswHandlersOptions {
  /**
   * Base URL of the intercepted requests, such as `https://cluster.test`. Default: `https://kubernetes.default.svc`.
   */
  readonly url?: string | undefined;
}

/**
 * Prepends an empty chunk to the body. In Node, msw 3 delivers the status only with the first chunk, and a watch may
 * not produce one for hours.
 */
function withEmptyFirstChunk(response: Response): Response {
  if (response.body === null) return response;
  const first = new TransformStream<Uint8Array, Uint8Array>({
    start: (controller) => controller.enqueue(new Uint8Array(0)),
  });
  return new Response(response.body.pipeThrough(first), response);
}

/**
 * Creates Mock Service Worker handlers that route every request under a base URL to an API server, watches included.
 * They work in Node and in browsers, with msw 2 and 3.
 *
 * @example
 * ```ts
 * import { setupServer } from "msw/node";
 * import { createApiServer } from "kubestream/apiserver";
 * import { createMswHandlers } from "kubestream/apiserver/msw";
 *
 * const server = createApiServer();
 * const worker = setupServer(...createMswHandlers(server, { url: "https://cluster.test" }));
 * worker.listen();
 * console.log((await fetch("https://cluster.test/api/v1/namespaces")).status);
 * worker.close();
 * await server.close();
 * ```
 */
export function createMswHandlers(server: Pick<ApiServer, "handle">, options: MswHandlersOptions = {}): HttpHandler[] {
  const base = trimEnd(options.url ?? "https://kubernetes.default.svc", "/");
  const resolver = async ({ request }: { request: Request }): Promise<Response> =>
    withEmptyFirstChunk(await server.handle(request));
  return [http.all(`${base}/*`, resolver), http.all(base, resolver)];
}
