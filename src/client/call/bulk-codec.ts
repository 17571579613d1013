import type { Codec } from "../../codec/codec.js";
import { sendRaw } from "./raw.js";
import type { Requester, Shared } from "./requester.js";

/** Newest minor version of Kubernetes 1 whose fields this package knows. */
export const newestKnownMinor = 36;

const loading = new WeakMap<Shared, Promise<Codec | undefined>>();

/**
 * Loads the client's bulk codec, once per client. Returns `undefined` if the client has none, or if the server is newer
 * than this package: objects with unknown fields could then not be copied and written back as with JSON. Rejects if the
 * codec can't be loaded or the server doesn't report its version; the next call tries again.
 */
export function loadBulkCodec(requester: Requester): Promise<Codec | undefined> {
  const { shared } = requester;
  let loaded = loading.get(shared);
  if (loaded === undefined) {
    loaded = load(requester);
    loading.set(shared, loaded);
    loaded.catch(() => loading.delete(shared));
  }
  return loaded;
}

async function load(requester: Requester): Promise<Codec | undefined> {
  const { shared } = requester;
  if (shared.bulkCodec === undefined) return undefined;
  const [codec, response] = await Promise.all([
    shared.bulkCodec(),
    sendRaw(requester, { path: "/version", action: "read the server's version", accept: "application/json" }),
  ]);
  const { major, minor } = (await response.json()) as { major?: unknown; minor?: unknown };
  if (Number(major) !== 1 || !(Number.parseInt(String(minor), 10) <= newestKnownMinor)) return undefined;
  if (!shared.readable.some(({ mediaType }) => mediaType === codec.mediaType)) shared.readable.push(codec);
  return codec;
}
