import { formatYaml } from "../../internal/yaml/yaml-writer.js";
import type { ApiObject } from "../objects/api-object.js";
import { readObject } from "../registry/read.js";
import type { RegistryServices } from "../registry/services.js";

/** Filters for `ApiServer.dump` and `dumpDirectory`. */
export interface DumpOptions {
  /** Namespace to dump, without cluster-scoped objects. Default: all namespaces and cluster-scoped objects. */
  readonly namespace?: string | undefined;
  /** Kinds to dump, such as `Pod`. Default: all. */
  readonly kinds?: readonly string[] | undefined;
}

/**
 * Returns all stored objects sorted by kind, namespace and name. Objects are in their group's preferred version, except
 * those that need a webhook to convert, which stay in the version that is stored.
 */
export function dumpObjects(services: RegistryServices, options: DumpOptions = {}): ApiObject[] {
  const objects: ApiObject[] = [];
  for (const resource of services.resources.storages()) {
    if (options.kinds !== undefined && !options.kinds.includes(resource.kind)) continue;
    if (options.namespace !== undefined && !resource.namespaced) continue;
    const from = options.namespace === undefined ? "" : `${options.namespace}/`;
    const to = options.namespace === undefined ? undefined : `${options.namespace}0`;
    services.store.bucket(resource.bucket).scan(from, to, services.store.revision, (version) => {
      const storedAs = resource.converter === undefined ? undefined : version.storedAs;
      objects.push(
        storedAs === undefined
          ? readObject(resource, version)
          : {
              kind: resource.kind,
              apiVersion: `${resource.group}/${storedAs}`,
              ...(JSON.parse(version.json!) as ApiObject),
            },
      );
      return undefined;
    });
  }
  return objects;
}

/** Returns the same objects as YAML, one document per object. */
export function dumpYaml(services: RegistryServices, options: DumpOptions = {}): string {
  return dumpObjects(services, options)
    .map((object) => formatYaml(object))
    .join("---\n");
}
