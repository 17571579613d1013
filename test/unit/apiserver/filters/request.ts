import type { ServerRequest } from "../../../../src/apiserver/http/http.js";

/** Creates a request with only headers; an array stands for several header lines. */
export function requestWith(headers: Record<string, string | string[]>): ServerRequest {
  const values = (name: string): string[] => {
    const value = headers[name];
    return value === undefined ? [] : Array.isArray(value) ? value : [value];
  };
  return {
    method: "GET",
    path: "/",
    query: "",
    header: (name) => (values(name).length === 0 ? undefined : values(name).join(", ")),
    headerValues: values,
    headerNames: () => Object.keys(headers),
    readBody: () => Promise.resolve(new Uint8Array()),
    signal: new AbortController().signal,
  };
}
