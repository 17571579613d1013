import { http } from "msw";
import type { HttpHandler } from "msw";
import type { ApiServer } from "../server.js";

/** Which requests the API server answers. */
export interface MswHandlersOptions {
  /** Base URL that clients are given, as `https://cluster.test`. Default: `https://kubernetes.default.svc`. */
  readonly url?: string;
}

/**
 * Makes Mock Service Worker's handlers that let an API server answer every request under a base URL, watches included, in
 * Node and in browsers. They work with msw 2 and 3.
 */
export function createMswHandlers(server: Pick<ApiServer, "handle">, options: MswHandlersOptions = {}): HttpHandler[] {
  const base = (options.url ?? "https://kubernetes.default.svc").replace(/\/+$/, "");
  const resolver = ({ request }: { request: Request }): Promise<Response> => server.handle(request);
  return [http.all(`${base}/*`, resolver), http.all(base, resolver)];
}
