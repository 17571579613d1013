import {
  beforeHandling,
  failure,
  internalError,
  notFound,
  notSupported,
  PlainFailure,
  rawError,
} from "../errors/status.js";
import { metaOf } from "../objects/metadata.js";
import { validateMetadata, validateMetadataUpdate } from "../objects/validate-metadata.js";
import { readJson } from "../registry/read.js";
import type { ResourceOperations, ServedResource } from "../registry/resources.js";
import { apiVersionOf, groupVersionOf } from "../registry/resources.js";
import { isStored } from "../registry/stored-version.js";
import { dropPlainNulls } from "../schema/default-values.js";
import { coerceMetadata, pruneObject } from "../schema/prune.js";
import { parsePatchType } from "../wire/patch-types.js";
import { decodeBody } from "./decode-body.js";
import { decodeCustom } from "./decode-custom.js";
import { readPatched } from "./read-patched.js";

const acceptedPatches = [
  "application/json-patch+json",
  "application/merge-patch+json",
  "application/apply-patch+yaml",
  "application/apply-patch+cbor",
];

/** Operations that all custom resources share. Each resource adds its scale and whether it accepts new objects. */
export const customOperations: Omit<ResourceOperations, "scale" | "checkCreate"> & ThisType<ServedResource> = {
  encodings: ["json", "yaml", "cbor"],
  routing: "verbs",
  sortedMetadata: true,
  protobuf: false,

  checkAccept: () => undefined,
  unknownSubresource(name) {
    return beforeHandling(notFound({ group: this.group, resource: this.resource }, name));
  },
  unsupportedVerb(verb) {
    return beforeHandling(notSupported({ group: this.group, resource: this.resource }, verb));
  },
  isRoutingError: (error) => error instanceof PlainFailure,

  decodeBody(body, context) {
    return decodeBody(this, body, context);
  },
  decodeObject(object) {
    return decodeCustom(this, object);
  },
  patchType(contentType) {
    const found = parsePatchType(contentType);
    if (found === undefined || found.kind === "strategic")
      throw failure(
        415,
        "UnsupportedMediaType",
        `the body of the request was in an unknown format - accepted media types include: ${acceptedPatches.join(", ")}`,
      );
    return found;
  },
  readPatched(patched, context) {
    return readPatched(this, patched, context);
  },
  // Nulls that the merge leaves are rejected by validation.
  decodeApplied: () => undefined,

  kindInErrors(object) {
    const apiVersion = object.apiVersion ?? apiVersionOf(this);
    return { group: groupVersionOf(apiVersion).group, kind: object.kind ?? this.kind };
  },
  checkTyped({ apiVersion = "" }) {
    if (apiVersion === "") throw internalError("Object 'apiVersion' is missing in 'object has no apiVersion field'");
  },
  // The strategy validates the metadata of new objects itself.
  errorsOfNew: (_object, own) => [...own],
  errorsOfChanged: (object, old) => [
    ...validateMetadata(metaOf(object)),
    ...validateMetadataUpdate(metaOf(object), metaOf(old)),
  ],

  fitStored(object) {
    if (this.converter !== undefined) return;
    pruneObject(object, this.schema);
    dropPlainNulls(object, this.schema);
    coerceMetadata(object, this.schema);
  },
  isUnchanged: (form, current) => isStored(form, current),
  // A status that was missing in the request gets its defaults.
  fillRead(object) {
    this.strategy.defaults?.(object, 0);
  },
  // A loaded object is stored in the version it has.
  loadedForm(object) {
    return { object, storedAs: this.version };
  },

  listMetadata: (metadata) => ({ continue: "", ...metadata }),
  listItem: (object) => object,
  itemJson(version) {
    return readJson(this, version);
  },
  notAList: () => rawError("content is not a list"),
  discoveryKind: ({ group, version, kind }) => ({ group, version, kind }),
};
