import { goJsonText } from "../../internal/go-text.js";
import { unifiedDiff } from "../../internal/unified-diff.js";
import { internalForm } from "../../schema/internal-form.js";

/** Lines of which a difference is told; comparing takes the square of their number at worst. */
const MOST_LINES = 20_000;

/** How two objects of a struct, or two lists of them, differ, as a refused update tells it: line by line in the form in which a server holds them. */
export function specDiff(struct: string, before: object, now: object): string {
  const [a, b] = [linesOf(struct, before), linesOf(struct, now)];
  return a.length > MOST_LINES || b.length > MOST_LINES ? "" : unifiedDiff(a, b);
}

function linesOf(struct: string, object: object): readonly string[] {
  return goJsonText(
    Array.isArray(object) ? object.map((item) => internalForm(struct, item as object)) : internalForm(struct, object),
    1,
  ).split("\n");
}
