// Describes how the states of two clusters differ.

/** Lists the lines of the first list that the second doesn't have as often. */
export function without(a: readonly string[], b: readonly string[]): string[] {
  const rest = [...b];
  return a.filter((line) => {
    const at = rest.indexOf(line);
    if (at >= 0) rest.splice(at, 1);
    return at < 0;
  });
}

/** Describes objects that only one side has. Of two of the same kind, it shows only the fields that differ. */
export function describeDifferences(theirs: readonly string[], ours: readonly string[]): string[] {
  const left = [...ours];
  const lines: string[] = [];
  for (const line of theirs) {
    const at = left.findIndex((each) => kindOf(each) === kindOf(line) && kindOf(line) !== "Event");
    if (at < 0) {
      lines.push(`  only real: ${line}`);
      continue;
    }
    const [other = ""] = left.splice(at, 1);
    const [a, b] = [line, other].map((text) => fieldsOf(JSON.parse(text.slice(text.indexOf(" "))), kindOf(text)));
    lines.push(
      ...without(a!, b!).map((field) => `  real: ${field}`),
      ...without(b!, a!).map((field) => `  ours: ${field}`),
    );
  }
  return [...new Set([...lines, ...left.map((line) => `  only ours: ${line}`)])];
}

const kindOf = (line: string): string => line.slice(0, line.indexOf(" "));

function fieldsOf(value: unknown, path: string): string[] {
  if (typeof value !== "object" || value === null) return [`${path} = ${JSON.stringify(value)}`];
  return Object.entries(value).flatMap(([name, member]) => fieldsOf(member, `${path}.${name}`));
}
