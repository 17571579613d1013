import { existsSync, readFileSync } from "node:fs";

/** One response of a real server. */
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

/** Every response in this folder, as recorded from a kube-apiserver with CBOR switched on. */
export const recordings: readonly Recording[] = (JSON.parse(readFileSync(new URL("index.json", folder), "utf8")) as { recorded: Recording[] }).recorded;

/** The bytes of a response's body. */
export function recordedBytes(file: string): Uint8Array {
  return new Uint8Array(readFileSync(new URL(file, folder)));
}

/** Whether there is a recording of that file. */
export function isRecorded(file: string): boolean {
  return existsSync(new URL(file, folder));
}
