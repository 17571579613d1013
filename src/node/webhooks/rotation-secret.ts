import type { Secret } from "../../kinds/core/v1.js";
import type { DeepReadonly } from "../../meta/object.js";
import type { RotationState, ServingPair } from "./rotation-step.js";
import { readPair, splitCertificates } from "./serving-pair.js";

/** Keys of the Secret's data. The first three are those of cert-manager. */
const keys = {
  cert: "tls.crt",
  key: "tls.key",
  trusted: "ca.crt",
  nextCert: "next-tls.crt",
  nextKey: "next-tls.key",
} as const;

const annotations = {
  published: "webhooks.kubestream.dev/published-at",
  switched: "webhooks.kubestream.dev/switched-at",
} as const;

/** Reads the state of a rotation. Parts that are missing or unusable are absent. */
export function readState(secret: DeepReadonly<Secret>): RotationState {
  const { data = {} } = secret;
  const text = (key: string): string => Buffer.from(data[key] ?? "", "base64").toString("utf8");
  const pair = (cert: string, key: string): ServingPair | undefined => {
    try {
      return readPair(text(cert), text(key));
    } catch {
      return undefined;
    }
  };
  return {
    current: pair(keys.cert, keys.key),
    next: pair(keys.nextCert, keys.nextKey),
    trusted: splitCertificates(text(keys.trusted)),
    publishedMs: readTime(secret.metadata?.annotations?.[annotations.published]),
    switchedMs: readTime(secret.metadata?.annotations?.[annotations.switched]),
  };
}

/** Returns the Secret with a new state. Other data and annotations stay. */
export function withState(secret: DeepReadonly<Secret>, state: RotationState): Secret {
  const { current, next, trusted, publishedMs, switchedMs } = state;
  const { [keys.nextCert]: _cert, [keys.nextKey]: _key, ...data } = secret.data ?? {};
  const {
    [annotations.published]: _published,
    [annotations.switched]: _switched,
    ...others
  } = secret.metadata?.annotations ?? {};
  const encode = (text: string): string => Buffer.from(text, "utf8").toString("base64");
  return {
    ...(secret as Secret),
    metadata: {
      ...(secret.metadata as Secret["metadata"]),
      annotations: {
        ...others,
        ...(publishedMs !== undefined && { [annotations.published]: new Date(publishedMs).toISOString() }),
        ...(switchedMs !== undefined && { [annotations.switched]: new Date(switchedMs).toISOString() }),
      },
    },
    data: {
      ...data,
      ...(current && { [keys.cert]: encode(current.cert), [keys.key]: encode(current.key) }),
      ...(next && { [keys.nextCert]: encode(next.cert), [keys.nextKey]: encode(next.key) }),
      [keys.trusted]: encode(trusted.join("")),
    },
  };
}

function readTime(text: string | undefined): number | undefined {
  const ms = Date.parse(text ?? "");
  return Number.isNaN(ms) ? undefined : ms;
}
