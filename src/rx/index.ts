export type { ConcatMapBufferedOptions } from "./concat-map-buffered.js";
export { concatMapBuffered } from "./concat-map-buffered.js";
export { fromReconciles } from "./from-controller.js";
export { fromInformer, fromInformerStatus } from "./from-informer.js";
export { fromJoin, fromObject, fromQuery } from "./from-query.js";
export { fromPages, fromWatch } from "./from-watch.js";
export { observableSource } from "./observable-source.js";
export type { SnapshotOptions } from "./snapshots.js";
export { snapshots } from "./snapshots.js";
