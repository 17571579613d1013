import { ApiFailure, failure, methodNotAllowed, notServed, routeFailure } from "../errors/status.js";
import { readObject } from "../registry/read.js";
import type { ResourceOperations, ServedResource } from "../registry/resources.js";
import { dropEmpty } from "../schema/drop-empty.js";
import { filterAccept } from "../wire/negotiate.js";
import { parsePatchType } from "../wire/patch-types.js";
import { builtinScale } from "./builtin-scale.js";
import { decodeBody } from "./decode-body.js";
import { errorsOfChanged, errorsOfNew } from "./own-metadata.js";
import { decodeApplied, decodeTyped, readPatched } from "./read-patched.js";

export const builtinOperations: ResourceOperations & ThisType<ServedResource> = {
  encodings: ["json", "yaml", "protobuf", "cbor"],
  routing: "routes",
  sortedMetadata: false,
  protobuf: true,
  scale: builtinScale,

  checkAccept: filterAccept,
  unknownSubresource: () => notServed(),
  unsupportedVerb: () => methodNotAllowed(),
  isRoutingError: (error) => error instanceof ApiFailure && error.byRoute,
  checkCreate: () => undefined,

  decodeBody(body, context) {
    return decodeBody(this, body, context);
  },
  decodeObject(object) {
    return decodeTyped(this, object);
  },
  patchType(contentType) {
    const found = parsePatchType(contentType);
    if (found === undefined) throw routeFailure(415, "UnsupportedMediaType", "415: Unsupported Media Type");
    return found;
  },
  readPatched(patched, context) {
    return readPatched(this, patched, context);
  },
  decodeApplied(object) {
    decodeApplied(this, object);
  },

  kindInErrors() {
    // Errors name Events in the core group, whichever group was used.
    return this.bucket === "/events" ? { group: "", kind: this.kind } : this;
  },
  checkTyped: () => undefined,
  errorsOfNew(object, own) {
    return errorsOfNew(this, object, own);
  },
  errorsOfChanged(object, old, subresource) {
    return errorsOfChanged(this, object, old, subresource);
  },

  fitStored(object) {
    if (this.definition !== undefined) dropEmpty(this.definition, object);
    this.strategy.fillStored?.(object);
  },
  isUnchanged: (_form, _current, timesOnly) => timesOnly,
  fillRead: () => undefined,
  loadedForm(object) {
    this.toStorage?.(object);
    return { object, storedAs: undefined };
  },

  listMetadata: (metadata) => metadata,
  listItem(object) {
    delete object.kind;
    delete object.apiVersion;
    return object;
  },
  itemJson(version) {
    return this.fromStorage === undefined ? version.json! : JSON.stringify(this.listItem(readObject(this, version)));
  },
  notAList() {
    return failure(
      406,
      "NotAcceptable",
      `you requested PartialObjectMetadataList, but the requested object is not a list (${this.kind})`,
    );
  },
  discoveryKind(kind) {
    return kind.group !== this.group || kind.version !== this.version
      ? { group: kind.group, version: kind.version, kind: kind.kind }
      : { group: "", version: "", kind: kind.kind };
  },
};
