import type { Codec } from "../../codec/codec.js";

/** A media type without its parameters, in lower case; `""` for none. */
export function baseMediaType(contentType: string | null): string {
  if (contentType === null) return "";
  const end = contentType.indexOf(";");
  return (end < 0 ? contentType : contentType.slice(0, end)).trim().toLowerCase();
}

/** The codec that reads a response of this type, if there is one. */
export function codecFor(codecs: readonly Codec[], contentType: string | null): Codec | undefined {
  for (const codec of codecs) if (codec.mediaType === contentType) return codec;
  const base = baseMediaType(contentType);
  return codecs.find((codec) => baseMediaType(codec.mediaType) === base);
}

/** The codec that reads a watch of this type, if there is one. */
export function watchCodecFor(codecs: readonly Codec[], contentType: string | null): Codec | undefined {
  const base = baseMediaType(contentType);
  return codecs.find((codec) => baseMediaType(codec.watchMediaType) === base);
}

/** An `Accept` value that names media types in order of preference. */
export function acceptOf(mediaTypes: readonly string[]): string {
  if (mediaTypes.length === 1) return mediaTypes[0]!;
  return mediaTypes
    .map((type, index) => (index === 0 ? type : `${type};q=${(Math.max(1, 10 - index) / 10).toFixed(1)}`))
    .join(",");
}
