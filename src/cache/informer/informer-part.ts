import { ClosedError } from "../../errors/errors.js";
import { orAborted } from "../../internal/abort.js";
import type { Change } from "../store/change.js";
import type { HandlerRegistration, Informer } from "./informer.js";
import type { InformerStatus } from "./informer-status.js";

/**
 * Creates one user's handle to a shared informer. Closing it removes only the handlers that were added through it.
 * `onClose` is called once. `onError` receives errors that a status handler throws on `closed`.
 */
export function createInformerPart<T>(
  shared: Informer<T>,
  onClose: () => Promise<void>,
  onError: (error: unknown) => void,
): Informer<T> {
  const registrations = new Set<{ remove(): void }>();
  const statusHandlers = new Set<(status: InformerStatus) => void>();
  const abort = new AbortController();
  let pinned = false;
  let closing: Promise<void> | undefined;

  const held = (registration: { remove(): void }): { remove: () => void } => {
    const entry = {
      remove: (): void => {
        registrations.delete(entry);
        registration.remove();
      },
    };
    registrations.add(entry);
    return entry;
  };
  const open = (): void => {
    if (closing !== undefined) throw new ClosedError(`informer of ${shared.description} is closed`);
  };
  /** Rejects a wait when this handle is closed. */
  const until = (wait: Promise<void>): Promise<void> => orAborted(wait, abort.signal);

  const part: Informer<T> = {
    description: shared.description,
    store: shared.store,
    get status(): InformerStatus {
      return closing === undefined ? shared.status : { type: "closed" };
    },
    get hasSynced() {
      return shared.hasSynced;
    },
    get lastError() {
      return shared.lastError;
    },
    get metrics() {
      return shared.metrics;
    },
    start() {
      open();
      if (pinned) return;
      pinned = true;
      // A no-op handler keeps the shared informer running as long as this handle is open.
      held(shared.addHandler(() => undefined, { replay: false }));
    },
    async synced(options) {
      open();
      if (!shared.hasSynced) part.start();
      await until(shared.synced(options));
    },
    async waitForResourceVersion(version, options) {
      open();
      if (shared.metrics.handlers === 0) part.start();
      await until(shared.waitForResourceVersion(version, options));
    },
    addHandler(handler, options): HandlerRegistration {
      open();
      const registration = shared.addHandler((change: Change<T>) => handler(change), options);
      return {
        get lag() {
          return registration.lag;
        },
        synced: (wait) => until(registration.synced(wait)),
        remove: held(registration).remove,
      };
    },
    onStatus(handler) {
      statusHandlers.add(handler);
      const registration = held(shared.onStatus(handler));
      return {
        remove() {
          statusHandlers.delete(handler);
          registration.remove();
        },
      };
    },
    close() {
      closing ??= (async () => {
        for (const registration of [...registrations]) registration.remove();
        abort.abort(new ClosedError(`informer of ${shared.description} is closed`));
        for (const handler of statusHandlers) {
          try {
            handler({ type: "closed" });
          } catch (error) {
            onError(error);
          }
        }
        statusHandlers.clear();
        await onClose();
      })();
      return closing;
    },
    [Symbol.asyncDispose]: () => part.close(),
  };
  return part;
}
