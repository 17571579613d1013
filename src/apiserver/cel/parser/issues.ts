/** A compile error. The message contains line and column of the first problem. */
export class CelCompileError extends Error {
  /** Name of the class. */
  override readonly name = "CelCompileError";
}

/** Creates an error at an offset of the expression; -1 stands for the whole expression. */
export function compileError(input: string, pos: number, message: string): CelCompileError {
  const lines = input.slice(0, Math.max(pos, 0)).split("\n");
  return new CelCompileError(`ERROR: <input>:${lines.length}:${lines.at(-1)!.length + 1}: ${message}`);
}
