import type { FieldManagement } from "../core.js";
import { copyJson, metaOf } from "../registry/metadata.js";
import { apiVersionOf, type ResourceTable, type ServedResource } from "../registry/resources.js";
import type { ApiObject } from "../registry/strategy.js";
import { printGoObject } from "../schema/go-decode.js";
import { coerceMetadata } from "../schema/prune.js";
import { ApiFailure } from "../status.js";
import { ApplyError } from "./apply-error.js";
import { builtinSchema } from "./builtin-scope.js";
import { customFieldType } from "./custom-scope.js";
import { applyConfiguration, trackUpdate, withoutTimeChanges } from "./field-manager.js";
import type { FieldScope } from "./field-scope.js";
import { createTypeReader, type TypeRef } from "./field-type.js";
import { builtinFieldFilter, customFieldFilter } from "./reset-fields.js";

/** Field management for all that the table serves. */
export function createFieldManagement(resources: ResourceTable): FieldManagement {
  const scopes = new WeakMap<ServedResource, Map<string, FieldScope>>();
  const types = new WeakMap<ServedResource, TypeRef>();
  const readType = createTypeReader(builtinSchema);

  const typeOf = (resource: ServedResource): TypeRef => {
    let type = types.get(resource);
    if (type === undefined) {
      type = resource.definition === undefined ? customFieldType(resource.custom?.schema) : readType({ $ref: resource.definition });
      types.set(resource, type);
    }
    return type;
  };

  const scopeOf = (resource: ServedResource, subresource: string): FieldScope => {
    let known = scopes.get(resource);
    if (known === undefined) scopes.set(resource, (known = new Map<string, FieldScope>()));
    let scope = known.get(subresource);
    if (scope === undefined) known.set(subresource, (scope = makeScope(resource, subresource)));
    return scope;
  };

  const makeScope = (resource: ServedResource, subresource: string): FieldScope => {
    const { group, kind, definition } = resource;
    const apiVersion = apiVersionOf(resource);
    const hasStatus = resource.subresources.has("status");
    const inVersion = (wanted: string): ServedResource | undefined => {
      const slash = wanted.indexOf("/");
      const [wantedGroup, version] = slash < 0 ? ["", wanted] : [wanted.slice(0, slash), wanted.slice(slash + 1)];
      return resources.find(wantedGroup, version, resource.resource);
    };
    const empty: ApiObject = { ...(definition === undefined ? {} : (printGoObject(definition, {}))), apiVersion, kind };
    return {
      apiVersion,
      kind,
      subresource,
      type: (wanted) => {
        const target = wanted === apiVersion ? resource : inVersion(wanted);
        return target === undefined ? undefined : typeOf(target);
      },
      convert: (object, wanted) => {
        const copy = copyJson(object);
        inVersion(object.apiVersion ?? apiVersion)?.toStorage?.(copy);
        inVersion(wanted)?.fromStorage?.(copy);
        copy.apiVersion = wanted;
        return copy;
      },
      empty: () => empty,
      filter: resource.custom === undefined ? builtinFieldFilter(group, kind, subresource, hasStatus) : customFieldFilter(subresource, hasStatus),
    };
  };

  return {
    update({ resource, live, object, manager, subresource, nowMs }) {
      const tracked = trackUpdate({ scope: scopeOf(resource, subresource), live, updated: object, manager, nowMs });
      const result = live === undefined ? tracked : withoutTimeChanges(tracked, live);
      const { managedFields } = metaOf(result);
      if (managedFields === undefined) delete metaOf(object).managedFields;
      else metaOf(object).managedFields = managedFields;
    },
    apply({ resource, live, config, manager, force, subresource, nowMs }) {
      const stored = (live?.metadata?.uid ?? "") === "" ? undefined : live;
      try {
        const object = copyJson(applyConfiguration({ scope: scopeOf(resource, subresource), live: stored, config, manager, force, nowMs }));
        if (resource.custom !== undefined) coerceMetadata(object, resource.custom.schema);
        return object;
      } catch (error) {
        throw error instanceof ApplyError ? new ApiFailure(error.status) : error;
      }
    },
  };
}
