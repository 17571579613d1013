import { RE2JS } from "re2js";

/** A regular expression with Go's semantics: linear time for every pattern. */
export interface GoRegExp {
  /** True if the text contains a match. */
  test(text: string): boolean;
  /** Returns the first match. */
  find(text: string): string | undefined;
  /** Returns all matches, at most `limit` if that isn't negative. */
  findAll(text: string, limit: number): string[];
}

const cache = new Map<string, GoRegExp>();
const mostCached = 1000;

/** Compiles a pattern in Go's syntax. Throws a `SyntaxError` for patterns that Go rejects. */
export function compileGoRegExp(pattern: string): GoRegExp {
  let compiled = cache.get(pattern);
  if (compiled === undefined) {
    compiled = compile(pattern);
    if (cache.size >= mostCached) cache.clear();
    cache.set(pattern, compiled);
  }
  return compiled;
}

function compile(pattern: string): GoRegExp {
  let program: RE2JS;
  try {
    program = RE2JS.compile(pattern);
  } catch (error) {
    const text = error instanceof Error ? error.message : String(error);
    throw new SyntaxError(`error parsing regexp: ${text.replace(/^error parsing regexp: /, "")}`, { cause: error });
  }
  return {
    test: (text) => program.matcher(text).find(),
    find(text) {
      const matcher = program.matcher(text);
      return matcher.find() ? (matcher.group() ?? undefined) : undefined;
    },
    findAll(text, limit) {
      const found: string[] = [];
      const matcher = program.matcher(text);
      while ((limit < 0 || found.length < limit) && matcher.find()) found.push(matcher.group() ?? "");
      return found;
    },
  };
}
