import type { PathItem } from "../../gen/openapi/paths.js";
import type { Descriptions } from "./descriptions.js";

/** Content for the documents of the built-in groups. */
export interface OpenApiSource {
  /** Descriptions of the built-in kinds. */
  readonly descriptions: Descriptions;
  /** Names of the documents of built-in groups, such as `api/v1` and `apis/apps/v1`. */
  readonly documentNames: readonly string[];
  /** Returns the paths of a document; `undefined` if it's unknown. */
  pathsOf(document: string): Readonly<Record<string, PathItem>> | undefined;
}

let loaded: Promise<OpenApiSource> | undefined;

/** Loads the source. It is in modules of its own because only OpenAPI documents need it, and it is large. */
export function loadOpenApiSource(): Promise<OpenApiSource> {
  loaded ??= load();
  return loaded;
}

async function load(): Promise<OpenApiSource> {
  const [{ descriptions }, { documentNames, pathsOf }] = await Promise.all([
    import("../../gen/openapi/descriptions.js"),
    import("../../gen/openapi/paths.js"),
  ]);
  return { descriptions: JSON.parse(descriptions) as Descriptions, documentNames, pathsOf };
}
