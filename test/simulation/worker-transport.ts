import type { Codec } from "../../src/codec/codec.js";
import { sharedJson } from "../../src/codec/json/shared-json.js";
import { protobuf } from "../../src/codec/protobuf/protobuf.js";
import { ReceivedBases, receiveChunk } from "../../src/node/worker/delta-reader.js";
import { DeltaWriter, SentBases } from "../../src/node/worker/delta-writer.js";
import { isForWorker, withoutMark } from "../../src/node/worker/worker-link.js";
import { withMark } from "../../src/node/worker/worker-transport.js";
import type { Transport, TransportRequest, TransportResponse } from "../../src/transport/transport.js";

const codecs: Readonly<Record<string, Codec>> = {
  "application/json": sharedJson(),
  "application/vnd.kubernetes.protobuf": protobuf(),
};

/**
 * Passes the responses to marked requests through both halves of a decoding worker, without its thread: the order of
 * events must depend on the seed alone.
 */
export function throughWorker<T extends Transport>(transport: T): T {
  const sent = new SentBases();
  const received: ReceivedBases = new ReceivedBases((numbers) => {
    sent.drop(numbers);
    received.drop(numbers);
  });
  const scopes = new Map<string, object>();

  function writerFor({ status, headers }: TransportResponse, path: string): DeltaWriter | undefined {
    const codec = codecs[headers.get("content-type")?.split(";")[0] ?? ""];
    if (status !== 200 || codec === undefined) return undefined;
    const collection = path.split("?")[0]!;
    const scope = scopes.get(collection) ?? {};
    scopes.set(collection, scope);
    return new DeltaWriter(codec, path.includes("watch="), scope, sent);
  }

  async function send(request: TransportRequest): Promise<TransportResponse> {
    if (!isForWorker(request)) return transport.send(request);
    const response = withMark(await transport.send(withoutMark(request)));
    const writer = writerFor(response, request.path);
    if (writer === undefined) return response;
    return { ...response, body: map(response.body, (chunk) => pass(writer, chunk)) };
  }

  const pass = (writer: DeltaWriter, chunk: Uint8Array): Uint8Array =>
    receiveChunk(writer.write([chunk], chunk.length), chunk.length, received);
  return Object.create(transport, { send: { value: send } }) as T;
}

/** Maps the chunks of a body. */
function map(body: AsyncIterable<Uint8Array>, convert: (chunk: Uint8Array) => Uint8Array): AsyncIterable<Uint8Array> {
  return {
    [Symbol.asyncIterator]() {
      const inner = body[Symbol.asyncIterator]() as AsyncIterator<Uint8Array, undefined>;
      return {
        async next() {
          const result = await inner.next();
          return result.done === true ? result : { done: false, value: convert(result.value) };
        },
        return: async () => (await inner.return?.()) ?? { done: true, value: undefined },
      };
    },
  };
}
