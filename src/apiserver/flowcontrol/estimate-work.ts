import type { Work } from "../../fairness/request-queue.js";
import { listWork, oneSeat, writeWork } from "../../fairness/work-estimate.js";
import type { RequestInfo } from "../http/request-info.js";
import { booleanParameter } from "../http/request-info.js";

/** Stored objects and open watches, from which the work of requests is estimated. */
export interface Stock {
  /** Returns number and average size of a resource's objects, or `undefined` if it isn't stored here. */
  objects(info: RequestInfo): { readonly count: number; readonly averageBytes: number } | undefined;
  /** Returns the number of watches that may see a write. */
  watches(info: RequestInfo): number;
}

/** Estimated work of a request. */
export interface Estimate {
  readonly work: Work;
  /** Number of watches that the event of a write goes to. */
  readonly watches?: number;
}

const writeVerbs = new Set(["create", "update", "patch", "delete"]);

/** Estimates the seats of a request. `widest` is the limit of its priority level. */
export function estimateWork(
  info: RequestInfo,
  query: URLSearchParams,
  stock: Stock,
  widest: number | undefined,
): Estimate {
  if (info.verb === "list" || info.verb === "watch") return { work: listEstimate(info, query, stock, widest) };
  if (!writeVerbs.has(info.verb) || (info.resource === "serviceaccounts" && info.subresource === "token"))
    return { work: oneSeat };
  const watches = stock.watches(info);
  return { work: writeWork(watches, widest), watches };
}

function listEstimate(info: RequestInfo, query: URLSearchParams, stock: Stock, widest: number | undefined): Work {
  const resourceVersion = query.get("resourceVersion") ?? "";
  // A watch that doesn't send the current objects is cheap.
  if (
    info.verb === "watch" &&
    !(query.has("sendInitialEvents") && booleanParameter(query.get("sendInitialEvents"))) &&
    resourceVersion !== "" &&
    resourceVersion !== "0"
  )
    return oneSeat;
  const objects = stock.objects(info);
  if (objects === undefined) return oneSeat;
  const limit = Number(query.get("limit") ?? 0);
  return listWork(
    {
      objects: objects.count,
      averageBytes: objects.averageBytes,
      limit: Number.isSafeInteger(limit) ? limit : 0,
      single: info.name !== "",
      selects: (query.get("labelSelector") ?? "") !== "" || (query.get("fieldSelector") ?? "") !== "",
      cached: info.verb === "watch" || isCached(query, resourceVersion, limit),
    },
    widest,
  );
}

/** True if the watch cache serves a list: not an exact version, and not the next page of one. */
function isCached(query: URLSearchParams, resourceVersion: string, limit: number): boolean {
  const match = query.get("resourceVersionMatch") ?? "";
  if (match !== "") return match === "NotOlderThan";
  if ((query.get("continue") ?? "") !== "") return false;
  return !(limit > 0 && resourceVersion !== "" && resourceVersion !== "0");
}
