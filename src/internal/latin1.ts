type Slice = (this: Uint8Array, start: number, end: number) => string;
const native = (globalThis as { Buffer?: { readonly prototype: { readonly latin1Slice?: Slice } } }).Buffer?.prototype;

/** Returns a string with one character for each of the bytes from `start` to `end`. */
export function latin1Slice(bytes: Uint8Array, start: number, end: number): string {
  if (native?.latin1Slice !== undefined) return native.latin1Slice.call(bytes, start, end);
  let binary = "";
  for (let p = start; p < end; p += 4096)
    binary += Reflect.apply<undefined, number[], string>(
      String.fromCharCode,
      undefined,
      bytes.subarray(p, Math.min(p + 4096, end)) as unknown as number[],
    );
  return binary;
}
