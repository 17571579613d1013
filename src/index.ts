// Client

export type { Query } from "./client/call/query.js";
export type { ConnectRequest, RawRequest, RawResponse } from "./client/call/raw.js";
export type { CallDefaults } from "./client/call/requester.js";
export type { ResponseInfo } from "./client/call/response-info.js";
export { responseOf } from "./client/call/response-info.js";
export type { RetryEvent, RetryOptions } from "./client/call/retry.js";
export { logWarnings, onceEach, parseWarnings } from "./client/call/warnings.js";
export type { Client, ClientOptions, Decorated, ManagedClient } from "./client/client.js";
export { createClient } from "./client/client.js";
export { withDryRun } from "./client/decorators/with-dry-run.js";
export { withFieldManager } from "./client/decorators/with-field-manager.js";
export { withFieldValidation } from "./client/decorators/with-field-validation.js";
export type { Impersonation } from "./client/decorators/with-impersonation.js";
export { impersonationHeaders, withImpersonation } from "./client/decorators/with-impersonation.js";
export type {
  ApiCatalog,
  DiscoveredGroup,
  DiscoveredResource,
  DiscoveredSubresource,
  DiscoveredVersion,
  DiscoveryFailure,
} from "./client/discovery/api-catalog.js";
// Discovery, and objects of any kind
export {
  findByCategory,
  findByKind,
  findByName,
  parseApiVersion,
  resourcesOf,
} from "./client/discovery/api-catalog.js";
export type { Discovery, DiscoveryOptions } from "./client/discovery/discovery.js";
export { createDiscovery } from "./client/discovery/discovery.js";
export type { OpenApi } from "./client/discovery/open-api.js";
export { createOpenApi } from "./client/discovery/open-api.js";
export type { ApplyConflict } from "./client/objects/apply-conflict.js";
export { applyConflicts } from "./client/objects/apply-conflict.js";
export type { Ensured, EnsureOptions } from "./client/objects/create-or-update.js";
// Read, change, write
export { createOrPatch, createOrUpdate } from "./client/objects/create-or-update.js";
export {
  addFinalizer,
  hasFinalizer,
  isBeingDeleted,
  removeFinalizer,
  withFinalizer,
  withoutFinalizer,
} from "./client/objects/finalizers.js";
export type { OwnerReferenceOptions } from "./client/objects/owner-references.js";
export {
  controllerOf,
  isOwnedBy,
  ownerReference,
  withController,
  withOwner,
  withoutOwner,
} from "./client/objects/owner-references.js";
export type { ListSlice, ListWatch, Watch } from "./client/resource/collection.js";
export { deleteCollectionPages } from "./client/resource/delete-pages.js";
export type {
  ManagedApplyOptions,
  ManagedDynamicResource,
  ManagedNamespacedResource,
  ManagedResource,
  ManagedResourceOf,
  ManagedSubresourceHandle,
} from "./client/resource/managed.js";
export type { PagesOptions, PagesProgress } from "./client/resource/pages.js";
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
} from "./client/resource/resource.js";
export { isStatus } from "./client/resource/resource.js";
export type { RetryOnConflictOptions } from "./client/resource/retry-on-conflict.js";
export { retryOnConflict } from "./client/resource/retry-on-conflict.js";
export type { ObjectTable, TableItem, TableOptions } from "./client/resource/table-view.js";
export { cellOf } from "./client/resource/table-view.js";
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
export type { FlowControlLookup, FlowControlNames, FlowControlUids } from "./flowcontrol/flow-control.js";
// API Priority and Fairness
export { createFlowControlLookup } from "./flowcontrol/flow-control.js";
export type { PriorityLevelDump, QueueDump, RequestDump } from "./flowcontrol/flow-control-dumps.js";
export {
  dumpFlowControl,
  parsePriorityLevelDump,
  parseQueueDump,
  parseRequestDump,
} from "./flowcontrol/flow-control-dumps.js";
export type {
  ClassifiedRequest,
  FlowSchemaRules,
  PriorityLevelRules,
  PriorityLevelSeats,
} from "./flowcontrol/flow-schema-match.js";
export { matchFlowSchema, prioritySeats } from "./flowcontrol/flow-schema-match.js";
export type { RequestLogEntry } from "./interceptors/log-requests.js";
export { logRequests, redactHeaders } from "./interceptors/log-requests.js";
export type { RequestMeasurement } from "./interceptors/measure-requests.js";
export { measureRequests } from "./interceptors/measure-requests.js";
export type { RateLimitOptions } from "./interceptors/rate-limit.js";
export { rateLimit } from "./interceptors/rate-limit.js";
export type { TraceOptions, TraceSpan } from "./interceptors/trace-context.js";
export { parseTraceparent, traceContext } from "./interceptors/trace-context.js";
export type { Clock, Timer } from "./internal/clock.js";
export { systemClock } from "./internal/clock.js";
export type {
  ApplySetMembership,
  ApplySetOptions,
  ApplySetParent,
  ManagedApplySetOptions,
} from "./manifests/apply-set.js";
export { applySet, applySetId } from "./manifests/apply-set.js";
export { formatManifests } from "./manifests/format-manifests.js";
export type {
  ApplyManifestsOptions,
  DeleteManifestsOptions,
  ManagedApplyManifestsOptions,
  ManifestPlacement,
} from "./manifests/manifests.js";
export { applyManifests, deleteManifests } from "./manifests/manifests.js";
export { parseManifests } from "./manifests/parse-manifests.js";
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
export type { ApprovalOptions } from "./operations/approve.js";
// Subresources
export { approve, deny } from "./operations/approve.js";
export type { AccessAnswer, CanOptions } from "./operations/can.js";
export { can } from "./operations/can.js";
export type { DrainOptions, DrainPod, DrainProgress, DrainResult } from "./operations/drain.js";
export { drain } from "./operations/drain.js";
export type { DrainRules } from "./operations/drain-plan.js";
export type { EvictOptions } from "./operations/evict.js";
export { evict, isHeldBackByBudget } from "./operations/evict.js";
export { addEphemeralContainer, bind, resize } from "./operations/pod-operations.js";
export type { IssuedToken, TokenRequestOptions } from "./operations/request-token.js";
export { requestToken } from "./operations/request-token.js";
export type { UndoRolloutOptions } from "./operations/rollout.js";
export {
  cordon,
  pauseRollout,
  restart,
  resumeRollout,
  setImages,
  uncordon,
  undoRollout,
} from "./operations/rollout.js";
export type { ScaleOptions } from "./operations/scale.js";
export { scale } from "./operations/scale.js";
export type { NodeUsage, PodUsage, Usage, UsageOptions } from "./operations/usage.js";
export { NodeMetrics, PodMetrics, topNodes, topPods } from "./operations/usage.js";
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
export type { RequestInfo } from "./transport/request-info.js";
export { requestInfo } from "./transport/request-info.js";
export type {
  BodyIterator,
  Interceptor,
  ResponseHeaders,
  Transport,
  TransportRequest,
  TransportResponse,
  TransportSocket,
} from "./transport/transport.js";
