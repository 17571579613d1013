import type { ListDecoder } from "../../codec/codec.js";
import { utf8Encode } from "../../internal/bytes.js";
import type { IdleIterator } from "../../internal/idle-iterator.js";
import { getApiVersion, type Kind } from "../../meta/kind.js";
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
import type { Query } from "../call/query.js";
import type { Call, Requester } from "../call/requester.js";
import { noteResponse } from "../call/response-info.js";
import { withAction } from "../call/with-action.js";
import { type AlsoFits, checkListKind, checkObjectKind } from "./check-kind.js";
import type { ListChunk, Watch } from "./collection.js";
import { describeCollection, describeObject } from "./describe.js";
import { Encodings, encodeBody } from "./encodings.js";
import { checkFieldManager } from "./field-manager.js";
import { readListChunks, readOneListChunk } from "./list-chunks.js";
import { type PagesOptions, readItems, readPages } from "./pages.js";
import { collectionPath, objectPath } from "./paths.js";
import type { DeleteCollectionOptions, UpdateFunction, UpdateFunctionOptions } from "./resource.js";
import { retryOnConflict } from "./retry-on-conflict.js";
import type { TableOptions } from "./table-view.js";
import { checkListOptions, checkWatchOptions } from "./version-rules.js";
import { metadataView, type ObjectView, objectView, tableView } from "./views.js";
import { openWatch } from "./watch.js";

const jsonType = "application/json";
const cborType = "application/cbor";
const patchTypes = {
  json: "application/json-patch+json",
  merge: "application/merge-patch+json",
  strategic: "application/strategic-merge-patch+json",
} as const;

type Body = NonNullable<Call["body"]>;
type AnyPatch =
  | { readonly type: "json"; readonly operations: readonly object[] }
  | { readonly type: "merge" | "strategic"; readonly patch: unknown };

/** The one implementation behind all handles; their types say which methods a handle has. */
export class ResourceHandle {
  readonly kind: Kind;
  readonly namespaceName: string | undefined;
  readonly description: string;
  readonly #requester: Requester;
  readonly #path: string;
  readonly #sub: string | undefined;
  readonly #view: ObjectView;
  readonly #encodings: Encodings;
  /** Whether answers are objects of the kind, as those of most subresources are not. */
  readonly #answersKind: boolean;

  constructor(requester: Requester, kind: Kind, namespace?: string, sub?: string, view: ObjectView = objectView) {
    this.kind = kind;
    this.namespaceName = namespace;
    this.description = describeCollection(kind, namespace);
    this.#requester = requester;
    this.#path = collectionPath(kind, namespace);
    this.#sub = sub;
    this.#view = view;
    this.#encodings = new Encodings(requester.shared, kind, sub !== undefined && sub !== "status");
    this.#answersKind = (sub === undefined || sub === "status") && view.table !== true;
  }

  get cacheScope(): object {
    // Not what derived clients share: as somebody else one sees something else.
    return this.#requester;
  }

