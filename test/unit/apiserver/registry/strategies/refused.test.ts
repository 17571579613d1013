import { readFileSync } from "node:fs";
import { beforeAll, describe, expect, it } from "vitest";
import { invalidStatus } from "../../../../../src/apiserver/errors/field-error.js";
import { ApiFailure } from "../../../../../src/apiserver/errors/status.js";
import { strategyFor } from "../../../../../src/apiserver/kinds/strategy-for.js";
import type { ApiObject } from "../../../../../src/apiserver/objects/api-object.js";
import { decodeGoObject } from "../../../../../src/apiserver/schema/go-decode.js";
import { groupVersions } from "../../../../../src/gen/resources.js";
import type { Status } from "../../../../../src/meta/status.js";
import type { Input } from "../../../../golden/strategies/inputs.js";
import { invalidInputs } from "../../../../golden/strategies/invalid.js";
import { loadAllKinds } from "../../../../support/load-kinds.js";
import { statusOutcome } from "../../../../support/outcome.js";

beforeAll(loadAllKinds);

const refused = JSON.parse(
  readFileSync(new URL("../../../../golden/strategies/refused.json", import.meta.url), "utf8"),
) as Record<string, Status>;

/** Returns the Status of a create as far as the kind determines it. */
function refuse({ path, body }: Input): Record<string, unknown> {
  const parts = path.split("/").slice(1);
  const [group = "", version = ""] = parts[0] === "api" ? ["", parts[1]] : [parts[1], parts[2]];
  const resource = groupVersions
    .find((each) => each.group === group && each.version === version)
    ?.resources.find((each) => each.name === parts.at(-1));
  const strategy = strategyFor(group, resource?.name ?? "", version);
  let object: ApiObject;
  try {
    object = decodeGoObject(resource?.definition ?? "", JSON.parse(JSON.stringify(body)) as ApiObject)
      .object as ApiObject;
  } catch (error) {
    return {
      message: `${resource?.kind ?? ""} in version "${version}" cannot be handled as a ${resource?.kind ?? ""}: ${(error as Error).message}`,
    };
  }
  strategy.defaults?.(object, 0);
  if (path.includes("/namespaces/")) (object.metadata ??= {}).namespace = "strategies";
  const context = { nowMs: 0, warn: () => undefined };
  const told = ({ message, details }: Status): Record<string, unknown> => ({
    message,
    details: { causes: details?.causes },
  });
  try {
    strategy.prepareForCreate?.(object, context);
  } catch (error) {
    if (error instanceof ApiFailure) return told(error.status);
    throw error;
  }
  return told(invalidStatus({ group, kind: resource?.kind ?? "" }, "bad", strategy.validate?.(object, context) ?? []));
}

describe("invalid objects are rejected with kube-apiserver's causes", () => {
  it.each(invalidInputs.map((input) => [input.name, input] as const))("%s", (name, input) => {
    const golden = refused[name];
    const { message, details } = statusOutcome(refuse(input));
    const wanted = statusOutcome({ ...golden });
    expect({ message, details }).toEqual({
      message: wanted["message"],
      details: { causes: (wanted["details"] as Status["details"])?.causes },
    });
  });
});
