import { builtinSchema } from "../../src/apiserver/managedfields/builtin-schema.js";
import type { FieldScope } from "../../src/apiserver/managedfields/field-scope.js";
import { createTypeReader, type TypeRef } from "../../src/apiserver/managedfields/field-type.js";
import { fieldFilter } from "../../src/apiserver/managedfields/reset-fields.js";
import type { ApiObject } from "../../src/apiserver/objects/api-object.js";
import { definitionNameOf } from "../../src/gen/openapi/definitions.js";

const readType = createTypeReader(builtinSchema);

function typeOf(apiVersion: string, kind: string): TypeRef | undefined {
  const slash = apiVersion.indexOf("/");
  const name = definitionNameOf(apiVersion.slice(0, Math.max(slash, 0)), apiVersion.slice(slash + 1), kind);
  return name === undefined ? undefined : readType({ $ref: name });
}

/**
 * Returns the field management of a built-in kind, without a server. By default, it converts objects by changing only
 * their `apiVersion`.
 */
export function builtinFieldScope(
  apiVersion: string,
  kind: string,
  { subresource = "", hasStatus = false }: { readonly subresource?: string; readonly hasStatus?: boolean } = {},
): FieldScope {
  return {
    apiVersion,
    kind,
    subresource,
    type: (wanted) => typeOf(wanted, kind),
    convert: (object, wanted): ApiObject => ({ ...object, apiVersion: wanted }),
    empty: () => ({ apiVersion, kind }),
    filter: fieldFilter({}, subresource, hasStatus),
  };
}
