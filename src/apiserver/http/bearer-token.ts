/** Returns the token of an `Authorization` header; `undefined` if it has another scheme or none. */
export function bearerToken(header: string | undefined): string | undefined {
  const [scheme, token] = (header ?? "").trim().split(" ");
  return scheme?.toLowerCase() === "bearer" && token !== undefined && token !== "" ? token : undefined;
}
