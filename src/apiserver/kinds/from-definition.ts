import type { ApiObject } from "../objects/api-object.js";
import type { Preparation } from "./prepare/prepare-table.js";
import type { KindDefinition } from "./shared/kind-definition.js";
import { createPrinter } from "./shared/kind-printer.js";
import type { Strategy } from "./strategy.js";
import type { Validation } from "./validation/validation-table.js";

/** Members of a strategy that a definition gives as they are: everything but preparation and validation. */
export function plainMembers(kind: KindDefinition, version: string | undefined): Strategy {
  const { generation, deletion, printer } = kind;
  const printed = typeof printer === "function" ? printer(version) : printer;
  return {
    ...(kind.metadata === undefined ? {} : { metadata: kind.metadata }),
    ...(kind.prepare?.status === undefined
      ? {}
      : { prepareStatus: (object, old, nowMs) => kind.prepare!.status!(object, old, nowMs) }),
    ...(kind.createOnUpdate === true ? { allowCreateOnUpdate: true } : {}),
    ...(kind.requiresVersionOnUpdate === true ? { allowUnconditionalUpdate: false } : {}),
    ...(generation === undefined ? {} : { generations: generation.counts === "fromOne" ? true : generation.counts }),
    ...(generation?.metadata === undefined ? {} : { countedMetadata: generation.metadata }),
    ...(generation?.emptyValues === true ? { countedEmpties: true } : {}),
    ...(generation?.beforePreparation === true ? { countedAsGiven: true } : {}),
    ...(deletion?.garbageCollected === false ? { garbageCollected: false } : {}),
    ...(deletion?.deletesAlong === undefined ? {} : { deletedAlong: deletion.deletesAlong }),
    ...(deletion?.orphansByDefault === true ? { orphansByDefault: true } : {}),
    ...(printed === undefined ? {} : { printer: createPrinter(printed) }),
    ...(kind.subresources === undefined ? {} : { subresources: kind.subresources }),
    ...(kind.warnings === undefined
      ? {}
      : { warnings: (object: ApiObject, old: ApiObject | undefined) => kind.warnings!(object, old) }),
    ...(kind.selectableFields === undefined
      ? {}
      : { selectableFields: (object: ApiObject) => kind.selectableFields!(object) }),
  };
}

/** The preparation of a definition in the form of the tables that it replaces. */
export function preparationOf({ prepare, deletion }: KindDefinition): Preparation {
  return {
    ...(prepare?.create === undefined ? {} : { create: prepare.create }),
    ...(prepare?.update === undefined ? {} : { update: prepare.update }),
    ...(prepare?.stored === undefined ? {} : { stored: prepare.stored }),
    ...(deletion?.gracePeriodSeconds === undefined ? {} : { gracePeriodSeconds: deletion.gracePeriodSeconds }),
    ...(deletion?.begin === undefined ? {} : { beginDelete: deletion.begin }),
    ...(deletion?.finalized === undefined ? {} : { finalized: deletion.finalized }),
  };
}

/** The validation of a definition in the form of the tables that it replaces. */
export function validationOf({ validate }: KindDefinition): Validation | undefined {
  if (validate === undefined) return undefined;
  const { create, update, status, checksEnums } = validate;
  return {
    create,
    ...(update === undefined ? {} : { update }),
    ...(status === undefined ? {} : { status }),
    ...(checksEnums === true ? { enums: true } : {}),
  };
}
