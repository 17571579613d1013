import { ProtocolError } from "../../errors/errors.js";
import { metaV1 } from "../../gen/proto/meta/v1.js";
import type { ProtobufSchema } from "../../gen/proto/schema.js";
import { type MessageType, messageOf } from "./table.js";

/** Finds the message of a kind. */
export interface Registry {
  /** The message; `undefined` for a kind that no table has. */
  find(apiVersion: string, kind: string): MessageType | undefined;
  /** The message. Throws a `ProtocolError` for a kind that no table has. */
  get(apiVersion: string, kind: string): MessageType;
  /** A message of the meta/v1 table. */
  meta(name: string): MessageType;
}

/** Makes a registry of the tables. Nothing of them is read before a message is asked for. */
export function createRegistry(schemas: readonly ProtobufSchema[]): Registry {
  let kinds: Map<string, ProtobufSchema> | undefined;
  // Every event of a watch asks for the same one.
  let last: MessageType | undefined;
  let lastVersion = "";
  let lastKind = "";
  const find = (apiVersion: string, kind: string): MessageType | undefined => {
    kinds ??= indexKinds(schemas);
    const schema = kinds.get(`${apiVersion}/${kind}`) ?? kinds.get(`*/${kind}`);
    return schema === undefined ? undefined : messageOf(schema, kind);
  };
  return {
    find,
    get(apiVersion, kind) {
      if (last !== undefined && kind === lastKind && apiVersion === lastVersion) return last;
      const type = find(apiVersion, kind);
      if (type === undefined) throw new ProtocolError(`no Protobuf message is known for ${apiVersion} ${kind}`);
      last = type;
      lastVersion = apiVersion;
      lastKind = kind;
      return type;
    },
    meta: (name) => messageOf(metaV1, name),
  };
}

function indexKinds(schemas: readonly ProtobufSchema[]): Map<string, ProtobufSchema> {
  const kinds = new Map<string, ProtobufSchema>();
  for (const schema of [metaV1, ...schemas]) {
    for (const [apiVersion, names] of Object.entries(schema.kinds))
      for (const name of names.split(" ")) kinds.set(`${apiVersion}/${name}`, schema);
  }
  // The older version has no tables of its own: its messages are those of v1.
  for (const name of metaV1.kinds["meta.k8s.io/v1"]?.split(" ") ?? []) kinds.set(`meta.k8s.io/v1beta1/${name}`, metaV1);
  // What tells versions and resources of the core has no version of its own.
  for (const name of ["APIVersions", "APIResourceList"]) kinds.set(`/${name}`, metaV1);
  return kinds;
}
