export type {
  AdmissionAttributes,
  AdmissionHandler,
  AdmissionRequest,
  AdmissionResponse,
  AdmissionResponseExtras,
  AdmissionReview,
  AdmissionUser,
  AllowedResponse,
  DeniedResponse,
  GroupVersionKind,
  GroupVersionResource,
} from "./admission.js";
export { reviewAdmission } from "./admission.js";
export type {
  AuthenticatedUser,
  TokenHandler,
  TokenReview,
  TokenReviewRequest,
  TokenReviewStatus,
} from "./authentication.js";
export { reviewToken } from "./authentication.js";
export type { ConversionHandler, ConversionRequest, ConversionResponse, ConversionReview } from "./conversion.js";
export { reviewConversion } from "./conversion.js";
export type { WebhookHandler, WebhookOptions } from "./serve.js";
export { admissionWebhook, authenticationWebhook, conversionWebhook } from "./serve.js";
