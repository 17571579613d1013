import type { Codec } from "../../codec/codec.js";
import { encodeJson } from "../../codec/json/encode.js";
import type { IdleIterator } from "../../internal/streams/idle-iterator.js";
import type { Kind } from "../../meta/kind.js";
import type { List } from "../../meta/list.js";
import type { KubernetesObject } from "../../meta/object.js";
import type {
  ApplyOptions,
  DeleteOptions,
  GetOptions,
  ListOptions,
  WatchOptions,
  WriteOptions,
} from "../../meta/options.js";
import type { Status } from "../../meta/status.js";
import { loadBulkCodec } from "../call/bulk-codec.js";
import { checkAnswer, isAbsent } from "../call/failure.js";
import type { OpenResponse } from "../call/open-response.js";
import type { Call, Requester } from "../call/requester.js";
import { noteResponse } from "../call/response-info.js";
import { Answers } from "./answers.js";
import { type CallTarget, cacheKeyOf, checkIsObject, deletionParameters, listCall, withKind } from "./calls.js";
import type { ListChunk, Watch } from "./collection.js";
import type { DeleteCollectionOptions } from "./collection-handle.js";
import { streamList, streamWatch } from "./collection-streams.js";
import { describeCollection, describeObject, groupVersionResourceOf } from "./describe.js";
import { type AnyPatch, encodePatch } from "./encode-patch.js";
import { Encodings } from "./encodings.js";
import { readOneListChunk } from "./list-chunks.js";
import { cborType, ObjectRequests } from "./object-requests.js";
import { type PagesOptions, readItems, readPages } from "./pages.js";
import { checkSegment, collectionPath, objectPath } from "./paths.js";
import { retryOnConflict } from "./retry-on-conflict.js";
import type { UpdateFunction, UpdateFunctionOptions } from "./subresource-handle.js";
import type { TableOptions } from "./table-view.js";
import { checkListOptions, checkWatchOptions } from "./version-rules.js";
import { metadataView, type ObjectView, objectView, tableView } from "./views.js";

/** Objects that a handle addresses. */
interface HandleScope {
  readonly namespace?: string | undefined;
  readonly subresource?: string | undefined;
  /** Representation in which they are requested. Default: whole objects. */
  readonly view?: ObjectView;
  /** Codec to prefer to the client's. */
  readonly bulk?: Codec;
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
  readonly #objects: ObjectRequests;

  constructor(requester: Requester, kind: Kind, scope: HandleScope = {}) {
    const { namespace, subresource: sub, view = objectView, bulk } = scope;
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
      ofKind,
      encodings: new Encodings(requester.shared, kind, !ofKind, bulk),
    };
    this.#answers = new Answers(this.#target);
    this.#objects = new ObjectRequests(requester, this.#target, this.#answers, sub);
  }

  get cacheScope(): object {
    // Derived clients must not share caches: an impersonated user may see other objects.
    return this.#requester;
  }

  get cacheKey(): string {
    return cacheKeyOf(this.#target, this.#sub);
  }

  get closedSignal(): AbortSignal {
    return this.#requester.shared.closing.signal;
  }

  get groupVersionResource(): string {
    return groupVersionResourceOf(this.kind);
  }

  get loadBulk(): (() => Promise<ResourceHandle | undefined>) | undefined {
    const { view } = this.#target;
    const { bulkCodec } = this.#requester.shared;
    if (bulkCodec === undefined || this.#sub !== undefined || view.name !== "object") return undefined;
    return async () => {
      const bulk = await loadBulkCodec(this.#requester, this.kind);
      return bulk?.supports(this.kind) === true ? this.#derive({ bulk }) : undefined;
    };
  }

  namespace(name: string): ResourceHandle {
    if (this.kind.scope === "Cluster")
      throw new TypeError(`${this.description} are cluster-scoped: namespace() isn't available`);
    // `undefined`, such as from a missing variable of the environment, must not select all namespaces.
    checkSegment("namespace", name);
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
    return this.#objects.send({
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
    return readItems(this.pages(options), options.signal);
  }

  listChunks(options: ListOptions = {}): IdleIterator<ListChunk<unknown>> {
    // Rows need the table's columns, so a table arrives as a single chunk.
    if (this.#target.view.table) return readOneListChunk((signal) => this.list({ ...options, signal }), options.signal);
    return streamList(this.#requester, this.#target, options, checkListOptions);
  }

  watch(options: WatchOptions = {}): Watch<unknown> & AsyncDisposable {
    return streamWatch(this.#requester, this.#target, options, checkWatchOptions);
  }

  // Writing

  async create(...given: [object, WriteOptions?] | [string, object, WriteOptions?]): Promise<object> {
    if (this.#sub !== undefined) {
      const [name, object, options = {}] = given as [string, object, WriteOptions?];
      checkIsObject(object, this.description);
      return this.#objects.send({
        verb: "create",
        method: "POST",
        name,
        options,
        object,
        ...this.#objects.write(options),
      });
    }
    const [object, options = {}] = given as [object, WriteOptions?];
    const body = withKind(object, this.#target);
    const name = (object as KubernetesObject).metadata?.name;
    const action =
      name === undefined
        ? `create ${this.description}`
        : `create ${describeObject(this.kind, this.namespaceName, name)}`;
    return this.#objects.create(action, body, options);
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
    const body = this.#objects.typed(object);
    return this.#objects.send({
      verb: "update",
      method: "PUT",
      name,
      options,
      object: body,
      ...this.#objects.write(options, versioned),
    });
  }

  async patch(name: string, patch: AnyPatch, options: WriteOptions = {}): Promise<object> {
    return this.#objects.send({
      verb: "patch",
      method: "PATCH",
      name,
      options,
      ...this.#objects.write(options),
      body: encodePatch(patch, this.kind, this.description),
    });
  }

  async apply(configuration: object, options: Partial<ApplyOptions> = {}): Promise<object> {
    const name = nameOf(configuration, "apply", this.description);
    if ((configuration as KubernetesObject).metadata?.managedFields !== undefined)
      throw new TypeError(`apply ${this.description}: metadata.managedFields must not be set: the server computes it`);
    const write = this.#objects.write(options, true);
    if ((write.query?.["fieldManager"] ?? "") === "")
      throw new TypeError(`apply ${this.description}: options.fieldManager is required`);
    const object = this.#objects.typed(configuration);
    const query = { ...write.query, force: options.force === true ? true : undefined };
    const call = { verb: "apply", method: "PATCH", name, options, ...write, query };
    if (this.#target.encodings.mediaTypes[0] === cborType)
      return this.#objects.send({ ...call, object, contentType: "application/apply-patch+cbor" });
    return this.#objects.send({
      ...call,
      body: { bytes: encodeJson(object), contentType: "application/apply-patch+yaml" },
    });
  }

  async delete(name: string, options: DeleteOptions = {}): Promise<object> {
    const { defaults } = this.#requester;
    return this.#objects.send({
      verb: "delete",
      method: "DELETE",
      name,
      options,
      ...deletionParameters(defaults, options),
    });
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
}

function nameOf(object: unknown, verb: string, description: string): string {
  const name = (object as KubernetesObject | null | undefined)?.metadata?.name;
  if (name === undefined) throw new TypeError(`${verb} ${description}: metadata.name is required`);
  return name;
}
