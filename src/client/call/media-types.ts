import type { Codec } from "../../codec/codec.js";

/** Returns a media type in lower case without its parameters; `""` for `null`. */
export function baseMediaType(contentType: string | null): string {
  if (contentType === null) return "";
  const end = contentType.indexOf(";");
  return (end < 0 ? contentType : contentType.slice(0, end)).trim().toLowerCase();
}

/** Returns the codec for a response's content type; `undefined` if no codec matches. */
export function codecFor(codecs: readonly Codec[], contentType: string | null): Codec | undefined {
  for (const codec of codecs) if (codec.mediaType === contentType) return codec;
  const base = baseMediaType(contentType);
  return codecs.find((codec) => baseMediaType(codec.mediaType) === base);
}

/** Returns the codec for a watch stream's content type; `undefined` if no codec matches. */
export function watchCodecFor(codecs: readonly Codec[], contentType: string | null): Codec | undefined {
  const base = baseMediaType(contentType);
  return codecs.find((codec) => baseMediaType(codec.watchMediaType) === base);
}

/** Builds an `Accept` value that lists media types in order of preference. */
export function acceptOf(mediaTypes: readonly string[]): string {
  if (mediaTypes.length === 1) return mediaTypes[0]!;
  return mediaTypes
    .map((type, index) => (index === 0 ? type : `${type};q=${(Math.max(1, 10 - index) / 10).toFixed(1)}`))
    .join(",");
}
