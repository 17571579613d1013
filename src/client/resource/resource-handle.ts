import type { IdleIterator } from "../../internal/idle-iterator.js";
import type { Kind } from "../../meta/kind.js";
import type { List } from "../../meta/list.js";
import type { KubernetesObject } from "../../meta/object.js";
import type {
  ApplyOptions,
  DeleteOptions,
  GetOptions,
  ListOptions,
  RequestOptions,
  WatchOptions,
  WriteOptions,
} from "../../meta/options.js";
import type { Status } from "../../meta/status.js";
import { checkAnswer, isAbsent } from "../call/failure.js";
import type { OpenResponse } from "../call/open-response.js";
import type { Call, Requester } from "../call/requester.js";
import { noteResponse } from "../call/response-info.js";
import { withAction } from "../call/with-action.js";
import { Answers } from "./answers.js";
import {
  type CallTarget,
  checkIsObject,
  deletionParameters,
  encodeJson,
  listCall,
  watchCall,
  withKind,
  writeParameters,
} from "./calls.js";
import type { ListChunk, Watch } from "./collection.js";
import { describeCollection, describeObject } from "./describe.js";
import { Encodings, encodeBody } from "./encodings.js";
import { readListChunks, readOneListChunk } from "./list-chunks.js";
import { type PagesOptions, readItems, readPages } from "./pages.js";
import { collectionPath, objectPath } from "./paths.js";
import type { DeleteCollectionOptions, UpdateFunction, UpdateFunctionOptions } from "./resource.js";
import { retryOnConflict } from "./retry-on-conflict.js";
import type { TableOptions } from "./table-view.js";
import { checkListOptions, checkWatchOptions } from "./version-rules.js";
import { metadataView, type ObjectView, objectView, tableView } from "./views.js";
import { openWatch } from "./watch.js";

const cborType = "application/cbor";
const patchTypes = {
  json: "application/json-patch+json",
  merge: "application/merge-patch+json",
  strategic: "application/strategic-merge-patch+json",
} as const;

type AnyPatch =
  | { readonly type: "json"; readonly operations: readonly object[] }
  | { readonly type: "merge" | "strategic"; readonly patch: unknown };

/** Objects that a handle addresses. */
interface HandleScope {
  readonly namespace?: string | undefined;
  readonly subresource?: string | undefined;
  /** Representation in which they are requested. Default: whole objects. */
  readonly view?: ObjectView;
}

/** One request for one object. */
interface ObjectCall extends Pick<Call, "repeat" | "query" | "body"> {
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

/** Implementation of all handles. The public handle types restrict which methods are visible. */
export class ResourceHandle {
  readonly kind: Kind;
  readonly namespaceName: string | undefined;
  readonly description: string;
  readonly #requester: Requester;
  readonly #target: CallTarget;
  readonly #sub: string | undefined;
  readonly #answers: Answers;

  constructor(requester: Requester, kind: Kind, { namespace, subresource: sub, view = objectView }: HandleScope = {}) {
    this.kind = kind;
    this.namespaceName = namespace;
    this.description = describeCollection(kind, namespace);
    this.#requester = requester;
    this.#sub = sub;
    const ofKind = sub === undefined || sub === "status";
    this.#target = {
      kind,
      namespaceName: namespace,
      description: this.description,
      path: collectionPath(kind, namespace),
      view,
      encodings: new Encodings(requester.shared, kind, !ofKind),
    };
    this.#answers = new Answers(this.#target, ofKind && view.table !== true);
  }

  get cacheScope(): object {
    // Derived clients must not share caches: an impersonated user may see other objects.
    return this.#requester;
  }

  get cacheKey(): string {
    const { path, view } = this.#target;
    return JSON.stringify([path, this.#sub ?? null, view.name, view.query ?? null]);
  }

  get closedSignal(): AbortSignal {
    return this.#requester.shared.closing.signal;
  }

  get groupVersionResource(): string {
    return `${this.kind.group}/${this.kind.version}/${this.kind.plural}`;
  }

  namespace(name: string): ResourceHandle {
    if (this.kind.scope === "Cluster")
      throw new TypeError(`${this.description} are cluster-scoped: namespace() isn't available`);
    return this.#derive({ namespace: name });
  }

  subresource(name: string): ResourceHandle {
    objectPath("", "name", name);
    return this.#derive({ subresource: name });
  }

  metadataOnly(): ResourceHandle {
    return this.#derive({ view: metadataView });
  }

  asTable(options: TableOptions = {}): ResourceHandle {
    return this.#derive({ view: tableView(options) });
  }

  #derive(scope: HandleScope): ResourceHandle {
    const { view } = this.#target;
    return new ResourceHandle(this.#requester, this.kind, {
      namespace: this.namespaceName,
      subresource: this.#sub,
      view,
      ...scope,
    });
  }

  // Reading

