import { concatBytes, utf8Encode } from "../../internal/bytes.js";
import type { ServedResource } from "../registry/resources.js";
import { apiVersionOf } from "../registry/resources.js";
import type { Version } from "../storage/bucket.js";

/** Characters that are encoded at once. One text for a whole list would take twice the memory, and V8 limits its length. */
const pieceLength = 65_536;

/** Encodes a list of stored objects as JSON from their texts. */
export function jsonList(resource: ServedResource, versions: readonly Version[], metadata: object): Uint8Array {
  const { listKind: kind } = resource;
  const head = JSON.stringify({ kind, apiVersion: apiVersionOf(resource), metadata, items: [] });
  const pieces: Uint8Array[] = [];
  let text = head.slice(0, -"]}".length);
  let separator = "";
  for (const version of versions) {
    text += separator + resource.itemJson(version);
    separator = ",";
    if (text.length < pieceLength) continue;
    pieces.push(utf8Encode(text));
    text = "";
  }
  pieces.push(utf8Encode(`${text}]}\n`));
  return concatBytes(pieces);
}
