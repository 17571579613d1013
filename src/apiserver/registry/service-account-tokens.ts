import type { Clock } from "../../internal/clock.js";
import type { UserInfo } from "../user-info.js";

/** What a token was given out for. */
export interface IssuedToken {
  readonly namespace: string;
  readonly name: string;
  readonly uid: string;
  readonly audiences: readonly string[];
  readonly expiresMs: number;
  /** What its users are told by besides their name, as the token's own id. */
  readonly extra: Readonly<Record<string, readonly string[]>>;
}

/** The tokens that service accounts were given. */
export interface ServiceAccountTokens {
  /** Who issues them; also the audience of tokens for this server. */
  readonly issuer: string;
  /** Remembers a token. */
  issue(token: string, about: IssuedToken): void;
  /** Whom a token is for, as long as it holds; `undefined` if it is none of an account. */
  audiencesOf(token: string): readonly string[] | undefined;
  /** The account of a token that is good for one of the audiences; `undefined` if it is not. */
  find(token: string, audiences?: readonly string[]): UserInfo | undefined;
}

const sweepEvery = 256;

/** Makes the book of tokens of one server; `exists` tells whether the account is still the one the token was given to. */
export function createServiceAccountTokens(clock: Clock, exists: (namespace: string, name: string, uid: string) => boolean): ServiceAccountTokens {
  const issuer = "https://kubernetes.default.svc";
  const issued = new Map<string, IssuedToken>();
  let sinceSweep = 0;
  return {
    issuer,
    issue(token, about) {
      issued.set(token, about);
      sinceSweep += 1;
      if (sinceSweep < sweepEvery) return;
      sinceSweep = 0;
      const now = clock.now();
      for (const [old, { expiresMs }] of issued) if (expiresMs <= now) issued.delete(old);
    },
    audiencesOf(token) {
      const about = issued.get(token);
      return about === undefined || about.expiresMs <= clock.now() || !exists(about.namespace, about.name, about.uid) ? undefined : about.audiences;
    },
    find(token, audiences = [issuer]) {
      const about = issued.get(token);
      if (about === undefined || about.expiresMs <= clock.now() || !about.audiences.some((audience) => audiences.includes(audience))) return undefined;
      if (!exists(about.namespace, about.name, about.uid)) return undefined;
      return {
        name: `system:serviceaccount:${about.namespace}:${about.name}`, uid: about.uid,
        groups: ["system:serviceaccounts", `system:serviceaccounts:${about.namespace}`], extra: about.extra,
      };
    },
  };
}
