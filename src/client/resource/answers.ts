import type { ListDecoder } from "../../codec/codec.js";
import type { List } from "../../meta/list.js";
import type { GetOptions, ListOptions } from "../../meta/options.js";
import { checkAnswer } from "../call/failure.js";
import type { OpenResponse } from "../call/open-response.js";
import { noteResponse } from "../call/response-info.js";
import type { CallTarget } from "./calls.js";
import { checkList, checkObject } from "./check-kind.js";

/** The parts of a request for one object that affect how its response is read. */
export interface ObjectRequest {
  /** Description of the call for messages. */
  readonly action: string;
  readonly method: string;
  readonly options: Pick<GetOptions, "decode">;
}

/** Reads the responses to a handle's calls. */
export class Answers {
  readonly #target: CallTarget;

  constructor(target: CallTarget) {
    this.#target = target;
  }

  /** Reads an object. Returns it synchronously if the whole body has arrived. */
  object(response: OpenResponse, request: ObjectRequest): object | Promise<object> {
    const bytes = response.bytes();
    return bytes instanceof Uint8Array
      ? this.#toObject(bytes, response, request)
      : bytes.then((whole) => this.#toObject(whole, response, request));
  }

  /** Decodes a complete body. */
  async decode(response: OpenResponse, options: Pick<GetOptions, "decode">): Promise<object> {
    const codec = this.#target.encodings.codecOf(response);
    return codec.decode(await response.bytes(), options.decode);
  }

  /** Reads a list item by item. */
  list(response: OpenResponse, options: ListOptions): List<unknown> | Promise<List<unknown>> {
    const decoder = this.#target.encodings.codecOf(response).createListDecoder(options.decode);
    const items: unknown[] = [];
    const whole = response.arrived();
    if (whole === undefined) return this.#readPieces(response, decoder, items);
    for (const item of decoder.push(whole)) items.push(item);
    return this.#endList(decoder, items);
  }

  #toObject(bytes: Uint8Array, response: OpenResponse, { action, method, options }: ObjectRequest): object {
    const { encodings, view } = this.#target;
    const answer = encodings.codecOf(response).decode(bytes, options.decode);
    checkAnswer(answer, action);
    checkObject(this.#target, answer, action, { status: method === "POST" || method === "DELETE" });
    const object = view.one(answer);
    noteResponse(object, response.info);
    return object;
  }

  async #readPieces(response: OpenResponse, decoder: ListDecoder, items: unknown[]): Promise<List<unknown>> {
    for await (const chunk of response.body) for (const item of decoder.push(chunk)) items.push(item);
    return this.#endList(decoder, items);
  }

  #endList(decoder: ListDecoder, items: unknown[]): List<unknown> {
    const end = decoder.end();
    checkList(this.#target, end.kind);
    for (const item of end.items) items.push(item);
    return this.#target.view.list({
      ...(end.apiVersion !== undefined && { apiVersion: end.apiVersion }),
      ...(end.kind !== undefined && { kind: end.kind }),
      metadata: end.metadata,
      items,
    });
  }
}
