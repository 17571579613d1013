import { formatYaml } from "../../internal/yaml-writer.js";
import type { ApiObject } from "../objects/api-object.js";
import { readObject } from "../registry/read.js";
import type { RegistryServices } from "../registry/services.js";

/** Which objects are told. */
export interface DumpOptions {
  /** Objects of this namespace alone, without cluster-scoped ones. Default: all. */
  readonly namespace?: string;
  /** Kinds to tell, as `Pod`. Default: all. */
  readonly kinds?: readonly string[];
}

/** All stored objects in their groups' preferred versions, in the order of kinds, namespaces and names; those that a webhook converts as they are stored. */
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

/** The same as YAML, one document for each object. */
export function dumpYaml(services: RegistryServices, options: DumpOptions = {}): string {
  return dumpObjects(services, options)
    .map((object) => formatYaml(object))
    .join("---\n");
}
