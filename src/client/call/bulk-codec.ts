import type { Codec, CodecTarget } from "../../codec/codec.js";
import { sendRaw } from "./raw.js";
import type { Requester, Shared } from "./requester.js";

/** Newest minor version of Kubernetes 1 whose fields this package knows. */
export const newestKnownMinor = 36;

/** Codecs of a client for built-in kinds and for custom resources. */
type Loads = Partial<Record<"builtIn" | "custom", Promise<Codec | undefined>>>;

const loads = new WeakMap<Shared, Loads>();

/**
 * Loads the client's bulk codec, once per client for built-in kinds and once for custom resources. Returns `undefined` if
 * the client has none, if it doesn't support the kind, or if the server has built-in kinds that are newer than this
 * package: objects with unknown fields could then not be copied and written back as with JSON. Rejects if the codec can't
 * be loaded or the server doesn't report its version; the next call tries again.
 */
export async function loadBulkCodec(requester: Requester, kind: CodecTarget): Promise<Codec | undefined> {
  const { shared } = requester;
  const of = kind.custom === true ? "custom" : "builtIn";
  let loaded = loads.get(shared);
  if (loaded === undefined) loads.set(shared, (loaded = {}));
  const loading = (loaded[of] ??= load(requester, kind));
  try {
    const codec = await loading;
    return codec?.supports(kind) === true ? codec : undefined;
  } catch (error) {
    if (loaded[of] === loading) delete loaded[of];
    throw error;
  }
}

async function load(requester: Requester, kind: CodecTarget): Promise<Codec | undefined> {
  const { bulkCodec, readable } = requester.shared;
  if (bulkCodec === undefined) return undefined;
  const known = kind.custom === true ? true : isServerKnown(requester);
  const [codec, isKnown] = await Promise.all([bulkCodec(kind), known]);
  if (!isKnown) return undefined;
  if (!readable.some(({ mediaType }) => mediaType === codec.mediaType)) readable.push(codec);
  return codec;
}

/** Returns true if the server isn't newer than this package. */
async function isServerKnown(requester: Requester): Promise<boolean> {
  const action = "read the server's version";
  const response = await sendRaw(requester, { path: "/version", action, accept: "application/json" });
  const { major, minor } = (await response.json()) as { major?: unknown; minor?: unknown };
  return Number(major) === 1 && Number.parseInt(String(minor), 10) <= newestKnownMinor;
}
