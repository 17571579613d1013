import { streamOf } from "../http/body.js";
import type { BodyStream } from "../http/http.js";
import { chunksOf, readableOf, responseHeader } from "../http/http.js";
import type { Filter } from "./filter.js";

const threshold = 128 * 1024;
/** The only document outside of the API groups that is compressed. */
const openApiV2Path = "/openapi/v2";

/** True if the client accepts gzip. Like kube-apiserver, this ignores entries with a weight. */
function takesGzip(header: string | undefined): boolean {
  return (header ?? "").split(",").some((part) => part.trim() === "gzip");
}

function platformGzip(body: BodyStream): BodyStream {
  return chunksOf(readableOf(body).pipeThrough(new CompressionStream("gzip")));
}

/** Compresses large responses if the client accepts it. */
export const compression: Filter = async (context, next) => {
  const response = await next(context);
  const { body } = response;
  const { info, request } = context;
  // Other streams, such as watches and logs, must not be held back.
  const large = body instanceof Uint8Array ? body.length >= threshold : body !== undefined && info.verb === "list";
  if (!large || !takesGzip(request.header("accept-encoding"))) return response;
  if (responseHeader(response, "content-encoding") !== undefined || !(info.isResource || info.path === openApiV2Path))
    return response;
  const headers = response.headers.filter(([name]) => name !== "Content-Length");
  headers.push(["Content-Encoding", "gzip"], ["Vary", "Accept-Encoding"]);
  const gzip = request.gzip ?? platformGzip;
  return { ...response, headers, body: gzip(streamOf(body)) };
};
