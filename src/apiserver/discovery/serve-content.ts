import { utf8Encode } from "../../internal/bytes.js";
import type { ServerResponse } from "../http/http.js";
import type { DiscoveryContext } from "./services.js";

/** A document that tells its age, and does not change while it has its tag. */
export interface TaggedContent {
  /** Tag in quotes; `""` for none. */
  readonly etag: string;
  /** When it was made. */
  readonly modifiedMs: number;
  readonly mediaType: string;
  /** The bytes, made where they are sent. */
  body(): Uint8Array;
}

function names(header: string, etag: string): boolean {
  return header.split(",").some((one) => one.trim() === "*" || one.trim().replace(/^W\//, "") === etag);
}

/** What the conditions of a request come to: the document as it is, that it is still what the client has, or that they do not hold. */
function condition(context: DiscoveryContext, { etag, modifiedMs }: TaggedContent): 200 | 304 | 412 {
  const { request } = context;
  const reading = request.method === "GET" || request.method === "HEAD";
  const modified = Math.floor(modifiedMs / 1000) * 1000;
  const timeOf = (name: string): number => Date.parse(request.header(name) ?? "");
  const match = request.header("if-match") ?? "";
  if (match !== "") {
    if (!names(match, etag)) return 412;
  } else if (modified > timeOf("if-unmodified-since")) return 412;
  const noneMatch = request.header("if-none-match") ?? "";
  if (noneMatch !== "") {
    if (names(noneMatch, etag)) return reading ? 304 : 412;
  } else if (reading && modified <= timeOf("if-modified-since")) return 304;
  return 200;
}

/** First and last byte of the one range that is asked for; `undefined` for the whole, and `"none"` where there is no such range. */
function rangeOf(header: string, size: number): readonly [number, number] | "none" | undefined {
  if (header === "" || header.includes(",")) return undefined;
  const [, from = "", to = ""] = /^bytes=\s*(\d*)\s*-\s*(\d*)\s*$/.exec(header) ?? [];
  if (from === "" && to === "") return "none";
  if (from === "") return [Math.max(0, size - Number(to)), size - 1];
  if (Number(from) >= size || (to !== "" && Number(to) < Number(from))) return "none";
  return [Number(from), to === "" ? size - 1 : Math.min(size - 1, Number(to))];
}

/** Answers with a document as its tag, its age and a range of it are asked for; `headers` come with it either way. */
export function serveContent(
  context: DiscoveryContext,
  headers: readonly [string, string][],
  content: TaggedContent,
): ServerResponse {
  const tagged: [string, string][] = [
    ...headers,
    ...(content.etag === "" ? [] : [["ETag", content.etag] as [string, string]]),
  ];
  const status = condition(context, content);
  const modified: [string, string] = ["Last-Modified", new Date(content.modifiedMs).toUTCString()];
  if (status === 304) return { status, headers: content.etag === "" ? [...tagged, modified] : tagged, body: undefined };
  const whole: [string, string][] = [...tagged, modified, ["Content-Type", content.mediaType]];
  if (status === 412) return { status, headers: whole, body: undefined };
  const body = content.body();
  const ifRange = context.request.header("if-range") ?? content.etag;
  const range = ifRange === content.etag ? rangeOf(context.request.header("range") ?? "", body.length) : undefined;
  if (range === "none") {
    const why = `invalid range${/^bytes=\s*\d+\s*-/.test(context.request.header("range")!) ? ": failed to overlap" : ""}\n`;
    return {
      status: 416,
      headers: [
        ...headers,
        ["Content-Range", `bytes */${body.length}`],
        ["Content-Type", "text/plain; charset=utf-8"],
        ["X-Content-Type-Options", "nosniff"],
      ],
      body: utf8Encode(why),
    };
  }
  if (range === undefined)
    return {
      status: 200,
      headers: [...whole, ["Accept-Ranges", "bytes"], ["Content-Length", String(body.length)]],
      body,
    };
  const [first, last] = range;
  return {
    status: 206,
    headers: [
      ...whole,
      ["Accept-Ranges", "bytes"],
      ["Content-Range", `bytes ${first}-${last}/${body.length}`],
      ["Content-Length", String(last + 1 - first)],
    ],
    body: body.subarray(first, last + 1),
  };
}
