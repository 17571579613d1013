type Slice = (this: Uint8Array, start: number, end: number) => string;

/** Methods of Node's `Buffer` for text of single-byte characters; `undefined` in other runtimes. */
export const nativeText: { readonly latin1Slice: Slice; readonly base64Slice: Slice } | undefined = (
  globalThis as { Buffer?: { readonly prototype: { readonly latin1Slice: Slice; readonly base64Slice: Slice } } }
).Buffer?.prototype;

/** Returns a string with one character for each of the bytes from `start` to `end`. */
export function latin1Slice(bytes: Uint8Array, start: number, end: number): string {
  if (nativeText?.latin1Slice) return nativeText.latin1Slice.call(bytes, start, end);
  let binary = "";
  for (let p = start; p < end; p += 4096)
    binary += Reflect.apply<undefined, number[], string>(
      String.fromCharCode,
      undefined,
      bytes.subarray(p, Math.min(p + 4096, end)) as unknown as number[],
    );
  return binary;
}
