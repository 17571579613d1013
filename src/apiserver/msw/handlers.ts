import type { HttpHandler } from "msw";
import { http } from "msw";
import type { ApiServer } from "../server.js";

/** Which requests the API server answers. */
export interface MswHandlersOptions {
  /** Base URL that clients are given, as `https://cluster.test`. Default: `https://kubernetes.default.svc`. */
  readonly url?: string;
}

/** The same response with an empty piece before its body: msw 3 tells clients in Node of the status only with the first piece, and a watch may have none for hours. */
function opened(response: Response): Response {
  if (response.body === null) return response;
  const first = new TransformStream<Uint8Array, Uint8Array>({
    start: (controller) => controller.enqueue(new Uint8Array(0)),
  });
  return new Response(response.body.pipeThrough(first), response);
}

/**
 * Makes Mock Service Worker's handlers that let an API server answer every request under a base URL, watches included, in
 * Node and in browsers. They work with msw 2 and 3.
 */
export function createMswHandlers(server: Pick<ApiServer, "handle">, options: MswHandlersOptions = {}): HttpHandler[] {
  const base = (options.url ?? "https://kubernetes.default.svc").replace(/\/+$/, "");
  const resolver = async ({ request }: { request: Request }): Promise<Response> => opened(await server.handle(request));
  return [http.all(`${base}/*`, resolver), http.all(base, resolver)];
}
