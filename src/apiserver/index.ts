export type {
  AuditEvent,
  AuditLevel,
  AuditObjectReference,
  AuditResponseStatus,
  AuditSink,
  AuditUser,
} from "./audit/event.js";
export type { AuditGroupResources, AuditPolicy, AuditPolicyRule } from "./audit/policy.js";
export { parseAuditPolicy } from "./audit/policy.js";
export type { AuthenticatorFunction } from "./authentication/authenticators/authenticator.js";
export type { RequestHeaderOptions } from "./authentication/authenticators/request-header.js";
export type { TokenWebhook } from "./authentication/authenticators/token-webhook.js";
export type {
  AuthenticationConfiguration,
  ClaimMappings,
  ClaimValidationRule,
  JwtAuthenticator,
  PrefixedClaimOrExpression,
  TokenIssuer,
  UserValidationRule,
} from "./authentication/jwt/configuration.js";
export type { IssuerFetch } from "./authentication/jwt/issuer-keys.js";
export type { AuthenticationOptions } from "./authentication/options.js";
export type { AbacPolicy } from "./authorization/abac.js";
export { parseAbacPolicies } from "./authorization/abac.js";
export type {
  AuthorizationConfiguration,
  AuthorizerConfiguration,
  WebhookAuthorizerConfiguration,
  WebhookConnection,
} from "./authorization/configuration.js";
export type { AuthorizerFunction } from "./authorization/fixed.js";
export type { AuthorizationMode, AuthorizationOptions } from "./authorization/options.js";
export type { AuthorizationWebhook } from "./authorization/webhook.js";
export { ApiServerControllerError } from "./controllers/controller-error.js";
export type { ControllerToggles } from "./controllers/controllers.js";
export type { Fault, FaultEffect, FaultMatch, FaultPlan } from "./faults/plan.js";
export type { AuditOptions } from "./filters/audit.js";
export type { ApiCaller, ApiConnection } from "./http/api-caller.js";
export type { AuditStage } from "./http/audit-trail.js";
export type { ClientCertificate, ClientIdentity } from "./http/client-identity.js";
export type {
  BodyStream,
  FrameWriter,
  Inflate,
  ServerRequest,
  ServerResponse,
  ServerSocket,
  SocketHandler,
  SocketPeer,
} from "./http/http.js";
export type { ServiceHandler, ServiceReference, ServiceResolver } from "./http/service-resolver.js";
export type { UserInfo } from "./http/user-info.js";
export type { WebhookCall, WebhookCaller } from "./http/webhook-caller.js";
export type {
  ContainerLogRequest,
  ContainerSession,
  ContainerSessionRequest,
  KubeletConnection,
  KubeletRefusal,
  PortRequest,
  PortStream,
  TerminalSize,
} from "./kubelets/kubelet.js";
export type { KubeletEndpoint, KubeletListener, KubeletServer } from "./kubelets/kubelet-server.js";
export type { ApiObject } from "./objects/api-object.js";
export type { ApiServerOptions, FlowControlSettings } from "./options.js";
export type { AdmissionPluginOptions } from "./plugins/plugins.js";
export type { AuthorizationAttributes, SelectorRequirement } from "./rbac/attributes.js";
export type { Decision } from "./rbac/authorizer.js";
export type { FeatureGate, FeatureOptions } from "./registry/features.js";
export { clusterDefaults } from "./registry/features.js";
export type { ApiServer } from "./server.js";
export { createApiServer } from "./server.js";
export type { DumpOptions } from "./state/dump.js";
export type { Manifests } from "./state/load.js";
export type { Unprinted, Version } from "./storage/bucket.js";
export type { RetentionOptions, Snapshot } from "./storage/mvcc.js";
