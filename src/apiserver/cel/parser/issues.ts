/** An expression that cannot be compiled. The message names the place of the first thing that is wrong, as line and column. */
export class CelCompileError extends Error {
  /** Name of the class. */
  override readonly name = "CelCompileError";
}

/** The error for something wrong at an offset of an expression; -1 stands for the whole of it. */
export function compileError(input: string, pos: number, message: string): CelCompileError {
  const lines = input.slice(0, Math.max(pos, 0)).split("\n");
  return new CelCompileError(`ERROR: <input>:${lines.length}:${lines.at(-1)!.length + 1}: ${message}`);
}