  get cacheKey(): string {
    return JSON.stringify([this.#path, this.#sub ?? null, this.#view.name, this.#view.query ?? null]);
  }

  get groupVersionResource(): string {
    return `${this.kind.group}/${this.kind.version}/${this.kind.plural}`;
  }

  namespace(name: string): ResourceHandle {
    if (this.kind.scope === "Cluster")
      throw new TypeError(`${this.description} are cluster-scoped: they have no namespace`);
    return new ResourceHandle(this.#requester, this.kind, name, this.#sub, this.#view);
  }

  subresource(name: string): ResourceHandle {
    objectPath("", "name", name);
    return new ResourceHandle(this.#requester, this.kind, this.namespaceName, name, this.#view);
  }

  metadataOnly(): ResourceHandle {
    return new ResourceHandle(this.#requester, this.kind, this.namespaceName, this.#sub, metadataView);
  }

  asTable(options: TableOptions = {}): ResourceHandle {
    return new ResourceHandle(this.#requester, this.kind, this.namespaceName, this.#sub, tableView(options));
  }

  // ——— reading

  async get(name: string, options: GetOptions = {}): Promise<object> {
    return this.#one("get", "GET", name, options, {
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
    const read = async (response: OpenResponse): Promise<List<unknown>> => {
      const list = this.#view.table
        ? this.#view.list(await this.#decode(response, options))
        : await this.#readList(response, options);
      noteResponse(list, response.info);
      return list;
    };
    return this.#encodings.attempt(() => this.#requester.run(this.#listCall("list", options), read), false);
  }

  pages(options: PagesOptions = {}): IdleIterator<List<unknown>> {
    return readPages((each) => this.list(each), options);
  }

  items(options: PagesOptions = {}): IdleIterator<unknown> {
    return readItems(this.pages(options));
  }

  listChunks(options: ListOptions = {}): IdleIterator<ListChunk<unknown>> {
    const { item, table } = this.#view;
    // A table's rows come with its columns: it is one chunk.
    if (table) return readOneListChunk((signal) => this.list({ ...options, signal }), options.signal);
    return readListChunks(
      {
        action: `list ${this.description}`,
        open: async (signal) => {
          checkListOptions(options);
          return this.#encodings.attempt(
            () => this.#requester.open(this.#listCall("list", { ...options, signal })),
            false,
          );
        },
        decoderOf: (response) => this.#encodings.codecOf(response).createListDecoder(options.decode),
        checkKind: (kind) => this.#checkList(kind),
        ...(item && { item }),
      },
      options.signal,
    );
  }

  watch(options: WatchOptions = {}): Watch<unknown> & AsyncDisposable {
    const action = `watch ${this.description}`;
    const view = this.#view.forWatch?.() ?? this.#view;
    return openWatch(
      {
        action,
        open: async (signal) => {
          checkWatchOptions(options);
          const response = await this.#encodings.attempt(
            () => this.#requester.open(this.#watchCall(action, view, { ...options, signal })),
            false,
          );
          try {
            return { response, decoder: this.#encodings.watchCodecOf(response).createWatchDecoder(options.decode) };
          } catch (error) {
            response.close();
            throw withAction(error, action);
          }
        },
        convert: (object) => {
          if (this.#answersKind && object.kind !== this.kind.kind)
            checkObjectKind(object, this.kind, this.#alsoFits(false), action);
          return view.item === undefined ? object : view.item(object);
        },
        bookmark: view.bookmark,
      },
      options,
    );
  }

  // ——— writing

  async create(...given: [object, WriteOptions?] | [string, object, WriteOptions?]): Promise<object> {
    if (this.#sub !== undefined) {
      const [name, body, options = {}] = given as [string, object, WriteOptions?];
      return this.#one("create", "POST", name, options, this.#write(options), this.#typed(body, false));
    }
    const [object, options = {}] = given as [object, WriteOptions?];
    const body = this.#typed(object, true);
    const name = (object as KubernetesObject).metadata?.name;
    const action =
      name === undefined
        ? `create ${this.description}`
        : `create ${describeObject(this.kind, this.namespaceName, name)}`;
    return this.#encodings.attempt(
      (codec) =>
        this.#requester.run(
          {
            action,
            method: "POST",
            path: this.#path,
            accept: this.#accept(),
            options,
            ...this.#write(options),
            body: encodeBody(body, codec),
          },
          (response) => this.#readOne(response, action, {}, "POST"),
        ),
      true,
    );
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
    const body = this.#typed(object, this.#sub === undefined || this.#sub === "status");
    return this.#one("update", "PUT", name, options, this.#write(options, versioned), body);
  }

  async patch(name: string, patch: AnyPatch, options: WriteOptions = {}): Promise<object> {
    const contentType = patchTypes[patch.type] as string | undefined;
    if (contentType === undefined)
      throw new TypeError(
        `patch ${this.description}: unknown patch type ${JSON.stringify((patch as { type: unknown }).type)}`,
      );
    if (patch.type === "strategic" && this.kind.custom === true)
      throw new TypeError(`patch ${this.description}: custom resources take no strategic merge patch`);
    const content = patch.type === "json" ? patch.operations : patch.patch;
    if (typeof content !== "object" || content === null)
      throw new TypeError(
        `patch ${this.description}: the patch must be ${patch.type === "json" ? "an array" : "an object"}`,
      );
    return this.#one("patch", "PATCH", name, options, {
      ...this.#write(options),
      body: { bytes: encodeJson(content), contentType },
    });
  }

  async apply(configuration: object, options: Partial<ApplyOptions> = {}): Promise<object> {
    const name = nameOf(configuration, "apply", this.description);
    if ((configuration as KubernetesObject).metadata?.managedFields !== undefined)
      throw new TypeError(
        `apply ${this.description}: metadata.managedFields must not be set: it is what the server makes of an apply`,
      );
    const write = this.#write(options, true);
    if ((write.query?.["fieldManager"] ?? "") === "")
      throw new TypeError(`apply ${this.description}: a fieldManager is required`);
    const body = this.#typed(configuration, this.#sub === undefined || this.#sub === "status");
    const query = { ...write.query, force: options.force === true ? true : undefined };
    if (this.#encodings.mediaTypes[0] === cborType)
      return this.#one("apply", "PATCH", name, options, { ...write, query }, body, "application/apply-patch+cbor");
    return this.#one("apply", "PATCH", name, options, {
      ...write,
      query,
      body: { bytes: encodeJson(body), contentType: "application/apply-patch+yaml" },
    });
  }

  async delete(name: string, options: DeleteOptions = {}): Promise<object> {
    return this.#one("delete", "DELETE", name, options, this.#deletion(options));
  }

  async deleteCollection(options: DeleteCollectionOptions = {}): Promise<object> {
    if (this.kind.scope === "Namespaced" && this.namespaceName === undefined)
      throw new TypeError(`delete collection ${this.description}: name a namespace first`);
    checkListOptions(options);
    const deletion = this.#deletion(options);
    const call: Call = {
      ...this.#listCall("delete collection", options),
      ...deletion,
      method: "DELETE",
      repeat: "once",
    };
    return this.#requester.run(call, async (response) => {
      const answer = await this.#decode(response, options);
      checkAnswer(answer, call.action);
      const result = (answer as Status).kind === "Status" ? answer : this.#view.list(answer);
      noteResponse(result, response.info);
      return result;
    });
  }

