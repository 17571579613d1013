/** A serving certificate with its private key, in PEM, and the facts that a rotation depends on. */
export interface ServingPair {
  /** Certificate, followed by that of its authority. */
  readonly cert: string;
  /** Private key. */
  readonly key: string;
  /** Certificate of the authority. */
  readonly ca: string;
  /** End of the validity in milliseconds since the epoch. */
  readonly notAfterMs: number;
  /** Host names and IP addresses. */
  readonly hosts: readonly string[];
}

/** Certificates of a webhook server as its replicas share them. */
export interface RotationState {
  /** Certificate that replicas serve; absent if it is missing or unusable. */
  readonly current: ServingPair | undefined;
  /** Certificate that replaces `current` once callers trust its authority. */
  readonly next: ServingPair | undefined;
  /** Authorities that callers are to trust, in PEM. */
  readonly trusted: readonly string[];
  /** Time since when all configurations list `trusted` while there is a `next`, in milliseconds since the epoch. */
  readonly publishedMs: number | undefined;
  /** Time at which `current` replaced its predecessor, whose authority is still trusted. */
  readonly switchedMs: number | undefined;
}

/** Facts and settings that determine the next step. */
export interface RotationFacts {
  readonly nowMs: number;
  /** Host names that the certificate must have. */
  readonly hosts: readonly string[];
  /** True if all configurations list exactly `trusted`; `undefined` if that isn't known. */
  readonly published: boolean | undefined;
  /** Time before the end of the validity at which a rotation begins. */
  readonly renewBeforeMs: number;
  /** Time after which every caller and every replica has seen a change. */
  readonly propagationMs: number;
}

/**
 * Next step of a rotation:
 *
 * - `issue`: create a certificate and serve it at once, because no usable one exists.
 * - `prepare`: create the next certificate and publish its authority in addition to the current one.
 * - `confirm`: record that all configurations list the authorities. `revoke` takes that back.
 * - `switch`: serve the next certificate. Its authority has been published for `propagationMs`.
 * - `retire`: stop trusting former authorities. No replica has served their certificates for `propagationMs`.
 * - `wait`: nothing to do before `untilMs`.
 */
export type RotationStep =
  | { readonly type: "issue" | "prepare" | "confirm" | "revoke" | "switch" | "retire" }
  | { readonly type: "wait"; readonly untilMs: number };

/** Decides the next step. Callers trust the old and the new authority for as long as any replica may serve either. */
export function rotationStep(state: RotationState, facts: RotationFacts): RotationStep {
  const { current, next, trusted, publishedMs, switchedMs } = state;
  const { nowMs, published, renewBeforeMs, propagationMs } = facts;
  const usable = (pair: ServingPair | undefined): boolean =>
    pair !== undefined && pair.notAfterMs > nowMs && facts.hosts.every((host) => pair.hosts.includes(host));
  if (current === undefined || !usable(current)) return { type: usable(next) ? "switch" : "issue" };
  if (next !== undefined) {
    if (!usable(next)) return { type: "prepare" };
    // A configuration that was overwritten begins the wait again: callers may have lost the new authority.
    if (published === undefined) return wait(current.notAfterMs);
    if (!published) return publishedMs === undefined ? wait(current.notAfterMs) : { type: "revoke" };
    if (publishedMs === undefined) return { type: "confirm" };
    const untilMs = Math.min(publishedMs + propagationMs, current.notAfterMs);
    return nowMs >= untilMs ? { type: "switch" } : wait(untilMs);
  }
  if (switchedMs !== undefined && trusted.some((ca) => ca !== current.ca)) {
    const untilMs = switchedMs + propagationMs;
    return nowMs >= untilMs ? { type: "retire" } : wait(Math.min(untilMs, current.notAfterMs));
  }
  const renewMs = current.notAfterMs - renewBeforeMs;
  return nowMs >= renewMs ? { type: "prepare" } : wait(renewMs);
}

function wait(untilMs: number): RotationStep {
  return { type: "wait", untilMs };
}

/** Makes the changes of a step that creates no certificate, or of one that does, with the new certificate. */
export function takeStep(
  state: RotationState,
  type: Exclude<RotationStep["type"], "wait">,
  nowMs: number,
  issue: () => ServingPair,
): RotationState {
  const { current, next, trusted } = state;
  switch (type) {
    case "issue": {
      const issued = issue();
      // Other replicas serve the old certificate for a moment.
      return { current: issued, next: undefined, trusted: unique([...trusted, issued.ca]), ...switched(nowMs) };
    }
    case "prepare": {
      const issued = issue();
      const kept = current === undefined ? trusted : [current.ca];
      return { current, next: issued, trusted: unique([...kept, issued.ca]), ...unswitched };
    }
    case "confirm":
      return { ...state, publishedMs: nowMs };
    case "revoke":
      return { ...state, publishedMs: undefined };
    case "switch":
      return { current: next, next: undefined, trusted: unique([...trusted, next!.ca]), ...switched(nowMs) };
    case "retire":
      return { current, next: undefined, trusted: [current!.ca], ...unswitched };
  }
}

const unswitched = { publishedMs: undefined, switchedMs: undefined };

function switched(nowMs: number): Pick<RotationState, "publishedMs" | "switchedMs"> {
  return { publishedMs: undefined, switchedMs: nowMs };
}

function unique(authorities: readonly string[]): string[] {
  return [...new Set(authorities)];
}
