export type { MswHandlersOptions } from "./handlers.js";
export { createMswHandlers } from "./handlers.js";
