/** True for the name of a time zone. */
export function isTimeZone(name: string): boolean {
  // The platform also accepts offsets and any case; kube-apiserver looks for a file of that name.
  if (!name.split("/").every((part) => /^[A-Z]/.test(part))) return false;
  try {
    new Intl.DateTimeFormat("en", { timeZone: name });
    return true;
  } catch {
    return false;
  }
}
