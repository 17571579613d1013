import { autoscalerFromStorage, autoscalerToStorage } from "./autoscaling/autoscaler-conversion.js";
import { claimConversion } from "./resource/claim-versions.js";
import { sliceConversion } from "./resource/slice-versions.js";
import type { ServingRules } from "./shared/kind-definition.js";

const storedAsBeta = { storage: { version: "admissionregistration.k8s.io/v1beta1" } };
const claims = { storage: { conversions: { v1beta1: claimConversion } } };

/** Serving rules of the kinds whose definitions are loaded later, by `group/plural`. */
export const lazyRules: Readonly<Record<string, ServingRules>> = {
  "admissionregistration.k8s.io/mutatingadmissionpolicies": storedAsBeta,
  "admissionregistration.k8s.io/mutatingadmissionpolicybindings": storedAsBeta,
  "apiextensions.k8s.io/customresourcedefinitions": { storage: { version: "apiextensions.k8s.io/v1beta1" } },
  "autoscaling/horizontalpodautoscalers": {
    storage: { conversions: { v1: { fromStorage: autoscalerFromStorage, toStorage: autoscalerToStorage } } },
  },
  "resource.k8s.io/devicetaintrules": {
    storage: { version: "resource.k8s.io/v1alpha3" },
    deprecations: { v1beta2: "" },
  },
  "resource.k8s.io/resourceclaims": claims,
  "resource.k8s.io/resourceclaimtemplates": claims,
  "resource.k8s.io/resourcepoolstatusrequests": { deprecations: { v1alpha3: "" } },
  "resource.k8s.io/resourceslices": { storage: { conversions: { v1beta1: sliceConversion } } },
  "storage.k8s.io/volumeattributesclasses": {
    deprecations: {
      v1beta1:
        "storage.k8s.io/v1beta1 VolumeAttributesClass is deprecated in v1.34+, unavailable in v1.37+; use storage.k8s.io/v1 VolumeAttributesClass",
    },
  },
};
