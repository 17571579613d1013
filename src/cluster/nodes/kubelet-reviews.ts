import type { KubeletReviews } from "../../apiserver/kubelets/kubelet-access.js";
import type { Client } from "../../client/client.js";
import { TokenReview } from "../../kinds/authentication/v1.js";
import { SubjectAccessReview } from "../../kinds/authorization/v1.js";

/** Creates the reviews of an API server for its kubelets. A failed request rejects, so that nothing is allowed. */
export function createKubeletReviews(client: Client): KubeletReviews {
  return {
    async authenticate(token, signal) {
      const { status } = await client.resource(TokenReview).create({ spec: { token } }, { signal });
      if (status?.authenticated !== true) return undefined;
      const { username = "", uid = "", groups = [], extra = {} } = status.user ?? {};
      return { name: username, uid, groups, extra };
    },
    async allows({ name, uid, groups, extra }, { verb, subresource, node }, signal) {
      const resourceAttributes = { verb, group: "", version: "v1", resource: "nodes", subresource, name: node };
      const spec = {
        user: name,
        uid,
        groups: [...groups],
        extra: Object.fromEntries(Object.entries(extra).map(([key, values]) => [key, [...values]])),
        resourceAttributes,
      };
      const { status } = await client.resource(SubjectAccessReview).create({ spec }, { signal });
      return status?.allowed === true;
    },
  };
}
