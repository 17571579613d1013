import { createReadStream } from "node:fs";
import { createInterface } from "node:readline";
import { formatManifests } from "../../manifests/format-manifests.js";
import type { AuditedRequest } from "../../operations/rbac/audited-request.js";
import { planRbac } from "../../operations/rbac/plan-rbac.js";
import { UsageError } from "../program/command.js";
import { parseOptions } from "../program/parse-options.js";

const help = `Usage: kubestream rbac [OPTIONS] FILE...

Prints the least roles that allow what a program did in a test run, from the audit of an API server: one event of
audit.k8s.io/v1 as JSON per line, as kube-apiserver and kubestream apiserver write it (--audit-policy-file,
--audit-log-path). Level Metadata is enough. - is standard input. Requests that were forbidden count as well.

Options:
  --user NAME                    user whose requests count; required if there are several
  --name NAME                    name of the roles (default: the name of the service account or user)
  --scope namespaced|cluster     a Role for each namespace, or one ClusterRole for all (default: namespaced)
  --resource-names RESOURCE      limit the rights for a resource to the names of the objects: secrets,
                                 deployments.apps, * for all; can be repeated
  --service-account NAMESPACE/NAME
                                 add bindings for this service account
  --json                         print JSON instead of YAML
  -h, --help                     show this help

Example:
  kubestream apiserver --audit-policy-file policy.yaml --audit-log-path audit.log --kubeconfig test.kubeconfig
  kubestream rbac audit.log --user operator --service-account shop/operator > rbac.yaml`;

/** Runs the subcommand. */
export async function run(words: readonly string[]): Promise<number> {
  const { values, positionals } = parseOptions({
    args: [...words],
    allowPositionals: true,
    options: {
      user: { type: "string" },
      name: { type: "string" },
      scope: { type: "string" },
      "resource-names": { type: "string", multiple: true },
      "service-account": { type: "string" },
      json: { type: "boolean" },
      help: { type: "boolean", short: "h" },
    },
  });
  if (values.help === true) {
    console.log(help);
    return 0;
  }
  const { scope = "namespaced", "resource-names": resourceNames, "service-account": account } = values;
  if (positionals.length === 0) throw new UsageError("rbac needs an audit log; - is standard input");
  if (scope !== "namespaced" && scope !== "cluster")
    throw new UsageError(`--scope must be namespaced or cluster, not ${scope}`);
  const [, namespace, accountName] = /^([^/]+)\/([^/]+)$/.exec(account ?? "") ?? [];
  if (account !== undefined && accountName === undefined)
    throw new UsageError(`--service-account must be NAMESPACE/NAME, not ${account}`);
  const events: AuditedRequest[] = [];
  for (const file of positionals) for await (const event of readEvents(file)) events.push(event);
  const serviceAccount =
    namespace === undefined || accountName === undefined ? undefined : { namespace, name: accountName };
  const user = values.user ?? explainMisuse(() => planRbac(events, { name: "unused" }).user);
  const plan = explainMisuse(() =>
    planRbac(events, {
      name: values.name ?? accountName ?? roleName(user),
      user,
      scope,
      resourceNames,
      serviceAccount,
    }),
  );
  process.stdout.write(
    values.json === true ? `${JSON.stringify(plan.objects, undefined, 2)}\n` : formatManifests(plan.objects),
  );
  for (const note of plan.notes) console.error(`note: ${note}`);
  console.error(`${plan.requests} requests of ${plan.user}`);
  return 0;
}

/** Turns a user name into the name of a role. */
function roleName(user: string): string {
  return user
    .split(":")
    .at(-1)!
    .toLowerCase()
    .replace(/[^a-z0-9.-]+/g, "-");
}

function explainMisuse<T>(plan: () => T): T {
  try {
    return plan();
  } catch (error) {
    if (error instanceof TypeError) throw new UsageError(error.message.replace("options.user", "--user"));
    throw error;
  }
}

/** Reads the events of a log. Keeps only what a plan needs, because events may carry whole objects. */
async function* readEvents(file: string): AsyncGenerator<AuditedRequest> {
  const input = file === "-" ? process.stdin : createReadStream(file);
  const lines = createInterface({ input, crlfDelay: Number.POSITIVE_INFINITY });
  let number = 0;
  try {
    for await (const line of lines) {
      number++;
      if (line.trim() !== "") yield parseEvent(line, `${file}:${number}`);
    }
  } catch (error) {
    if (error instanceof Error && "syscall" in error) throw new UsageError(`${file}: ${error.message}`);
    throw error;
  }
}

function parseEvent(line: string, place: string): AuditedRequest {
  let event: AuditedRequest & { readonly apiVersion?: unknown; readonly kind?: unknown };
  try {
    event = JSON.parse(line) as typeof event;
  } catch {
    throw new UsageError(`${place}: the line is not a JSON object`);
  }
  // The events of kubectl get events have the same kind.
  if (event?.kind !== "Event" || !String(event.apiVersion).startsWith("audit.k8s.io/"))
    throw new UsageError(`${place}: expected an Event of audit.k8s.io/v1`);
  const { auditID, requestURI, verb, user, impersonatedUser, objectRef, responseStatus } = event;
  for (const [field, value] of Object.entries({ auditID, requestURI, verb }))
    if (typeof value !== "string") throw new UsageError(`${place}: ${field} must be a string`);
  for (const [field, value] of Object.entries({ user, impersonatedUser, objectRef, responseStatus }))
    if (value !== undefined && (typeof value !== "object" || value === null))
      throw new UsageError(`${place}: ${field} must be an object`);
  return { auditID, requestURI, verb, user, impersonatedUser, objectRef, responseStatus };
}
