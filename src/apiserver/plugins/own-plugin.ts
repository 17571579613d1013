import type { AdmissionAttributes, AdmissionPlugin, RegistryContext } from "../registry/services.js";

type Phase = (attributes: AdmissionAttributes, context: RegistryContext) => unknown;

/** Wraps a plugin of the server's user so that its results are refused: `false` must not let a request through. */
export function checkedPlugin(plugin: AdmissionPlugin): AdmissionPlugin {
  const checked = (phase: "admit" | "validate"): Pick<AdmissionPlugin, typeof phase> =>
    plugin[phase] === undefined
      ? {}
      : {
          async [phase](attributes: AdmissionAttributes, context: RegistryContext): Promise<void> {
            const result = await (plugin as Record<typeof phase, Phase>)[phase](attributes, context);
            if (result === undefined) return;
            throw new TypeError(
              `admission plugin: ${plugin.name}.${phase} must throw to refuse a request, and return nothing otherwise`,
            );
          },
        };
  return { name: plugin.name, ...checked("admit"), ...checked("validate") };
}