  async get(name: string, options: GetOptions = {}): Promise<object> {
    return this.#one({
      verb: "get",
      method: "GET",
      name,
      options,
      query: {
        resourceVersion: options.resourceVersion,
        ignoreStoreReadErrorWithClusterBreakingPotential: options.ignoreStoreReadErrorWithClusterBreakingPotential,
      },
      repeat: "read",
    });
  }

  async getOptional(name: string, options: GetOptions = {}): Promise<object | undefined> {
    try {
      return await this.get(name, options);
    } catch (error) {
      if (isAbsent(error, name)) return undefined;
      throw error;
    }
  }

  async list(options: ListOptions = {}): Promise<List<unknown>> {
    checkListOptions(options);
    const { view, encodings } = this.#target;
    const read = async (response: OpenResponse): Promise<List<unknown>> => {
      const list = view.table
        ? view.list(await this.#answers.decode(response, options))
        : await this.#answers.list(response, options);
      noteResponse(list, response.info);
      return list;
    };
    return encodings.attempt(() => this.#requester.run(listCall(this.#target, "list", options), read), false);
  }

  pages(options: PagesOptions = {}): IdleIterator<List<unknown>> {
    return readPages((each) => this.list(each), options, this.#requester.shared);
  }

  items(options: PagesOptions = {}): IdleIterator<unknown> {
    return readItems(this.pages(options));
  }

  listChunks(options: ListOptions = {}): IdleIterator<ListChunk<unknown>> {
    const { encodings, view } = this.#target;
    const { item, table } = view;
    // Rows need the table's columns, so a table arrives as a single chunk.
    if (table) return readOneListChunk((signal) => this.list({ ...options, signal }), options.signal);
    return readListChunks(
      {
        action: `list ${this.description}`,
        redact: this.#requester.shared.redact,
        open: async (signal) => {
          checkListOptions(options);
          const open = (): Promise<OpenResponse> =>
            this.#requester.open(listCall(this.#target, "list", { ...options, signal }));
          return encodings.attempt(open, false);
        },
        decoderOf: (response) => encodings.codecOf(response).createListDecoder(options.decode),
        checkKind: (kind) => this.#answers.checkList(kind),
        ...(item && { item }),
      },
      options.signal,
    );
  }

  watch(options: WatchOptions = {}): Watch<unknown> & AsyncDisposable {
    const action = `watch ${this.description}`;
    const { encodings, view: listView } = this.#target;
    const view = listView.forWatch?.() ?? listView;
    return openWatch(
      {
        action,
        redact: this.#requester.shared.redact,
        open: async (signal) => {
          checkWatchOptions(options);
          const open = (): Promise<OpenResponse> =>
            this.#requester.open(watchCall(this.#target, action, view, { ...options, signal }));
          const response = await encodings.attempt(open, false);
          try {
            return { response, decoder: encodings.watchCodecOf(response).createWatchDecoder(options.decode) };
          } catch (error) {
            response.close();
            throw withAction(error, action);
          }
        },
        convert: (object) => {
          if (object.kind !== this.kind.kind) this.#answers.checkObject(object, action);
          return view.item === undefined ? object : view.item(object);
        },
        bookmark: view.bookmark,
      },
      options,
    );
  }

  // Writing

  async create(...given: [object, WriteOptions?] | [string, object, WriteOptions?]): Promise<object> {
    if (this.#sub !== undefined) {
      const [name, object, options = {}] = given as [string, object, WriteOptions?];
      checkIsObject(object, this.description);
      return this.#one({ verb: "create", method: "POST", name, options, object, ...this.#write(options) });
    }
    const [object, options = {}] = given as [object, WriteOptions?];
    const body = withKind(object, this.#target);
    const name = (object as KubernetesObject).metadata?.name;
    const action =
      name === undefined
        ? `create ${this.description}`
        : `create ${describeObject(this.kind, this.namespaceName, name)}`;
    const { path, encodings } = this.#target;
    const request = { action, method: "POST", options: {} };
    return encodings.attempt((codec) => {
      const call: Call = {
        action,
        method: "POST",
        path,
        accept: this.#accept(),
        options,
        ...this.#write(options),
        body: encodeBody(body, codec),
      };
      return this.#requester.run(call, (response) => this.#answers.object(response, request));
    }, true);
  }

  async update(
    first: object | string,
    second?: WriteOptions | UpdateFunction<object>,
    third: UpdateFunctionOptions = {},
  ): Promise<object> {
    if (typeof first !== "string") return this.#replace(first, second as WriteOptions | undefined);
    const change = second as UpdateFunction<object>;
    return retryOnConflict(
      async () => {
        const {
          dryRun: _dryRun,
          fieldManager: _fieldManager,
          fieldValidation: _fieldValidation,
          maxAttempts: _maxAttempts,
          ...request
        } = third;
        const object = await this.get(first, request);
        return this.#replace((await change(object)) ?? object, third, first);
      },
      {
        ...(third.maxAttempts !== undefined && { maxAttempts: third.maxAttempts }),
        ...(third.signal && { signal: third.signal }),
        clock: this.#requester.shared.clock,
        random: this.#requester.shared.random,
      },
    );
  }

  async #replace(object: object, options: WriteOptions = {}, expected?: string): Promise<object> {
    const name = nameOf(object, "update", this.description);
    if (expected !== undefined && name !== expected)
      throw new TypeError(
        `update ${this.description}: the change must not rename ${JSON.stringify(expected)} to ${JSON.stringify(name)}`,
      );
    const versioned = ((object as KubernetesObject).metadata?.resourceVersion ?? "") !== "";
    const body = this.#typed(object);
    return this.#one({
      verb: "update",
      method: "PUT",
      name,
      options,
      object: body,
      ...this.#write(options, versioned),
    });
  }

  async patch(name: string, patch: AnyPatch, options: WriteOptions = {}): Promise<object> {
    const contentType = patchTypes[patch.type] as string | undefined;
    if (contentType === undefined)
      throw new TypeError(
        `patch ${this.description}: unknown patch type ${JSON.stringify((patch as { type: unknown }).type)}`,
      );
    if (patch.type === "strategic" && this.kind.custom === true)
      throw new TypeError(`patch ${this.description}: custom resources don't support strategic merge patches`);
    const content = patch.type === "json" ? patch.operations : patch.patch;
    if (typeof content !== "object" || content === null)
      throw new TypeError(
        `patch ${this.description}: the patch must be ${patch.type === "json" ? "an array" : "an object"}`,
      );
    return this.#one({
      verb: "patch",
      method: "PATCH",
      name,
      options,
      ...this.#write(options),
      body: { bytes: encodeJson(content), contentType },
    });
  }

  async apply(configuration: object, options: Partial<ApplyOptions> = {}): Promise<object> {
    const name = nameOf(configuration, "apply", this.description);
    if ((configuration as KubernetesObject).metadata?.managedFields !== undefined)
      throw new TypeError(`apply ${this.description}: metadata.managedFields must not be set: the server computes it`);
    const write = this.#write(options, true);
    if ((write.query?.["fieldManager"] ?? "") === "")
      throw new TypeError(`apply ${this.description}: options.fieldManager is required`);
    const object = this.#typed(configuration);
    const query = { ...write.query, force: options.force === true ? true : undefined };
    const call = { verb: "apply", method: "PATCH", name, options, ...write, query };
    if (this.#target.encodings.mediaTypes[0] === cborType)
      return this.#one({ ...call, object, contentType: "application/apply-patch+cbor" });
    return this.#one({
      ...call,
      body: { bytes: encodeJson(object), contentType: "application/apply-patch+yaml" },
    });
  }

  async delete(name: string, options: DeleteOptions = {}): Promise<object> {
    const { defaults } = this.#requester;
    return this.#one({ verb: "delete", method: "DELETE", name, options, ...deletionParameters(defaults, options) });
  }

  async deleteCollection(options: DeleteCollectionOptions = {}): Promise<object> {
    if (this.kind.scope === "Namespaced" && this.namespaceName === undefined)
      throw new TypeError(`delete collection ${this.description}: call namespace(name) first`);
    checkListOptions(options);
    const call: Call = {
      ...listCall(this.#target, "delete collection", options),
      ...deletionParameters(this.#requester.defaults, options),
      method: "DELETE",
      repeat: "once",
    };
    return this.#requester.run(call, async (response) => {
      const answer = await this.#answers.decode(response, options);
      checkAnswer(answer, call.action);
      const result = (answer as Status).kind === "Status" ? answer : this.#target.view.list(answer);
      noteResponse(result, response.info);
      return result;
    });
  }

  // Common parts

  #accept(): string {
    return this.#target.view.accept(this.#target.encodings.mediaTypes, "object");
  }

  #one({ verb, method, name, options, object, contentType, query, ...rest }: ObjectCall): Promise<object> {
    const { view, encodings } = this.#target;
    const path = objectPath(this.#objectBase(verb), name, this.#sub);
    const action = `${verb} ${describeObject(this.kind, this.namespaceName, name, this.#sub)}`;
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
    if (this.kind.scope === "Namespaced" && this.namespaceName === undefined)
      throw new TypeError(`${verb} ${this.description}: call namespace(name) first`);
    return this.#target.path;
  }

  #write(options: WriteOptions, safe = false): ReturnType<typeof writeParameters> {
    return writeParameters(this.#requester.defaults, options, safe);
  }

  /** Fills in the kind. Bodies of most subresources have another kind and are sent unchanged. */
  #typed(object: object): object {
    if (this.#sub === undefined || this.#sub === "status") return withKind(object, this.#target);
    checkIsObject(object, this.description);
    return object;
  }
}

function nameOf(object: unknown, verb: string, description: string): string {
  const name = (object as KubernetesObject | null | undefined)?.metadata?.name;
  if (name === undefined) throw new TypeError(`${verb} ${description}: metadata.name is required`);
  return name;
}
