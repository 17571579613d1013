import type { Clock } from "../../../internal/clock.js";
import type { UserInfo } from "../../http/user-info.js";
import type { ApiObject } from "../../objects/api-object.js";
import type { PublicKey } from "./token-signer.js";
import { createTokenSigner } from "./token-signer.js";

/** An object that a token refers to. */
export interface TokenReference {
  readonly name: string;
  readonly uid?: string;
}

/** Claims in this server's tokens about their users. */
export interface AccountClaims {
  readonly namespace: string;
  readonly node?: TokenReference;
  readonly pod?: TokenReference;
  readonly secret?: TokenReference;
  readonly serviceaccount: TokenReference;
  /** Seconds since the epoch after which the token should have been rotated. */
  readonly warnafter?: number;
}

/** Content of a new token. */
export interface TokenContents {
  readonly id: string;
  readonly audiences: readonly string[];
  /** Seconds since the epoch. */
  readonly issued: number;
  /** Seconds since the epoch. */
  readonly expires: number;
  readonly account: AccountClaims;
}

/** Result of a token check: user and matching audiences, or the error. */
export type CheckedToken =
  | { readonly user: UserInfo; readonly audiences: readonly string[] }
  | { readonly problem: string };

/** Issues and validates service account tokens. */
export interface ServiceAccountTokens {
  /** Issuer name, which is also the audience of tokens for this server. */
  readonly issuer: string;
  /** Returns the key with which others can verify the tokens. */
  publicKey(): Promise<PublicKey>;
  /** Issues a token. */
  issue(contents: TokenContents): Promise<string>;
  /** Validates a token; resolves with `undefined` if this server didn't issue it. */
  check(token: string, audiences?: readonly string[]): Promise<CheckedToken | undefined>;
}

/** Allowed clock skew in seconds. */
const leewaySeconds = 60;
const keyPrefix = "authentication.kubernetes.io";

const goList = (list: readonly string[]): string => `[${list.map((each) => JSON.stringify(each)).join(" ")}]`;

function userOf({ namespace, serviceaccount, pod, node }: AccountClaims, id: string): UserInfo {
  const { name, uid = "" } = serviceaccount;
  const about = (of: string, { name: what, uid: which }: TokenReference): Record<string, string[]> => ({
    [`${keyPrefix}/${of}-name`]: [what],
    ...(which === undefined ? {} : { [`${keyPrefix}/${of}-uid`]: [which] }),
  });
  return {
    name: `system:serviceaccount:${namespace}:${name}`,
    uid,
    groups: ["system:serviceaccounts", `system:serviceaccounts:${namespace}`],
    extra: {
      [`${keyPrefix}/credential-id`]: [`JTI=${id}`],
      ...(node === undefined ? {} : about("node", node)),
      ...(pod === undefined ? {} : about("pod", pod)),
    },
  };
}

/** Creates the token service of one server. `stored` reads an object by bucket and key. */
export function createServiceAccountTokens(
  clock: Clock,
  stored: (bucket: string, key: string) => ApiObject | undefined,
): ServiceAccountTokens {
  const issuer = "https://kubernetes.default.svc";
  const signer = createTokenSigner(issuer);

  /** Returns an error if the object that the token is bound to is gone, or `""`. */
  const boundProblem = (
    kind: "pod" | "secret" | "node",
    { name, uid = "" }: TokenReference,
    namespace: string,
    before: number,
  ): string => {
    const object = stored(`/${kind}s`, kind === "node" ? name : `${namespace}/${name}`);
    if (object === undefined || endedBefore(object, before)) return "service account token has been invalidated";
    const its = object.metadata?.uid ?? "";
    return its === uid ? "" : `${kind} UID (${its}) does not match service account ${kind} ref claim (${uid})`;
  };

  const accountProblem = (
    { namespace, serviceaccount: { name, uid = "" }, secret, pod, node }: AccountClaims,
    now: number,
  ): string => {
    const before = now - leewaySeconds;
    const account = stored("/serviceaccounts", `${namespace}/${name}`);
    if (account === undefined) return `serviceaccounts ${JSON.stringify(name)} not found`;
    const its = account.metadata?.uid ?? "";
    if (its !== uid) return `service account UID (${its}) does not match claim (${uid})`;
    if (endedBefore(account, before)) return `service account ${namespace}/${name} has been deleted`;
    if (secret !== undefined) return boundProblem("secret", secret, namespace, before);
    // For a token bound to a pod, the node is informational and may go before the pod.
    if (pod !== undefined) return boundProblem("pod", pod, namespace, before);
    return node === undefined ? "" : boundProblem("node", node, namespace, before);
  };

  const check = async (token: string, wanted: readonly string[] = [issuer]): Promise<CheckedToken | undefined> => {
    const claims = await signer.verify(token);
    if (claims === undefined) return undefined;
    if (typeof claims === "string") return { problem: claims };
    const {
      aud,
      exp,
      nbf,
      jti,
      "kubernetes.io": account,
    } = claims as { aud: readonly string[]; exp: number; nbf: number; jti: string; "kubernetes.io": AccountClaims };
    const audiences = wanted.filter((audience) => aud.includes(audience));
    if (audiences.length === 0)
      return { problem: `token audiences ${goList(aud)} is invalid for the target audiences ${goList(wanted)}` };
    const now = clock.now() / 1000;
    if (now - leewaySeconds > exp) return { problem: "service account token has expired" };
    if (now + leewaySeconds < nbf) return { problem: "service account token is not valid yet" };
    const problem = accountProblem(account, now);
    return problem === "" ? { user: userOf(account, jti), audiences } : { problem };
  };

  return {
    issuer,
    publicKey: () => signer.publicKey(),
    issue({ id, audiences, issued, expires, account: { namespace, serviceaccount, ...bound } }) {
      const { node, pod, secret, warnafter } = bound;
      const account: AccountClaims = {
        namespace,
        ...(node && { node }),
        ...(pod && { pod }),
        ...(secret && { secret }),
        serviceaccount,
        ...(warnafter !== undefined && { warnafter }),
      };
      return signer.sign({
        aud: audiences,
        exp: expires,
        iat: issued,
        iss: issuer,
        jti: id,
        "kubernetes.io": account,
        nbf: issued,
        sub: `system:serviceaccount:${namespace}:${serviceaccount.name}`,
      });
    },
    check,
  };
}

/** True if the object's deletion started before a time, given in seconds since the epoch. */
function endedBefore({ metadata }: ApiObject, seconds: number): boolean {
  const since = metadata?.deletionTimestamp ?? undefined;
  return since !== undefined && Date.parse(since) / 1000 < seconds;
}
