function decode(text: string): string | undefined {
  try {
    return decodeURIComponent(text.replace(/\+/g, " "));
  } catch {
    return undefined;
  }
}

/** Reads a query as Go does: pairs with a semicolon or a broken escape are left out. */
export function parseQuery(text: string): URLSearchParams {
  const query = new URLSearchParams();
  if (text === "") return query;
  for (const pair of text.split("&")) {
    if (pair === "" || pair.includes(";")) continue;
    const equals = pair.indexOf("=");
    const key = decode(equals < 0 ? pair : pair.slice(0, equals));
    const value = decode(equals < 0 ? "" : pair.slice(equals + 1));
    if (key !== undefined && value !== undefined) query.append(key, value);
  }
  return query;
}
