import type { Codec, CodecTarget } from "../../codec/codec.js";
import { json } from "../../codec/json/json.js";
import { AbortGroup } from "../../internal/abort.js";
import { type Clock, systemClock } from "../../internal/clock.js";
import { directOf } from "../../transport/direct.js";
import { redactorOf } from "../../transport/redacting.js";
import type { Interceptor, Transport } from "../../transport/transport.js";
import { createCredentials } from "./credentials.js";
import { redactTokens } from "./redact-error.js";
import type { Shared } from "./requester.js";

/** Options for `createShared`; `ClientOptions` describes them. */
export interface SharedOptions {
  readonly transport: Transport;
  readonly codecs?: readonly Codec[] | undefined;
  readonly bulkCodec?: ((kind: CodecTarget) => Promise<Codec>) | undefined;
  readonly interceptors?: readonly Interceptor[] | undefined;
  readonly clock?: Clock | undefined;
  readonly random?: (() => number) | undefined;
}

/** Creates the state that all clients over one transport share. */
export function createShared(options: SharedOptions): Shared {
  const { transport, interceptors = [], bulkCodec, clock = systemClock, random = Math.random } = options;
  const codecs = [...(options.codecs ?? [])];
  if (!codecs.some((codec) => codec.mediaType === "application/json")) codecs.push(json());
  const wrap = (send: Transport["send"]): Transport["send"] =>
    interceptors.reduceRight((next, interceptor) => interceptor(next), send);
  const redactOfTransport = redactorOf(transport);
  const credentials = createCredentials();
  return {
    transport,
    send: wrap((request) => {
      // Interceptors may have added some.
      const added = credentials.add(request.headers);
      return added === undefined ? transport.send(request) : added.then(() => transport.send(request));
    }),
    redact: (text) => redactTokens(credentials.redact(redactOfTransport?.(text) ?? text)),
    addSecrets: credentials.add,
    wrap,
    sendDirect: interceptors.length === 0 ? directOf(transport) : undefined,
    codecs,
    readable: [...codecs],
    bulkCodec,
    clock,
    random,
    inFlight: new AbortGroup(),
    refused: new Set(),
    closed: false,
    closing: new AbortController(),
  };
}
