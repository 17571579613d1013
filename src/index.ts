// Client

export type {
  ApiCatalog,
  DiscoveredGroup,
  DiscoveredResource,
  DiscoveredSubresource,
  DiscoveredVersion,
  DiscoveryFailure,
} from "./client/api-catalog.js";
// Discovery, and objects of any kind
export { findByCategory, findByKind, findByName, parseApiVersion, resourcesOf } from "./client/api-catalog.js";
export type { ApplyConflict } from "./client/apply-conflict.js";
export { applyConflicts } from "./client/apply-conflict.js";
export type {
  ApplySetMembership,
  ApplySetOptions,
  ApplySetParent,
  ManagedApplySetOptions,
} from "./client/apply-set.js";
export { applySet, applySetId } from "./client/apply-set.js";
export type { ApprovalOptions } from "./client/approve.js";
// Subresources
export { approve, deny } from "./client/approve.js";
export type { AccessAnswer, CanOptions } from "./client/can.js";
export { can } from "./client/can.js";
export type { Client, ClientOptions, Decorated, ManagedClient } from "./client/client.js";
export { createClient } from "./client/client.js";
export type { ListSlice, ListWatch, Watch } from "./client/collection.js";
export type { Ensured, EnsureOptions } from "./client/create-or-update.js";
// Read, change, write
export { createOrPatch, createOrUpdate } from "./client/create-or-update.js";
export { deleteCollectionPages } from "./client/delete-pages.js";
export type { Discovery, DiscoveryOptions } from "./client/discovery.js";
export { createDiscovery } from "./client/discovery.js";
export type { DrainOptions, DrainPod, DrainProgress, DrainResult } from "./client/drain.js";
export { drain } from "./client/drain.js";
export type { DrainRules } from "./client/drain-plan.js";
export type { EvictOptions } from "./client/evict.js";
export { evict, isHeldBackByBudget } from "./client/evict.js";
export {
  addFinalizer,
  hasFinalizer,
  isBeingDeleted,
  removeFinalizer,
  withFinalizer,
  withoutFinalizer,
} from "./client/finalizers.js";
export type { FlowControlLookup, FlowControlNames, FlowControlUids } from "./client/flow-control.js";
// API Priority and Fairness
export { createFlowControlLookup } from "./client/flow-control.js";
export type { PriorityLevelDump, QueueDump, RequestDump } from "./client/flow-control-dumps.js";
export {
  dumpFlowControl,
  parsePriorityLevelDump,
  parseQueueDump,
  parseRequestDump,
} from "./client/flow-control-dumps.js";
export type {
  ClassifiedRequest,
  FlowSchemaRules,
  PriorityLevelRules,
  PriorityLevelSeats,
} from "./client/flow-schema-match.js";
export { matchFlowSchema, prioritySeats } from "./client/flow-schema-match.js";
export { formatManifests } from "./client/format-manifests.js";
export type {
  ManagedApplyOptions,
  ManagedDynamicResource,
  ManagedNamespacedResource,
  ManagedResource,
  ManagedResourceOf,
  ManagedSubresourceHandle,
} from "./client/managed.js";
export type {
  ApplyManifestsOptions,
  DeleteManifestsOptions,
  ManagedApplyManifestsOptions,
  ManifestPlacement,
} from "./client/manifests.js";
export { applyManifests, deleteManifests } from "./client/manifests.js";
export type { OpenApi } from "./client/open-api.js";
export { createOpenApi } from "./client/open-api.js";
export type { OwnerReferenceOptions } from "./client/owner-references.js";
export {
  controllerOf,
  isOwnedBy,
  ownerReference,
  withController,
  withOwner,
  withoutOwner,
} from "./client/owner-references.js";
export type { PagesOptions, PagesProgress } from "./client/pages.js";
export { parseManifests } from "./client/parse-manifests.js";
export { addEphemeralContainer, bind, resize } from "./client/pod-operations.js";
export type { Query } from "./client/query.js";
export type { ConnectRequest, RawRequest, RawResponse } from "./client/raw.js";
export type { IssuedToken, TokenRequestOptions } from "./client/request-token.js";
export { requestToken } from "./client/request-token.js";
export type { CallDefaults } from "./client/requester.js";
export type {
  AnswerToCreate,
  Change,
  ChangeOptions,
  Collection,
  DeleteCollectionOptions,
  Deleted,
  DynamicObject,
  DynamicResource,
  NamespacedResource,
  ObjectType,
  Resource,
  ResourceOf,
  SubresourceHandle,
  View,
} from "./client/resource.js";
export { isStatus } from "./client/resource.js";
export type { ResponseInfo } from "./client/response-info.js";
export { responseOf } from "./client/response-info.js";
export type { RetryEvent, RetryOptions } from "./client/retry.js";
export type { RetryOnConflictOptions } from "./client/retry-on-conflict.js";
export { retryOnConflict } from "./client/retry-on-conflict.js";
export type { UndoRolloutOptions } from "./client/rollout.js";
export { cordon, pauseRollout, restart, resumeRollout, setImages, uncordon, undoRollout } from "./client/rollout.js";
export type { ScaleOptions } from "./client/scale.js";
export { scale } from "./client/scale.js";
export type { ObjectTable, TableItem, TableOptions } from "./client/table-view.js";
export { cellOf } from "./client/table-view.js";
export type { NodeUsage, PodUsage, Usage, UsageOptions } from "./client/usage.js";
export { NodeMetrics, PodMetrics, topNodes, topPods } from "./client/usage.js";
export { logWarnings, onceEach, parseWarnings } from "./client/warnings.js";
export { withDryRun } from "./client/with-dry-run.js";
export { withFieldManager } from "./client/with-field-manager.js";
export { withFieldValidation } from "./client/with-field-validation.js";
export type { Impersonation } from "./client/with-impersonation.js";
export { impersonationHeaders, withImpersonation } from "./client/with-impersonation.js";
export type { Codec, CodecTarget, ListDecoder, WatchDecoder } from "./codec/codec.js";
// Encoding
export { json } from "./codec/json.js";
export type { UndrainedPod } from "./errors/drain-error.js";
export { DrainError } from "./errors/drain-error.js";
// Errors
export { ClosedError, ConfigError, ProtocolError, TransportError } from "./errors/errors.js";
export { KubestreamError } from "./errors/kubestream-error.js";
export type { ManifestOutcome } from "./errors/manifests-error.js";
export { ManifestsError } from "./errors/manifests-error.js";
export {
  isAlreadyExists,
  isBadRequest,
  isConflict,
  isForbidden,
  isGone,
  isInternalError,
  isInvalid,
  isMethodNotSupported,
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
export type { Clock, Timer } from "./internal/clock.js";
export { systemClock } from "./internal/clock.js";
// Custom kinds
export { compareVersions } from "./meta/compare-versions.js";
export type {
  CustomKind,
  CustomObject,
  CustomScale,
  CustomSubresources,
  KindNames,
  SchemaObject,
} from "./meta/define-kind.js";
export { defineKind } from "./meta/define-kind.js";
export type { CrdManifest, CrdNames, CrdObject, CrdVersion, CrdVersionOf } from "./meta/define-kind-from-crd.js";
export { defineKindFromCrd } from "./meta/define-kind-from-crd.js";
export type { Kind, ObjectOf, PatchType, Scope } from "./meta/kind.js";
// Objects and options
export { apiVersionOf } from "./meta/kind.js";
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
export type { ParsedQuantity } from "./meta/quantity.js";
export { addQuantities, compareQuantities, formatQuantity, parseQuantity, quantityToNumber } from "./meta/quantity.js";
export type { StandardIssue, StandardResult, StandardSchema } from "./meta/standard-schema.js";
export type { Status, StatusCause, StatusDetails } from "./meta/status.js";
export type { PartialObjectMetadata, Table, TableColumnDefinition, TableRow } from "./meta/table.js";
// Time
export { formatMicroTime, formatTime, parseTime } from "./meta/time.js";
export type { Bookmark, RawWatchEvent, WatchEvent } from "./meta/watch-event.js";
export { INITIAL_EVENTS_END } from "./meta/watch-event.js";
export type { CreateJsonPatchOptions } from "./patch/create-json-patch.js";
// Patches and managed fields
export { createJsonPatch } from "./patch/create-json-patch.js";
export { createMergePatch } from "./patch/create-merge-patch.js";
export type { ManagerChoice } from "./patch/managed-fields.js";
export { extractOwned, fieldOwners, ownedFields, upgradeManagedFields } from "./patch/managed-fields.js";
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
// Transports
export { bearerToken } from "./transport/bearer-token.js";
export type { FetchTransportOptions } from "./transport/fetch.js";
export { fetchTransport } from "./transport/fetch.js";
export type { HandlerTransportOptions } from "./transport/handler.js";
export { handlerTransport } from "./transport/handler.js";
export type { RequestLogEntry } from "./transport/log-requests.js";
export { logRequests, redactHeaders } from "./transport/log-requests.js";
export type { RequestMeasurement } from "./transport/measure-requests.js";
export { measureRequests } from "./transport/measure-requests.js";
export type { RateLimitOptions } from "./transport/rate-limit.js";
export { rateLimit } from "./transport/rate-limit.js";
export type { RequestInfo } from "./transport/request-info.js";
export { requestInfo } from "./transport/request-info.js";
export type { TraceOptions, TraceSpan } from "./transport/trace-context.js";
export { parseTraceparent, traceContext } from "./transport/trace-context.js";
export type {
  BodyIterator,
  Interceptor,
  ResponseHeaders,
  Transport,
  TransportRequest,
  TransportResponse,
  TransportSocket,
} from "./transport/transport.js";
