import { concatBytes } from "../../internal/bytes.js";
import { responseHeader } from "../http/http.js";
import type { Filter } from "./filter.js";

const threshold = 128 * 1024;
/** The only document outside of the API groups that is compressed. */
const openApiV2Path = "/openapi/v2";

/** True if the client accepts gzip. Like kube-apiserver, this ignores entries with a weight. */
function takesGzip(header: string | undefined): boolean {
  return (header ?? "").split(",").some((part) => part.trim() === "gzip");
}

async function platformGzip(bytes: Uint8Array): Promise<Uint8Array> {
  const reader = new Blob([bytes as BlobPart]).stream().pipeThrough(new CompressionStream("gzip")).getReader();
  const chunks: Uint8Array[] = [];
  for (;;) {
    const { done, value } = await reader.read();
    if (done) return concatBytes(chunks);
    chunks.push(value);
  }
}

/** Compresses large responses if the client accepts it. */
export const compression: Filter = async (context, next) => {
  const response = await next(context);
  const { body } = response;
  if (!(body instanceof Uint8Array) || body.length < threshold || !takesGzip(context.request.header("accept-encoding")))
    return response;
  if (
    responseHeader(response, "content-encoding") !== undefined ||
    !(context.info.isResource || context.info.path === openApiV2Path)
  )
    return response;
  const headers = response.headers.filter(([name]) => name !== "Content-Length");
  headers.push(["Content-Encoding", "gzip"], ["Vary", "Accept-Encoding"]);
  const { request } = context;
  return {
    ...response,
    headers,
    body: request.gzip === undefined ? await platformGzip(body) : await request.gzip(body),
  };
};
