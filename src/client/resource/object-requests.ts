import type { GetOptions, RequestOptions, WriteOptions } from "../../meta/options.js";
import type { Call, Requester } from "../call/requester.js";
import type { Answers } from "./answers.js";
import { type CallTarget, checkIsObject, withKind, writeParameters } from "./calls.js";
import { describeObject } from "./describe.js";
import { encodeBody } from "./encodings.js";
import { objectPath } from "./paths.js";

/** Media type of CBOR. */
export const cborType = "application/cbor";

/** One request for one object. */
export interface ObjectCall extends Pick<Call, "repeat" | "query" | "body"> {
  readonly verb: string;
  readonly method: string;
  readonly name: string;
  readonly options: GetOptions & RequestOptions;
  /**
   * Object to send in the preferred encoding, instead of `body`. `contentType` overrides the encoding's own media type.
   */
  readonly object?: object;
  readonly contentType?: string;
}

/** Sends a handle's requests for single objects. */
export class ObjectRequests {
  readonly #requester: Requester;
  readonly #target: CallTarget;
  readonly #answers: Answers;
  readonly #sub: string | undefined;

  constructor(requester: Requester, target: CallTarget, answers: Answers, sub: string | undefined) {
    this.#requester = requester;
    this.#target = target;
    this.#answers = answers;
    this.#sub = sub;
  }

  /** Creates an object in the collection. */
  create(action: string, body: object, options: WriteOptions): Promise<object> {
    const { path, encodings } = this.#target;
    const request = { action, method: "POST", options: {} };
    return encodings.attempt((codec) => {
      const call: Call = {
        action,
        method: "POST",
        path,
        accept: this.#accept(),
        options,
        ...this.write(options),
        body: encodeBody(body, codec),
      };
      return this.#requester.run(call, (response) => this.#answers.object(response, request));
    }, true);
  }

  #accept(): string {
    return this.#target.view.accept(this.#target.encodings.mediaTypes, "object");
  }

  /** Sends a request for an object. */
  send({ verb, method, name, options, object, contentType, query, ...rest }: ObjectCall): Promise<object> {
    const { view, encodings } = this.#target;
    const path = objectPath(this.#objectBase(verb), name, this.#sub);
    const action = `${verb} ${describeObject(this.#target.kind, this.#target.namespaceName, name, this.#sub)}`;
    const fullQuery = view.query === undefined ? query : { ...query, ...view.query };
    const request = { action, method, options };
    return encodings.attempt((codec) => {
      // If the server refuses CBOR, the apply is retried as JSON, which has its own media type for apply.
      const type =
        contentType === undefined || codec.mediaType === cborType ? contentType : "application/apply-patch+yaml";
      const call: Call = {
        action,
        method,
        path,
        accept: this.#accept(),
        options,
        ...rest,
        ...(fullQuery && { query: fullQuery }),
        ...(object && { body: encodeBody(object, codec, type) }),
      };
      return this.#requester.run(call, (response) => this.#answers.object(response, request));
    }, object !== undefined);
  }

  #objectBase(verb: string): string {
    if (this.#target.kind.scope === "Namespaced" && this.#target.namespaceName === undefined)
      throw new TypeError(`${verb} ${this.#target.description}: call namespace(name) first`);
    return this.#target.path;
  }

  /** Returns the query and the repeatability of a write. `safe`: sending it twice has the effect of once. */
  write(options: WriteOptions, safe = false): ReturnType<typeof writeParameters> {
    return writeParameters(this.#requester.defaults, options, safe);
  }

  /** Fills in the kind. Bodies of most subresources have another kind and are sent unchanged. */
  typed(object: object): object {
    if (this.#sub === undefined || this.#sub === "status") return withKind(object, this.#target);
    checkIsObject(object, this.#target.description);
    return object;
  }
}
