import type { FieldError } from "../../errors/field-error.js";
import { invalid } from "./field-errors.js";

/** An error where a path goes up. */
export function noBacksteps(path: string, at: string): FieldError[] {
  return path.split("/").includes("..") ? [invalid(at, path, "must not contain '..'")] : [];
}

/** Returns the errors of a path inside a volume. */
export function localPath(path: string, at: string): FieldError[] {
  if (path.startsWith("/")) return [invalid(at, path, "must be a relative path")];
  if (/^\.\.(?!\/)/.test(path)) return [invalid(at, path, "must not start with '..'")];
  return noBacksteps(path, at);
}
