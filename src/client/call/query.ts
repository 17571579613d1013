/** Query parameters. `undefined` and empty values are omitted; a list is sent as one parameter per value. */
export type Query = Readonly<Record<string, string | number | boolean | readonly string[] | undefined>>;

/**
 * Formats parameters as `?a=1&b=2`; returns `""` without parameters. Throws a `TypeError` for text that isn't
 * well-formed Unicode.
 */
export function formatQuery(query: Query | undefined): string {
  if (query === undefined) return "";
  let text = "";
  for (const name of Object.keys(query)) {
    const given = query[name];
    if (given === undefined || given === "") continue;
    for (const value of typeof given === "object" ? given : [given]) {
      if (typeof value === "string" && /[\uD800-\uDFFF]/u.test(value))
        throw new TypeError(`query parameter ${name} is not well-formed Unicode`);
      text += `${text === "" ? "?" : "&"}${encodeURIComponent(name)}=${encodeURIComponent(value)}`;
    }
  }
  return text;
}
