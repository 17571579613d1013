import { handleRejection } from "../../internal/handle-rejection.js";
import type { InformerStatus } from "./informer-status.js";

/** The status of an informer and the handlers that follow it. */
export interface StatusChannel {
  /** The last status that was set. */
  readonly current: InformerStatus;
  /** Sets a status and calls the handlers. */
  set(status: InformerStatus): void;
  /** Calls a handler with each status set from now on. */
  onStatus(handler: (status: InformerStatus) => void): { remove(): void };
}

/** Creates a channel that is idle. Errors of handlers go to `onError`. */
export function createStatusChannel(onError: (error: unknown) => void): StatusChannel {
  let current: InformerStatus = { type: "idle" };
  let handlers: readonly ((status: InformerStatus) => unknown)[] = [];
  return {
    get current() {
      return current;
    },
    set(status) {
      current = status;
      for (const handler of handlers) {
        try {
          handleRejection(handler(status), onError);
        } catch (error) {
          onError(error);
        }
      }
    },
    onStatus(handler) {
      // Wrapped in a new function, so that the same handler can be added twice.
      const own = (next: InformerStatus): unknown => handler(next);
      handlers = [...handlers, own];
      return {
        remove() {
          handlers = handlers.filter((other) => other !== own);
        },
      };
    },
  };
}
