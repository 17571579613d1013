import { sectionOf } from "../pages/tutorial.js";

/** Returns the code blocks of a page's section. */
export function codeOf(page: string, heading: string): string[] {
  return [...sectionOf(page, heading).matchAll(/^```(?:js|ts|svelte)\n([^]*?)^```$/gm)].map(([, code = ""]) => code);
}

/** Returns the only block of a section that contains a text. Throws unless there is exactly one. */
export function blockWith(page: string, heading: string, text: string): string {
  const found = codeOf(page, heading).filter((code) => code.includes(text));
  if (found.length !== 1)
    throw new Error(`${page}, section "${heading}": ${found.length} blocks with ${JSON.stringify(text)}`);
  return found[0]!;
}
