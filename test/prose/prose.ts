import { readFileSync } from "node:fs";
import ts from "typescript";
import { checkComment, checkDocComment, checkHeading, checkText, checkTitle, type Finding } from "./rules.js";

/** A finding with its place. */
export interface PlacedFinding extends Finding {
  /** Line, counted from 1. */
  readonly line: number;
}

/** Checks the comments, thrown messages and test titles of a TypeScript or JavaScript file. */
export function checkSource(file: string, text = readFileSync(file, "utf8")): PlacedFinding[] {
  const source = ts.createSourceFile(file, text, ts.ScriptTarget.Latest, true);
  const found: PlacedFinding[] = [];
  const add = (position: number, findings: readonly Finding[]): void => {
    const line = source.getLineAndCharacterOfPosition(position).line + 1;
    for (const finding of findings) found.push({ ...finding, line });
  };
  for (const { position, words, isDoc } of commentsIn(source))
    add(position, isDoc ? checkDocComment(words) : checkComment(words));
  const visit = (node: ts.Node): void => {
    if (ts.isNewExpression(node) && /Error$/.test(node.expression.getText(source)))
      for (const argument of node.arguments ?? []) add(argument.getStart(source), checkText(literalText(argument)));
    if (ts.isCallExpression(node) && isTestCall(node.expression, source) && node.arguments[0] !== undefined)
      add(node.getStart(source), checkTitle(literalText(node.arguments[0])));
    ts.forEachChild(node, visit);
  };
  visit(source);
  return found.sort((a, b) => a.line - b.line);
}

/** Checks the paragraphs and headings of a Markdown page; code blocks are skipped. */
export function checkPage(file: string, text = readFileSync(file, "utf8")): PlacedFinding[] {
  const found: PlacedFinding[] = [];
  let inCode = false;
  for (const [index, line] of text.split("\n").entries()) {
    if (/^\s*```/.test(line)) inCode = !inCode;
    else if (!inCode) {
      const heading = /^#+ (.*)$/.exec(line);
      const findings = heading ? checkHeading(heading[1]!) : checkText(line);
      for (const finding of findings) found.push({ ...finding, line: index + 1 });
    }
  }
  return found;
}

/** Checks the field documentation: lines of `name: text`. */
export function checkFields(file: string, text = readFileSync(file, "utf8")): PlacedFinding[] {
  return text.split("\n").flatMap((line, index) => {
    const words = /^ *[\w$-]+: (.*)$/.exec(line)?.[1] ?? "";
    return checkDocComment(words).map((finding) => ({ ...finding, line: index + 1 }));
  });
}

interface Comment {
  readonly position: number;
  readonly words: string;
  readonly isDoc: boolean;
}

/** Returns the comments of a file; consecutive line comments are one. */
function commentsIn(source: ts.SourceFile): Comment[] {
  const comments = new Map<number, ts.CommentRange>();
  const text = source.text;
  const visit = (node: ts.Node): void => {
    for (const range of ts.getLeadingCommentRanges(text, node.getFullStart()) ?? []) comments.set(range.pos, range);
    for (const range of ts.getTrailingCommentRanges(text, node.getEnd()) ?? []) comments.set(range.pos, range);
    ts.forEachChild(node, visit);
  };
  visit(source);
  const result: Comment[] = [];
  let lines: { position: number; end: number; words: string } | undefined;
  for (const range of [...comments.values()].sort((a, b) => a.pos - b.pos)) {
    const raw = text.slice(range.pos, range.end);
    if (range.kind === ts.SyntaxKind.SingleLineCommentTrivia) {
      const words = raw.replace(/^\/\/+ ?/, "");
      const joins = lines !== undefined && text.slice(lines.end, range.pos).trim() === "";
      if (lines !== undefined && joins)
        lines = { position: lines.position, end: range.end, words: `${lines.words} ${words}` };
      else {
        if (lines) result.push({ ...lines, isDoc: false });
        lines = { position: range.pos, end: range.end, words };
      }
      continue;
    }
    const words = raw
      .replace(/^\/\*+/, "")
      .replace(/\*\/$/, "")
      .replace(/^\s*\* ?/gm, "")
      .replace(/@example[\s\S]*?```[\s\S]*?```/g, "")
      .trim();
    result.push({ position: range.pos, words: words.replace(/\s+/g, " "), isDoc: raw.startsWith("/**") });
  }
  if (lines) result.push({ ...lines, isDoc: false });
  return result.filter(({ words }) => !/^(?:eslint|@ts-|biome-|#|istanbul|c8)/.test(words.trim()));
}

function isTestCall(callee: ts.Expression, source: ts.SourceFile): boolean {
  return /^(?:it|test|describe)(?:\.(?:each|for|skip|skipIf|runIf|concurrent|sequential|todo)\b.*)?$/s.test(
    callee.getText(source),
  );
}

/** Returns the words of a string literal, template or concatenation; expressions become a placeholder. */
function literalText(node: ts.Expression): string {
  if (ts.isStringLiteralLike(node)) return node.text;
  if (ts.isTemplateExpression(node))
    return node.head.text + node.templateSpans.map(({ literal }) => `x${literal.text}`).join("");
  if (ts.isBinaryExpression(node)) return literalText(node.left) + literalText(node.right);
  if (ts.isConditionalExpression(node)) return `${literalText(node.whenTrue)} ${literalText(node.whenFalse)}`;
  return "x";
}
