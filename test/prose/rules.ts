// The prose rules of docs/style.md that a program can check.

/** One rule: a pattern that prose must not match, and the advice to show. */
interface Rule {
  readonly pattern: RegExp;
  readonly advice: string;
}

const phrases: readonly Rule[] = [
  {
    pattern: /\b(?:is|are|was|were|be) (?:no(?! longer\b| more than\b| matter\b)|none)\b/i,
    advice: 'write "is not a", "is missing", "is not set" or "is invalid"',
  },
  { pattern: /\b(?:tells?|told|telling)\b/i, advice: 'write "reports", "returns", "emits", "notifies" or "logs"' },
  { pattern: /\bbesides?\b/i, advice: 'write "next to", "in addition to" or "alongside"' },
  {
    pattern: /\b(?:whoever|whomever|nobody|somebody)\b/i,
    advice: "name the caller or the process, or use the passive",
  },
  { pattern: /\b(?:anew|meanwhile|thereby|therein|thereof|whereby)\b/i, advice: 'write "again", "while" or "so"' },
  { pattern: /\b(?:of which|of whom|of what)\b/i, advice: "rephrase with a verb" },
  { pattern: /\b(?:looked at|looks at)\b/i, advice: 'write "validated", "inspected" or "reads"' },
  { pattern: /\b(?:asked for|asks for|asking for)\b/i, advice: 'write "requested" or "requests"' },
  { pattern: /\bmade of\b/i, advice: 'write "converted from", "built from" or "consists of"' },
  {
    pattern: /\b(?:comes|came|come) to (?:be|match|have|hold|stand)\b/i,
    advice: 'write "starts matching" or "becomes"',
  },
  { pattern: /\b(?:the present (?:state|one|object|version)|as it is)\b/i, advice: 'write "the current …"' },
  { pattern: /, as `/, advice: 'write ", such as `"' },
  { pattern: /(?:^|[.:;] )[Ww]here the \w+ is\b/, advice: 'write "if" or "when" for a condition' },
  {
    pattern: /\b(?:so long as|in the way of|by way of|at the hand of)\b/i,
    advice: 'write "while", "as long as", "through"',
  },
  { pattern: /\b(?:sees? to it|under way|at hand)\b/i, advice: 'write "ensures", "in progress" or "current"' },
  { pattern: /\bwhat (?:it|they|one|he) (?:is|are) (?:to|for)\b/i, advice: "name the thing" },
];

/** Clauses that stand where a noun or a verb should, at the start of a sentence of a comment. */
const clause: Rule = {
  pattern: /[.;] (?:What|Who|Whose|Whoever|Whom)\b(?![^.]*\?)/,
  advice: "start the sentence with its subject",
};

const opening: Rule = {
  pattern: /^(?:What|Who|Whoever|Whom|Whose|Where|Wherever|Whether|Which|As|That|How(?! (?:long|many|much|often)\b))\b/,
  advice: "open with a noun phrase or a verb in the third person",
};

/** A finding: the text that broke a rule and the advice. */
export interface Finding {
  readonly text: string;
  readonly advice: string;
}

/** Checks a doc comment: its opening, then its phrases. */
export function checkDocComment(text: string): Finding[] {
  return [...check(text, [opening]), ...checkComment(text)];
}

/** Checks a comment inside the code. */
export function checkComment(text: string): Finding[] {
  return [...check(withoutCode(text), [clause]), ...checkText(text)];
}

/** Checks running text: a comment, a thrown message, a test title or a paragraph. */
export function checkText(text: string): Finding[] {
  return check(withoutCode(text), phrases);
}

/** Checks a test title, which must make sense alone in a log. */
export function checkTitle(text: string): Finding[] {
  return checkText(text);
}

/** Checks a heading of a page, which names the topic that a reader scans for. */
export function checkHeading(text: string): Finding[] {
  return check(text, [
    { ...opening, pattern: /^(?:Whoever|What is (?!new)\w+ed\b|Where the|Of |For what|That )/ },
    ...phrases,
  ]);
}

function check(text: string, rules: readonly Rule[]): Finding[] {
  return rules.flatMap(({ pattern, advice }) => {
    const match = pattern.exec(text);
    return match === null ? [] : [{ text: match[0], advice }];
  });
}

/** Replaces code spans and quotations, which are not ours to rewrite, by a placeholder. */
function withoutCode(text: string): string {
  return text
    .replace(/```[\s\S]*?(?:```|$)/g, " ")
    .replace(/`[^`\n]*`/g, "`x`")
    .replace(/"[^"\n]*"/g, '"x"');
}
