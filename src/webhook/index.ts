export type {
  AdmissionAttributes,
  AdmissionNotes,
  AdmissionRequest,
  AdmissionResponse,
  AdmissionReview,
  AdmissionUser,
  Admitted,
  DecideAdmission,
  Denied,
  GroupVersionKind,
  GroupVersionResource,
} from "./admission.js";
export { answerAdmission } from "./admission.js";
export type { ConversionRequest, ConversionResponse, ConversionReview, ConvertObject } from "./conversion.js";
export { answerConversion } from "./conversion.js";
export type { WebhookHandler, WebhookOptions } from "./serve.js";
export { admissionWebhook, conversionWebhook } from "./serve.js";
