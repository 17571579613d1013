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
export type { ConversionHandler, ConversionRequest, ConversionResponse, ConversionReview } from "./conversion.js";
export { reviewConversion } from "./conversion.js";
export type { WebhookHandler, WebhookOptions } from "./serve.js";
export { admissionWebhook, conversionWebhook } from "./serve.js";
