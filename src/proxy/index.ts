export { createProxy } from "./create-proxy.js";
export type {
  Proxy,
  ProxyCluster,
  ProxyEvent,
  ProxyLimits,
  ProxyOptions,
  ProxySocket,
  ProxyUser,
} from "./proxy.js";
export { type ProxyRule, readRules } from "./rules.js";
