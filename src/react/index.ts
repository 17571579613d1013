export type { KubestreamProviderProps } from "./provider.js";
export { KubestreamProvider, useLiveStores } from "./provider.js";
export type { SuspenseOptions, UseInformerOptions, UseObjectOptions } from "./use-informer.js";
export { useInformer, useObject } from "./use-informer.js";
export type { MutationDefinition, MutationState } from "./use-mutation.js";
export { useMutation } from "./use-mutation.js";
export type { SelectOptions } from "./use-store.js";
export { useStore } from "./use-store.js";
