import type { LevelSpec } from "../../fairness/level-limits.js";
import type { LevelObject, PriorityLevel, PriorityLevels } from "../../fairness/priority-levels.js";
import { bootstrapObject } from "../../gen/bootstrap.js";
import type { RequestInfo } from "../http/request-info.js";
import type { UserInfo } from "../http/user-info.js";
import type { ApiObject } from "../objects/api-object.js";
import type { FlowDetails } from "./dumps.js";
import type { FlowSchema } from "./flow-schema.js";
import { readFlowSchemas } from "./flow-schema.js";

/** Resources that configure flow control. */
export type FlowControlResource = "flowschemas" | "prioritylevelconfigurations";

/** Reads the stored configuration. */
export interface FlowControlSource {
  /** Returns a value that changes with every write to the resource. */
  version(resource: FlowControlResource): unknown;
  /** Returns all objects of the resource. They are shared; don't modify them. */
  list(resource: FlowControlResource): Iterable<ApiObject>;
}

/** The classification of a request. */
export interface Classified {
  readonly schema: FlowSchema;
  readonly level: PriorityLevel<FlowDetails>;
}

/** Names of the objects without which requests couldn't be classified. They count even if they are missing. */
const mandatoryNames = ["exempt", "catch-all"];

/** Reads FlowSchemas and priority levels from the stored objects when they change. */
export class FlowConfig {
  readonly #source: FlowControlSource;
  readonly #levels: PriorityLevels<FlowDetails>;
  #schemas: readonly FlowSchema[] = [];
  #catchAll: FlowSchema | undefined;
  #schemasVersion: unknown = Symbol();
  #levelsVersion: unknown = Symbol();

  constructor(source: FlowControlSource, levels: PriorityLevels<FlowDetails>) {
    this.#source = source;
    this.#levels = levels;
  }

  /** Applies changes of the stored objects. Returns `true` if there were any. */
  refresh(): boolean {
    const schemasVersion = this.#source.version("flowschemas");
    const levelsVersion = this.#source.version("prioritylevelconfigurations");
    const levelsChanged = levelsVersion !== this.#levelsVersion || this.#levels.hasIdleRemains();
    if (!levelsChanged && schemasVersion === this.#schemasVersion) return false;
    this.#schemasVersion = schemasVersion;
    this.#levelsVersion = levelsVersion;
    const levels = withMandatory("PriorityLevelConfiguration", this.#source.list("prioritylevelconfigurations"));
    if (levelsChanged) this.#levels.configure(levels.map(toLevel));
    const usable = new Set(levels.map(({ metadata }) => metadata?.name));
    const schemas = readFlowSchemas(withMandatory("FlowSchema", this.#source.list("flowschemas")));
    this.#schemas = schemas.filter(({ level }) => usable.has(level));
    this.#catchAll = this.#schemas.find(({ name }) => name === "catch-all");
    return true;
  }

  /** Returns the FlowSchema that handles a request, and its level. */
  classify(user: UserInfo, info: RequestInfo): Classified {
    const schema = this.#schemas.find((candidate) => candidate.matches(user, info)) ?? this.#catchAll!;
    return { schema, level: this.#levels.get(schema.level)! };
  }
}

/** Returns the stored objects of a kind, and the mandatory ones that are missing. */
function withMandatory(kind: string, stored: Iterable<ApiObject>): ApiObject[] {
  const objects = [...stored];
  const names = new Set(objects.map(({ metadata }) => metadata?.name));
  const missing = mandatoryNames
    .filter((name) => !names.has(name))
    .map((name) => bootstrapObject(kind, name) as ApiObject);
  return [...objects, ...missing];
}

function toLevel({ metadata, ...object }: ApiObject): LevelObject {
  return { name: metadata?.name ?? "", uid: metadata?.uid ?? "", spec: object["spec"] as LevelSpec };
}