  // ——— common parts

  #accept(): string {
    return this.#view.accept(this.#encodings.mediaTypes, "object");
  }

  /** One request about one object; `body` is sent in the preferred encoding. */
  #one(
    verb: string,
    method: string,
    name: string,
    options: GetOptions & RequestOptions,
    rest: Pick<Call, "repeat"> & Partial<Call>,
    body?: object,
    contentType?: string,
  ): Promise<object> {
    const path = objectPath(this.#objectBase(verb), name, this.#sub);
    const action = `${verb} ${describeObject(this.kind, this.namespaceName, name, this.#sub)}`;
    const query = this.#view.query === undefined ? rest.query : { ...rest.query, ...this.#view.query };
    return this.#encodings.attempt((codec) => {
      // An apply that was refused as CBOR goes on as JSON, which has a name of its own there.
      const type =
        contentType === undefined || codec.mediaType === cborType ? contentType : "application/apply-patch+yaml";
      const call: Call = {
        action,
        method,
        path,
        accept: this.#accept(),
        options,
        ...rest,
        ...(query && { query }),
        ...(body && { body: encodeBody(body, codec, type) }),
      };
      return this.#requester.run(call, (response) => this.#readOne(response, action, options, method));
    }, body !== undefined);
  }

  #objectBase(verb: string): string {
    if (this.kind.scope === "Namespaced" && this.namespaceName === undefined)
      throw new TypeError(`${verb} ${this.description}: name a namespace first`);
    return this.#path;
  }

  #readOne(response: OpenResponse, action: string, options: GetOptions, method: string): object | Promise<object> {
    const bytes = response.bytes();
    return bytes instanceof Uint8Array
      ? this.#toOne(bytes, response, action, options, method)
      : bytes.then((whole) => this.#toOne(whole, response, action, options, method));
  }

  #toOne(bytes: Uint8Array, response: OpenResponse, action: string, options: GetOptions, method: string): object {
    const answer = this.#encodings.codecOf(response).decode(bytes, options.decode);
    checkAnswer(answer, action);
    if (this.#answersKind)
      checkObjectKind(answer, this.kind, this.#alsoFits(method === "POST" || method === "DELETE"), action);
    const object = this.#view.one(answer);
    noteResponse(object, response.info);
    return object;
  }

  #alsoFits(status: boolean): AlsoFits {
    return { metadata: this.#view.name === "metadata", status };
  }

  #listCall(verb: string, options: ListOptions): Call {
    return {
      action: `${verb} ${this.description}`,
      method: "GET",
      path: this.#path,
      query: {
        ...selectors(options),
        limit: options.limit === 0 ? undefined : options.limit,
        continue: options.continue,
        resourceVersion: options.resourceVersion,
        resourceVersionMatch: options.resourceVersionMatch,
        timeoutSeconds: options.timeoutSeconds,
        ...this.#view.query,
      },
      accept: this.#view.accept(this.#encodings.mediaTypes, "list"),
      repeat: "read",
      options,
    };
  }

  #watchCall(action: string, view: ObjectView, options: WatchOptions): Call {
    return {
      action,
      method: "GET",
      path: this.#path,
      query: {
        watch: "1",
        ...selectors(options),
        resourceVersion: options.resourceVersion,
        resourceVersionMatch: options.resourceVersionMatch,
        allowWatchBookmarks: options.allowWatchBookmarks,
        sendInitialEvents: options.sendInitialEvents,
        timeoutSeconds: options.timeoutSeconds,
        ...view.query,
      },
      accept: view.accept(this.#encodings.mediaTypes, "watch"),
      repeat: "read",
      stream: true,
      options,
    };
  }

  #write(options: WriteOptions, safe = false): { query: Query; repeat: Call["repeat"] } {
    const { defaults } = this.#requester;
    const dryRun = options.dryRun ?? defaults.dryRun;
    const fieldManager = options.fieldManager ?? defaults.fieldManager;
    if (fieldManager !== undefined) checkFieldManager(fieldManager);
    return {
      query: { dryRun, fieldManager, fieldValidation: options.fieldValidation ?? defaults.fieldValidation },
      repeat: safe || dryRun !== undefined ? "write" : "once",
    };
  }

  #deletion(options: DeleteOptions): { body?: Body; repeat: Call["repeat"] } {
    const {
      gracePeriodSeconds,
      propagationPolicy,
      // eslint-disable-next-line @typescript-eslint/no-deprecated -- the API has it still
      orphanDependents,
      preconditions,
      ignoreStoreReadErrorWithClusterBreakingPotential,
    } = options;
    const dryRun = options.dryRun ?? this.#requester.defaults.dryRun;
    if (gracePeriodSeconds !== undefined && !Number.isSafeInteger(gracePeriodSeconds))
      throw new RangeError(`gracePeriodSeconds must be a whole number, not ${gracePeriodSeconds}`);
    const repeat = dryRun !== undefined || preconditions?.uid !== undefined ? "write" : "once";
    const fields = {
      gracePeriodSeconds,
      propagationPolicy,
      orphanDependents,
      preconditions,
      ignoreStoreReadErrorWithClusterBreakingPotential,
      dryRun: dryRun === undefined ? undefined : [dryRun],
    };
    if (Object.values(fields).every((value) => value === undefined)) return { repeat };
    return {
      repeat,
      body: { bytes: encodeJson({ apiVersion: "v1", kind: "DeleteOptions", ...fields }), contentType: jsonType },
    };
  }

  /** The object with `apiVersion` and `kind`, which items of lists lack and custom resources need. */
  #typed(object: object, ofKind: boolean): object {
    if (typeof object !== "object" || (object as unknown) === null || Array.isArray(object)) {
      throw new TypeError(
        `${this.description}: expected an object, not ${(object as unknown) === null ? "null" : Array.isArray(object) ? "an array" : typeof object}`,
      );
    }
    const { apiVersion, kind } = object as KubernetesObject;
    if (!ofKind || (apiVersion !== undefined && kind !== undefined)) return object;
    return { ...object, apiVersion: apiVersion ?? getApiVersion(this.kind), kind: kind ?? this.kind.kind };
  }

  async #decode(response: OpenResponse, options: GetOptions): Promise<object> {
    const codec = this.#encodings.codecOf(response);
    return codec.decode(await response.bytes(), options.decode);
  }

  #readList(response: OpenResponse, options: ListOptions): List<unknown> | Promise<List<unknown>> {
    const decoder = this.#encodings.codecOf(response).createListDecoder(options.decode);
    const items: unknown[] = [];
    const whole = response.arrived();
    if (whole === undefined) return this.#readPieces(response, decoder, items);
    for (const item of decoder.push(whole)) items.push(item);
    return this.#endList(decoder, items);
  }

  async #readPieces(response: OpenResponse, decoder: ListDecoder, items: unknown[]): Promise<List<unknown>> {
    for await (const chunk of response.body) for (const item of decoder.push(chunk)) items.push(item);
    return this.#endList(decoder, items);
  }

  #endList(decoder: ListDecoder, items: unknown[]): List<unknown> {
    const end = decoder.end();
    this.#checkList(end.kind);
    for (const item of end.items) items.push(item);
    return this.#view.list({
      ...(end.apiVersion !== undefined && { apiVersion: end.apiVersion }),
      ...(end.kind !== undefined && { kind: end.kind }),
      metadata: end.metadata,
      items,
    });
  }

  #checkList(kind: string | undefined): void {
    checkListKind(kind, this.kind, this.#alsoFits(false), `list ${this.description}`);
  }
}

function selectors(options: ListOptions | WatchOptions): Query {
  return {
    labelSelector: options.labelSelector,
    fieldSelector: options.fieldSelector,
    shardSelector: options.shardSelector,
  };
}

function nameOf(object: unknown, verb: string, description: string): string {
  const name = (object as KubernetesObject | null | undefined)?.metadata?.name;
  if (name === undefined) throw new TypeError(`${verb} ${description}: the object has no metadata.name`);
  return name;
}

function encodeJson(value: object): Uint8Array {
  return utf8Encode(JSON.stringify(value));
}
