import type { FieldError } from "../../errors/field-error.js";
import { invalid } from "./field-errors.js";

/** Returns an error for a path with `..`. */
export function noBacksteps(at: string, path: string): FieldError[] {
  return path.split("/").includes("..") ? [invalid(at, path, "must not contain '..'")] : [];
}

/** Validates a path inside a volume. */
export function localPath(at: string, path: string): FieldError[] {
  if (path.startsWith("/")) return [invalid(at, path, "must be a relative path")];
  if (/^\.\.(?!\/)/.test(path)) return [invalid(at, path, "must not start with '..'")];
  return noBacksteps(at, path);
}
