export type { Mux, MuxOptions, MuxStatus } from "./create-mux.js";
export { createMux } from "./create-mux.js";
