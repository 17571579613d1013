import type { Client } from "../client/client.js";
import { ProtocolError } from "../errors/errors.js";
import type { RequestOptions } from "../meta/options.js";

/**
 * OpenAPI v3 documents of a server. The last version of each document is cached: its URL contains a hash of its
 * content.
 */
export interface OpenApi {
  /** Lists the paths of the available documents, without leading slash: `api/v1`, `apis/apps/v1`. */
  paths(options?: RequestOptions): Promise<readonly string[]>;
  /**
   * Returns the document for a path or an `apiVersion` such as `apps/v1`; `undefined` if the server doesn't have it.
   */
  document(path: string, options?: RequestOptions): Promise<object | undefined>;
}

/**
 * Creates an accessor for a server's OpenAPI documents.
 *
 * @example
 * ```ts
 * import { createOpenApi } from "kubestream/discovery";
 * import { connect } from "kubestream/node";
 *
 * const openApi = createOpenApi(await connect());
 * console.log(await openApi.paths());
 * const apps = await openApi.document("apps/v1");
 * console.log(apps !== undefined);
 * ```
 */
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
      throw new ProtocolError("read the index of OpenAPI documents: the response has no paths");
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
          `read the OpenAPI document of ${path}: unexpected URL ${JSON.stringify(route.slice(0, 80))} in the index`,
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
