import { ProtocolError } from "../../errors/errors.js";
import { metaV1 } from "../../gen/proto/meta/v1.js";
import type { ProtobufSchema } from "../../gen/protobuf-schema.js";
import { type MessageType, messageOf } from "./table.js";

/** Finds the Protobuf message of a kind. */
export interface Registry {
  /** Returns the message, or `undefined` if no table contains the kind. */
  find(apiVersion: string, kind: string): MessageType | undefined;
  /** Returns the message. Throws a `ProtocolError` if no table contains the kind. */
  get(apiVersion: string, kind: string): MessageType;
  /** Returns a message of the meta/v1 table. */
  meta(name: string): MessageType;
}

/** Creates a registry of tables. A table is parsed when one of its messages is first needed. */
export function createRegistry(schemas: readonly ProtobufSchema[]): Registry {
  let kinds: Map<string, ProtobufSchema> | undefined;
  // Every event of a watch looks up the same message.
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
      if (type === undefined) throw new ProtocolError(`no Protobuf table contains ${apiVersion} ${kind}`);
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
  // The older version has no tables of its own and uses those of v1.
  for (const name of metaV1.kinds["meta.k8s.io/v1"]?.split(" ") ?? []) kinds.set(`meta.k8s.io/v1beta1/${name}`, metaV1);
  // The discovery documents of the core group have no version.
  for (const name of ["APIVersions", "APIResourceList"]) kinds.set(`/${name}`, metaV1);
  return kinds;
}
