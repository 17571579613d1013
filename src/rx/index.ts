export { fromReconciles } from "./from-controller.js";
export { fromInformer, fromInformerStatus } from "./from-informer.js";
export { fromJoin, fromObject, fromQuery } from "./from-query.js";
export { fromPages, fromWatch } from "./from-watch.js";
export type { InTurnOptions } from "./in-turn.js";
export { inTurn } from "./in-turn.js";
export { observableSource } from "./observable-source.js";
export type { SnapshotOptions } from "./snapshots.js";
export { snapshots } from "./snapshots.js";
