import { type DeleteCollectionOptions, isStatus } from "../client/resource/collection-handle.js";
import { createPageTurner } from "../client/resource/page-turner.js";
import { type Resource } from "../client/resource/resource.js";
import { isGone, isResourceExpired } from "../errors/predicates.js";
import { systemClock } from "../internal/clock.js";
import type { List } from "../meta/list.js";

/**
 * Deletes the selected objects in batches (500 unless `limit` is set), so that no single request takes too long. Yields
 * each batch of deleted objects in their last state. Objects held back by finalizers are requested only once.
 *
 * @example
 * ```ts
 * import { Pod } from "kubestream/kinds/core/v1";
 * import { connect } from "kubestream/node";
 * import { deleteCollectionPages } from "kubestream/operations";
 *
 * const client = await connect();
 * const pods = client.resource(Pod).namespace("batch");
 * for await (const page of deleteCollectionPages(pods, { fieldSelector: "status.phase=Succeeded" }))
 *   console.log("deleted", page.items.length);
 * ```
 */
export async function* deleteCollectionPages<T>(
  handle: Pick<Resource<T>, "deleteCollection">,
  options: DeleteCollectionOptions = {},
): AsyncGenerator<List<T>> {
  const { limit = 500, continue: first = "", ...rest } = options;
  const { resourceVersion, resourceVersionMatch, ...others } = rest;
  const turner = createPageTurner(first, { clock: systemClock, random: Math.random });
  let token = first;
  let again = true;
  do {
    await turner.pause(options.signal);
    let answer;
    try {
      answer = await handle.deleteCollection({
        ...(token === "" ? rest : others),
        limit,
        ...(token !== "" && { continue: token }),
      });
    } catch (error) {
      // The token expired: list again, once per token. Deleted objects don't come back.
      if (token === "" || !again || !(isResourceExpired(error) || isGone(error))) throw error;
      again = false;
      token = "";
      turner.restart(token);
      continue;
    }
    again = true;
    if (isStatus(answer)) return;
    token = turner.turn(answer);
    yield answer;
  } while (token !== "" || !again);
}
