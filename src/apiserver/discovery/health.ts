import type { RequestContext } from "../core.js";
import { textResponse } from "../http.js";
import type { ServerResponse } from "../http.js";

const roots = new Set(["healthz", "livez", "readyz"]);
const checks = ["ping", "log", "etcd", "etcd-readiness", "informer-sync", "poststarthook/start-apiserver-admission-initializer", "poststarthook/rbac/bootstrap-roles", "poststarthook/crd-informer-synced", "shutdown"];

/** Answers `/healthz`, `/livez` and `/readyz`; `undefined` for other paths. */
export function healthDocument(context: RequestContext, parts: readonly string[]): ServerResponse | undefined {
  const [root = "", ...rest] = parts;
  if (!roots.has(root)) return undefined;
  if (rest.length > 0) return checks.includes(rest.join("/")) ? textResponse(200, "ok") : undefined;
  if (!context.query.has("verbose")) return textResponse(200, "ok");
  const excluded = new Set(context.query.getAll("exclude"));
  const lines = checks.map((check) => (excluded.has(check) ? `[+]${check} excluded: ok` : `[+]${check} ok`));
  return textResponse(200, `${lines.join("\n")}\n${root} check passed\n`);
}
