export type { Query } from "./client/call/query.js";
export type { RawRequest, RawResponse, WebSocketRequest } from "./client/call/raw.js";
export type { CallDefaults } from "./client/call/requester.js";
export type { ResponseInfo } from "./client/call/response-info.js";
export { getResponseInfo } from "./client/call/response-info.js";
export type { RetryEvent, RetryOptions } from "./client/call/retry.js";
export { dedupeWarnings, logWarnings, parseWarnings } from "./client/call/warnings.js";
export type { Client, ClientOptions } from "./client/client.js";
export { createClient } from "./client/client.js";
export { withDryRun } from "./client/decorators/with-dry-run.js";
export { withFieldManager } from "./client/decorators/with-field-manager.js";
export { withFieldValidation } from "./client/decorators/with-field-validation.js";
export type { Impersonation } from "./client/decorators/with-impersonation.js";
export { withImpersonation } from "./client/decorators/with-impersonation.js";
export type { ListerWatcherOptions } from "./client/lister-watcher.js";
export { createListerWatcher } from "./client/lister-watcher.js";
export type { ListChunk, ListerWatcher, ListWatch, Watch } from "./client/resource/collection.js";
export type {
  Collection,
  DeleteCollectionOptions,
  DeleteResult,
  DynamicObject,
  ObjectType,
  View,
} from "./client/resource/collection-handle.js";
export { isStatus } from "./client/resource/collection-handle.js";
export type { PagesOptions, PagesProgress } from "./client/resource/pages.js";
export type { DynamicResource, NamespacedResource, Resource, ResourceOf } from "./client/resource/resource.js";
export type { RetryOnConflictOptions } from "./client/resource/retry-on-conflict.js";
export { retryOnConflict } from "./client/resource/retry-on-conflict.js";
export type {
  ApplyArguments,
  SubresourceCreateResult,
  SubresourceHandle,
  UpdateFunction,
  UpdateFunctionOptions,
} from "./client/resource/subresource-handle.js";
export type { ObjectTable, TableItem, TableOptions } from "./client/resource/table-view.js";
export { getCell } from "./client/resource/table-view.js";
export { ClosedError, ConfigError, ProtocolError, TransportError } from "./errors/errors.js";
export { KubestreamError } from "./errors/kubestream-error.js";
export {
  isAlreadyExists,
  isBadRequest,
  isConflict,
  isForbidden,
  isGone,
  isInternalError,
  isInvalid,
  isMethodNotSupported,
  isNamespaceTerminating,
  isNotAcceptable,
  isNotFound,
  isRequestEntityTooLarge,
  isResourceExpired,
  isServerTimeout,
  isServiceUnavailable,
  isTimeout,
  isTooLargeResourceVersion,
  isTooManyRequests,
  isUnauthorized,
  isUnsupportedMediaType,
} from "./errors/predicates.js";
export type { StatusErrorOptions } from "./errors/status-error.js";
export { StatusError } from "./errors/status-error.js";
export type { Clock, Timer, TimerOptions } from "./internal/clock.js";
export { systemClock } from "./internal/clock.js";
export type { Condition } from "./meta/condition.js";
export type {
  CustomKind,
  CustomObject,
  CustomScale,
  CustomSubresources,
  InputOf,
  KindNames,
  OutputOf,
  SchemaObject,
} from "./meta/define-kind.js";
export { defineKind } from "./meta/define-kind.js";
export type { CrdManifest, CrdNames, CrdObject, CrdVersion, CrdVersionOf } from "./meta/define-kind-from-crd.js";
export { defineKindFromCrd } from "./meta/define-kind-from-crd.js";
export type { Kind, ObjectOf, PatchType, Scope } from "./meta/kind.js";
export { getApiVersion } from "./meta/kind.js";
export type { FieldSelectorRequirement, LabelSelector, LabelSelectorRequirement } from "./meta/label-selector.js";
export type { List, ListMeta } from "./meta/list.js";
export type {
  DeepReadonly,
  KubernetesObject,
  ManagedFieldsEntry,
  ObjectMeta,
  OwnerReference,
  TypeMeta,
} from "./meta/object.js";
export type {
  ApplyOptions,
  CreateOptions,
  DecodeOptions,
  DeleteOptions,
  FieldValidation,
  GetOptions,
  ListOptions,
  PatchOptions,
  Preconditions,
  RequestOptions,
  ResourceVersionMatch,
  SelectorOptions,
  UpdateOptions,
  Warning,
  WatchOptions,
  WriteOptions,
} from "./meta/options.js";
export type { IntOrString, Quantity, RawObject, Time } from "./meta/scalars.js";
export type { StandardIssue, StandardResult, StandardSchema } from "./meta/standard-schema.js";
export type { Status, StatusCause, StatusDetails } from "./meta/status.js";
export type { PartialObjectMetadata, Table, TableColumnDefinition, TableRow } from "./meta/table.js";
export type { Bookmark, WatchEvent } from "./meta/watch-event.js";
export { INITIAL_EVENTS_END } from "./meta/watch-event.js";
export type {
  Applied,
  ApplyConfiguration,
  ApplyIdentity,
  ApplyMetadata,
  JsonPatchOperation,
  ListDirectives,
  MergePatch,
  Patch,
  PatchesByType,
  StatusApplyConfiguration,
  StrategicDirectives,
  StrategicMergePatch,
  SubresourceApplyConfiguration,
} from "./patch/patch-types.js";
export type { FetchTransportOptions } from "./transport/fetch.js";
export { fetchTransport } from "./transport/fetch.js";
export type { HandlerTransportOptions } from "./transport/handler.js";
export { handlerTransport } from "./transport/handler.js";
export type {
  BodyIterator,
  Interceptor,
  ResponseHeaders,
  Transport,
  TransportRequest,
  TransportResponse,
  TransportSocket,
} from "./transport/transport.js";
