import type { ComponentStatus } from "../../../kinds/core/v1.js";
import type { KindDefinition } from "../shared/kind-definition.js";
import { defineBuiltin } from "../shared/kind-definition.js";

export const componentStatus: KindDefinition = defineBuiltin<ComponentStatus>({
  resource: "/componentstatuses",
  deprecations: { v1: "v1 ComponentStatus is deprecated in v1.19+" },
  printer: {
    columns: "Status,Message,Error",
    cells({ conditions }) {
      const healthy = conditions?.find((each) => each.type === "Healthy");
      const state = healthy === undefined ? "Unknown" : healthy.status === "True" ? "Healthy" : "Unhealthy";
      return [state, healthy?.message ?? "", healthy?.error ?? ""];
    },
  },
});
