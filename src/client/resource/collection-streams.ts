import type { IdleIterator } from "../../internal/streams/idle-iterator.js";
import type { ListOptions, WatchOptions } from "../../meta/options.js";
import type { OpenResponse } from "../call/open-response.js";
import type { Requester } from "../call/requester.js";
import { withAction } from "../call/with-action.js";
import { type CallTarget, listCall, watchCall } from "./calls.js";
import { checkList, checkObject } from "./check-kind.js";
import type { ListChunk, Watch } from "./collection.js";
import { readListChunks } from "./list-chunks.js";
import { openWatch } from "./watch.js";

/** Lists a collection, and returns its objects as they arrive. `check` throws for invalid options before the request. */
export function streamList(
  requester: Requester,
  target: CallTarget,
  options: ListOptions,
  check?: (options: ListOptions) => void,
): IdleIterator<ListChunk<unknown>> {
  const { encodings, view } = target;
  const { item } = view;
  return readListChunks(
    {
      action: `list ${target.description}`,
      redact: requester.shared.redact,
      open: async (signal) => {
        check?.(options);
        const open = (): Promise<OpenResponse> => requester.open(listCall(target, "list", { ...options, signal }));
        return encodings.attempt(open, false);
      },
      decoderOf: (response) => encodings.codecOf(response).createListDecoder(options.decode),
      checkKind: (kind) => checkList(target, kind),
      ...(item && { item }),
    },
    options.signal,
  );
}

/** Watches a collection. `check` throws for invalid options before the request. */
export function streamWatch(
  requester: Requester,
  target: CallTarget,
  options: WatchOptions,
  check?: (options: WatchOptions) => void,
): Watch<unknown> & AsyncDisposable {
  const action = `watch ${target.description}`;
  const { encodings, view: listView } = target;
  const view = listView.forWatch?.() ?? listView;
  return openWatch(
    {
      action,
      redact: requester.shared.redact,
      open: async (signal) => {
        check?.(options);
        const open = (): Promise<OpenResponse> =>
          requester.open(watchCall(target, action, view, { ...options, signal }));
        const response = await encodings.attempt(open, false);
        try {
          return { response, decoder: encodings.watchCodecOf(response).createWatchDecoder(options.decode) };
        } catch (error) {
          response.close();
          throw withAction(error, action);
        }
      },
      convert: (object) => {
        if (object.kind !== target.kind.kind) checkObject(target, object, action);
        return view.item === undefined ? object : view.item(object);
      },
      bookmark: view.bookmark,
    },
    options,
  );
}
