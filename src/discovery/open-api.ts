import type { Client } from "../client/client.js";
import { ProtocolError } from "../errors/errors.js";
import type { RequestOptions } from "../meta/options.js";

/** The OpenAPI v3 documents of a server. The last of each path is kept: its address names its content. */
export interface OpenApi {
  /** The documents there are, by path without leading slash: `api/v1`, `apis/apps/v1`. */
  paths(options?: RequestOptions): Promise<readonly string[]>;
  /** The document of a path or of an `apiVersion` as `apps/v1`; `undefined` if there is none. */
  document(path: string, options?: RequestOptions): Promise<object | undefined>;
}

/** Makes access to a server's OpenAPI documents. */
export function createOpenApi(client: Client): OpenApi {
  const documents = new Map<string, { readonly url: string; readonly document: object }>();
  const index = async (options: RequestOptions): Promise<Map<string, string>> => {
    const response = await client.request({
      ...options,
      path: "/openapi/v3",
      accept: "application/json",
      action: "read the index of OpenAPI documents",
    });
    const body = (await response.json()) as {
      paths?: Readonly<Record<string, { serverRelativeURL?: unknown } | null>>;
    } | null;
    if (typeof body?.paths !== "object" || (body.paths as unknown) === null)
      throw new ProtocolError("read the index of OpenAPI documents: the answer has no paths");
    return new Map(
      Object.entries(body.paths).flatMap(([path, entry]) =>
        typeof entry?.serverRelativeURL === "string" ? [[path, entry.serverRelativeURL] as const] : [],
      ),
    );
  };
  return {
    async paths(options = {}) {
      return [...(await index(options)).keys()];
    },
    async document(path, options = {}) {
      const known = await index(options);
      const url = known.get(path) ?? known.get(path.includes("/") ? `apis/${path}` : `api/${path}`);
      if (url === undefined) return undefined;
      const [route = "", query = ""] = url.split("?");
      const kept = documents.get(route);
      if (kept?.url === url) return kept.document;
      if (!route.startsWith("/openapi/"))
        throw new ProtocolError(
          `read the OpenAPI document of ${path}: the server names ${JSON.stringify(route.slice(0, 80))} as its place`,
        );
      const response = await client.request({
        ...options,
        path: route,
        query: Object.fromEntries(new URLSearchParams(query)),
        action: `read the OpenAPI document of ${path}`,
      });
      const document = (await response.json()) as object;
      documents.set(route, { url, document });
      return document;
    },
  };
}
