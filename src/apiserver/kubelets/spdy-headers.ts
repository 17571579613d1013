import { concatBytes, utf8Decode, utf8Encode } from "../../internal/bytes.js";
import type { Inflate } from "../http/http.js";

/** Words of the dictionary of SPDY/3, which are preceded by their length in four bytes. */
const words = [
  ..."options head post put delete trace accept accept-charset accept-encoding accept-language accept-ranges".split(
    " ",
  ),
  ..."age allow authorization cache-control connection content-base content-encoding content-language".split(" "),
  ..."content-length content-location content-md5 content-range content-type date etag expect expires from".split(" "),
  ..."host if-match if-modified-since if-none-match if-range if-unmodified-since last-modified location".split(" "),
  ..."max-forwards pragma proxy-authenticate proxy-authorization range referer retry-after server te trailer".split(
    " ",
  ),
  ..."transfer-encoding upgrade user-agent vary via warning www-authenticate method get status".split(" "),
  ...["200 OK", "version", "HTTP/1.1", "url", "public", "set-cookie", "keep-alive", "origin"],
];
/** Rest of the dictionary. */
const text = [
  "100101201202205206300302303304305306307402405406407408409410411412413414415416417502504505",
  "203 Non-Authoritative Information204 No Content301 Moved Permanently400 Bad Request401 Unauthorized403 Forbidden",
  "404 Not Found500 Internal Server Error501 Not Implemented503 Service Unavailable",
  "Jan Feb Mar Apr May Jun Jul Aug Sept Oct Nov Dec 00:00:00 Mon, Tue, Wed, Thu, Fri, Sat, Sun, GMT",
  "chunked,text/html,image/png,image/jpg,image/gif,application/xml,application/xhtml+xml,text/plain,text/javascript,",
  "publicprivatemax-age=gzip,deflate,sdchcharset=utf-8charset=iso-8859-1,utf-,*,enq=0.",
].join("");

/** Dictionary for the compressed headers of SPDY/3. */
export const spdyDictionary: Uint8Array = concatBytes([
  ...words.map((word) => utf8Encode(`\0\0\0${String.fromCharCode(word.length)}${word}`)),
  utf8Encode(text),
]);

/** Length of the start of the zlib stream (RFC 1950), with the checksum of the dictionary. */
const zlibHeadBytes = 6;
/** Bytes of earlier headers that compressed ones may refer to. */
const windowBytes = 32 * 1024;
/** Maximum length of one stream's headers in bytes. */
const maxBlockBytes = 64 * 1024;

/** Creates a decoder for the headers of one connection's streams, in their order. It throws for invalid headers. */
export function createHeaderDecoder(inflate: Inflate): (block: Uint8Array) => ReadonlyMap<string, string> {
  // Each block ends at the border of a byte, so only the bytes before it matter for the next one.
  const seen = new Uint8Array(windowBytes + 2 * maxBlockBytes);
  seen.set(spdyDictionary);
  let length = spdyDictionary.length;
  let isFirst = true;
  return (block) => {
    const window = seen.subarray(Math.max(0, length - windowBytes), length);
    const data = inflate(isFirst ? block.subarray(zlibHeadBytes) : block, window, maxBlockBytes);
    isFirst = false;
    if (length + data.length > seen.length) {
      seen.copyWithin(0, length - windowBytes, length);
      length = windowBytes;
    }
    seen.set(data, length);
    length += data.length;
    return parseHeaders(data);
  };
}

function parseHeaders(data: Uint8Array): ReadonlyMap<string, string> {
  const view = new DataView(data.buffer, data.byteOffset, data.byteLength);
  let at = 0;
  const word = (): string => {
    const length = view.getUint32(at);
    at += 4;
    if (at + length > data.length) throw new RangeError("headers of a SPDY stream are truncated");
    return utf8Decode(data.subarray(at, (at += length)));
  };
  const headers = new Map<string, string>();
  const count = view.getUint32(at);
  at += 4;
  for (let each = 0; each < count; each++) headers.set(word().toLowerCase(), word());
  return headers;
}
