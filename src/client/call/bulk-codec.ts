import type { Codec, CodecTarget } from "../../codec/codec.js";
import { sendRaw } from "./raw.js";
import type { Requester, Shared } from "./requester.js";

/** Newest minor version of Kubernetes 1 whose fields this package knows. */
export const newestKnownMinor = 36;

type Loading = WeakMap<Shared, Promise<Codec | undefined>>;

const builtIn: Loading = new WeakMap();
const custom: Loading = new WeakMap();

/**
 * Loads the client's bulk codec, once per client for built-in kinds and once for custom resources. Returns `undefined` if
 * the client has none, or if the server has built-in kinds that are newer than this package: objects with unknown fields
 * could then not be copied and written back as with JSON. Rejects if the codec can't be loaded or the server doesn't
 * report its version; the next call tries again.
 */
export function loadBulkCodec(requester: Requester, kind: CodecTarget): Promise<Codec | undefined> {
  const { shared } = requester;
  const loading = kind.custom === true ? custom : builtIn;
  let loaded = loading.get(shared);
  if (loaded === undefined) {
    loaded = load(requester, kind);
    loading.set(shared, loaded);
    loaded.catch(() => loading.delete(shared));
  }
  return loaded;
}

async function load(requester: Requester, kind: CodecTarget): Promise<Codec | undefined> {
  const { shared } = requester;
  if (shared.bulkCodec === undefined || kind.custom === true) return shared.bulkCodec?.(kind);
  const [codec, response] = await Promise.all([
    shared.bulkCodec(kind),
    sendRaw(requester, { path: "/version", action: "read the server's version", accept: "application/json" }),
  ]);
  const { major, minor } = (await response.json()) as { major?: unknown; minor?: unknown };
  if (Number(major) !== 1 || !(Number.parseInt(String(minor), 10) <= newestKnownMinor)) return undefined;
  if (!shared.readable.some(({ mediaType }) => mediaType === codec.mediaType)) shared.readable.push(codec);
  return codec;
}
