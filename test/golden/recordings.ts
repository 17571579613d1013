import { existsSync, readFileSync } from "node:fs";

/** Recorded response of a real server. */
export interface Recording {
  name: string;
  file: string;
  method: string;
  path: string;
  accept: string;
  status: number;
  contentType: string;
}

const folder = new URL("./recorded/", import.meta.url);

/** All recorded responses of this folder, from a kube-apiserver with CBOR enabled. */
export const recordings: readonly Recording[] = (JSON.parse(readFileSync(new URL("index.json", folder), "utf8")) as { recorded: Recording[] }).recorded;

/** Returns the bytes of a response body. */
export function recordedBytes(file: string): Uint8Array {
  return new Uint8Array(readFileSync(new URL(file, folder)));
}

/** Returns true if the file was recorded. */
export function isRecorded(file: string): boolean {
  return existsSync(new URL(file, folder));
}
