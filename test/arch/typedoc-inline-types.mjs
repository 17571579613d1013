// A member of a type that is written inline is documented by the comment of what has that type.
import { Converter, ReflectionKind } from "typedoc";

/** Registers with typedoc. */
export function load(app) {
  app.converter.on(Converter.EVENT_RESOLVE_END, ({ project }) => {
    const inline = project
      .getReflectionsByKind(ReflectionKind.Property)
      .filter(
        (reflection) =>
          !reflection.hasComment() &&
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
