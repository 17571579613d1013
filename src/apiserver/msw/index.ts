export { createMswHandlers } from "./handlers.js";
export type { MswHandlersOptions } from "./handlers.js";
