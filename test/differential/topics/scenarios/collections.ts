import type { Topic } from "../../probe.js";
import { configMap, configMaps, get, marked, one, patch, post, quiet, remove } from "./steps.js";

const versions = ["", "0", "${rv}", "${later}", "999999999", "abc", "-1"];
const matches = ["", "Exact", "NotOlderThan", "other"];
const limits = ["", "0", "1", "-1"];
const tokens = ["", "${next}", "x"];

const query = (given: Readonly<Record<string, string>>): string =>
  Object.entries(given)
    .filter(([, value]) => value !== "")
    .map(([name, value]) => `${name}=${value}`)
    .join("&");

/**
 * Deletions of collections from every start version: after some objects exist at `rv`, one is changed and one is
 * created.
 */
export const collectionScenarios: Topic = {
  name: "collections",
  probes: versions.flatMap((resourceVersion) =>
    matches.flatMap((resourceVersionMatch) =>
      limits.flatMap((limit) =>
        tokens.flatMap((token) =>
          [undefined, {}].map((body) => {
            const text = query({ resourceVersion, resourceVersionMatch, limit, continue: token });
            return one(
              `delete${body === undefined ? "" : "-with-body"}/${text}`,
              quiet(post(configMaps, configMap("a"))),
              quiet(post(configMaps, configMap("b"))),
              quiet(marked(post(configMaps, configMap("c")))),
              quiet({ ...get(`${configMaps}?limit=1`), capture: { next: "/metadata/continue" } }),
              quiet(patch(`${configMaps}/b`, "merge", { data: { a: "b" } })),
              quiet(marked(post(configMaps, configMap("d")), "later")),
              remove(`${configMaps}?${text}`, body),
              get(configMaps),
              quiet(remove(configMaps)),
            );
          }),
        ),
      ),
    ),
  ),
};
