// Uses the comment of a property for the members of its inline type, which have no declaration of their own.
import { Converter, ReflectionKind } from "typedoc";

/** Registers the plugin with typedoc. */
export function load(app) {
  app.converter.on(Converter.EVENT_RESOLVE_END, ({ project }) => {
    const inline = project
      .getReflectionsByKind(ReflectionKind.Property)
      .filter(
        (reflection) =>
          !reflection.hasComment() &&
          project.getSymbolIdFromReflection(reflection)?.packageName === project.packageName &&
          isInside(reflection, ReflectionKind.TypeLiteral) &&
          !isInside(reflection, ReflectionKind.Parameter),
      );
    app.options.setValue("intentionallyNotDocumented", [
      ...new Set(inline.map((reflection) => reflection.getFriendlyFullName())),
    ]);
  });
}

function isInside(reflection, kind) {
  for (let parent = reflection.parent; parent !== undefined; parent = parent.parent)
    if (parent.kindOf(kind)) return true;
  return false;
}
