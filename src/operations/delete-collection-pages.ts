import { type DeleteCollectionOptions, isStatus, type Resource } from "../client/resource/resource.js";
import { isGone, isResourceExpired } from "../errors/predicates.js";
import type { List } from "../meta/list.js";

/**
 * Deletes the objects that the options select some at a time (500 unless `limit` says otherwise), so that no request
 * takes too long; yields what each request deleted, as it was. Objects that finalizers hold back are asked once.
 */
export async function* deleteCollectionPages<T>(
  handle: Pick<Resource<T>, "deleteCollection">,
  options: DeleteCollectionOptions = {},
): AsyncGenerator<List<T>> {
  const { limit = 500, continue: first = "", ...rest } = options;
  const { resourceVersion, resourceVersionMatch, ...others } = rest;
  let token = first;
  let again = true;
  do {
    let answer;
    try {
      answer = await handle.deleteCollection({
        ...(token === "" ? rest : others),
        limit,
        ...(token !== "" && { continue: token }),
      });
    } catch (error) {
      // What was to come is listed anew, once for each token: what is deleted is not met again.
      if (token === "" || !again || !(isResourceExpired(error) || isGone(error))) throw error;
      again = false;
      token = "";
      continue;
    }
    again = true;
    if (isStatus(answer)) return;
    token = answer.metadata.continue ?? "";
    yield answer;
  } while (token !== "" || !again);
}
