import { utf8Decode } from "../../internal/bytes.js";
import { handleRejection } from "../../internal/handle-rejection.js";
import type { TerminalSize } from "./kubelet.js";

/** The sizes of a session's terminal. */
export interface TerminalSizes {
  /** Handles a size in JSON; ignores an invalid one. */
  receive(json: Uint8Array): void;
  /** Calls back with the last size, and with each new one. */
  onResize(callback: (size: TerminalSize) => unknown): void;
}

/** Maximum length of a size in bytes. */
export const maxSizeBytes: number = 4_096;

/** Creates the sizes of a terminal, without one at first. */
export function createTerminalSizes(): TerminalSizes {
  let resized: ((size: TerminalSize) => unknown) | undefined;
  let last: TerminalSize | undefined;
  const notify = (): void => {
    try {
      if (last !== undefined) handleRejection(resized?.(last));
    } catch {
      // The session goes on. Its function failed, not the client.
    }
  };
  return {
    receive(json) {
      const size = json.length > maxSizeBytes ? undefined : readSize(json);
      if (size === undefined) return;
      last = size;
      notify();
    },
    onResize(callback) {
      resized = callback;
      notify();
    },
  };
}

function readSize(bytes: Uint8Array): TerminalSize | undefined {
  try {
    const { Width, Height } = JSON.parse(utf8Decode(bytes)) as { Width?: unknown; Height?: unknown };
    return typeof Width === "number" && typeof Height === "number" ? { width: Width, height: Height } : undefined;
  } catch {
    return undefined;
  }
}
