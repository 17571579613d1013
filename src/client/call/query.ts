/** Query parameters; those that are `undefined` or empty are left out, and those with several values are there once for each. */
export type Query = Readonly<Record<string, string | number | boolean | readonly string[] | undefined>>;

/** `?a=1&b=2`, or `""` where there is nothing to say. Throws a `TypeError` for text that is not well-formed Unicode. */
export function formatQuery(query: Query | undefined): string {
  if (query === undefined) return "";
  let text = "";
  for (const name of Object.keys(query)) {
    const given = query[name];
    if (given === undefined || given === "") continue;
    for (const value of typeof given === "object" ? given : [given]) {
      if (typeof value === "string" && /[\uD800-\uDFFF]/u.test(value))
        throw new TypeError(`${name} is not well-formed Unicode`);
      text += `${text === "" ? "?" : "&"}${encodeURIComponent(name)}=${encodeURIComponent(value)}`;
    }
  }
  return text;
}
