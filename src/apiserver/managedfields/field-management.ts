import { whenReady } from "../../internal/when-ready.js";
import type { ManagedFieldsEntry } from "../../meta/object.js";
import { ApiFailure } from "../errors/status.js";
import { allMetadata } from "../kinds/shared/metadata-rules.js";
import type { ApiObject } from "../objects/api-object.js";
import { copyJson, metaOf } from "../objects/metadata.js";
import type { ResourceTable } from "../registry/resource-table.js";
import { apiVersionOf, type ServedResource } from "../registry/resources.js";
import type { FieldManagement } from "../registry/services.js";
import { printGoObject } from "../schema/go-decode.js";
import { coerceMetadata } from "../schema/prune.js";
import { ApplyError, brokenApply } from "./apply-error.js";
import { builtinSchema } from "./builtin-schema.js";
import { customFieldType } from "./custom-scope.js";
import { applyConfiguration, type TrackedUpdate, trackUpdate, withoutTimeChanges } from "./field-manager.js";
import type { FieldScope } from "./field-scope.js";
import { createTypeReader, type TypeRef } from "./field-type.js";
import { mergeConfiguration } from "./merge-configuration.js";
import type { FieldFilter } from "./reset-fields.js";
import { fieldFilter } from "./reset-fields.js";
import { withConversions } from "./with-conversions.js";

/** Parts of field management in which built-in and custom resources differ. */
interface FieldRules {
  /** Handles a manager whose version is no longer served. */
  unknownVersion(wanted: string): void;
  /** Converts an object to another version. The resources of the two versions are passed if they are served. */
  convert(
    object: ApiObject,
    wanted: string,
    from: ServedResource | undefined,
    to: ServedResource | undefined,
  ): ApiObject;
  filter(resource: ServedResource, subresource: string): FieldFilter | undefined;
  /** Completes an applied object in place. */
  finish(object: ApiObject): void;
}

const builtinRules: FieldRules = {
  // Such managers are dropped.
  unknownVersion: () => undefined,
  convert(object, wanted, from, to) {
    const copy = copyJson(object);
    from?.toStorage?.(copy);
    to?.fromStorage?.(copy);
    copy.apiVersion = wanted;
    return copy;
  },
  filter: (resource, subresource) => fieldFilter(resource.strategy, subresource, resource.subresources.has("status")),
  finish: () => undefined,
};

const customRules: FieldRules = {
  unknownVersion(wanted) {
    throw brokenApply(`request to convert CR to an invalid group/version: ${wanted}`);
  },
  // Fields aren't pruned: the schema must know each field in every version that has a manager.
  convert: (object, wanted) => ({ ...object, apiVersion: wanted }),
  filter: (resource, subresource) =>
    fieldFilter({ metadata: { keptByStatus: allMetadata } }, subresource, resource.subresources.has("status")),
  // Unknown fields stay until the object is stored, so that validation reports them.
  finish: (object) => void coerceMetadata(object, undefined),
};

/** Returns the rules of a resource: custom resources have no definition. */
function rulesOf(resource: ServedResource): FieldRules {
  return resource.definition === undefined ? customRules : builtinRules;
}

/** Returns the managers after a write; `undefined` if their versions can't be converted, because the write continues then. */
function managersAfter(update: TrackedUpdate): ManagedFieldsEntry[] | undefined {
  try {
    const tracked = trackUpdate(update);
    return metaOf(update.live === undefined ? tracked : withoutTimeChanges(tracked, update.live)).managedFields;
  } catch (error) {
    if (!(error instanceof ApplyError) && !(error instanceof ApiFailure)) throw error;
    return undefined;
  }
}

/** Creates field management for all resources of the table. */
export function createFieldManagement(resources: ResourceTable): FieldManagement {
  const scopes = new WeakMap<ServedResource, Map<string, FieldScope>>();
  const types = new WeakMap<ServedResource, TypeRef>();
  const readType = createTypeReader(builtinSchema);

  const typeOf = (resource: ServedResource): TypeRef => {
    let type = types.get(resource);
    if (type === undefined) {
      type =
        resource.definition === undefined ? customFieldType(resource.schema) : readType({ $ref: resource.definition });
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
    const { kind, definition } = resource;
    const rules = rulesOf(resource);
    const apiVersion = apiVersionOf(resource);
    const inVersion = (wanted: string): ServedResource | undefined => {
      const slash = wanted.indexOf("/");
      const [wantedGroup, version] = slash < 0 ? ["", wanted] : [wanted.slice(0, slash), wanted.slice(slash + 1)];
      // Managers that used another group, such as those of Events, are dropped.
      return wantedGroup === resource.group ? resources.find(wantedGroup, version, resource.resource) : undefined;
    };
    const empty: ApiObject = { ...(definition === undefined ? {} : printGoObject(definition, {})), apiVersion, kind };
    return {
      apiVersion,
      kind,
      subresource,
      type: (wanted) => {
        const target = wanted === apiVersion ? resource : inVersion(wanted);
        if (target === undefined) rules.unknownVersion(wanted);
        return target === undefined ? undefined : typeOf(target);
      },
      convert: (object, wanted) =>
        rules.convert(object, wanted, inVersion(object.apiVersion ?? apiVersion), inVersion(wanted)),
      empty: () => empty,
      filter: rules.filter(resource, subresource),
    };
  };

  /** Runs work in the scope of a request; waits for webhooks that convert. */
  const inScope = <T>(
    resource: ServedResource,
    subresource: string,
    work: (scope: FieldScope) => T,
  ): T | Promise<T> => {
    const scope = scopeOf(resource, subresource);
    const { converter } = resource;
    if (converter === undefined) return work(scope);
    return withConversions(
      (object, apiVersion) => converter.convert(object, apiVersion),
      (convert) => work({ ...scope, convert }),
    );
  };

  return {
    merge({ resource, live, config }) {
      return copyJson(mergeConfiguration(live, config, typeOf(resource)) as ApiObject);
    },
    update({ resource, live, object, manager, subresource, nowMs, room }) {
      const managers = inScope(resource, subresource, (scope) =>
        managersAfter({ scope, live, updated: object, manager, nowMs, room }),
      );
      return whenReady(managers, (managedFields) => {
        if (managedFields === undefined) delete metaOf(object).managedFields;
        else metaOf(object).managedFields = managedFields;
      });
    },
    async apply({ resource, live, config, manager, force, subresource, nowMs, unstorable }) {
      const stored = (live?.metadata?.uid ?? "") === "" ? undefined : live;
      try {
        const object = copyJson(
          await inScope(resource, subresource, (scope) =>
            applyConfiguration({ scope, live: stored, config, manager, force, nowMs, unstorable }),
          ),
        );
        rulesOf(resource).finish(object);
        return object;
      } catch (error) {
        throw error instanceof ApplyError ? new ApiFailure(error.status) : error;
      }
    },
  };
}
