import type { LabelSelector } from "../../../meta/label-selector.js";
import { selectorText } from "../../objects/selector-text.js";

/** Formats labels as `a=b,c=d`, or `<none>`. */
export function formatLabels(labels: Readonly<Record<string, string>> | undefined): string {
  return selectorText({ matchLabels: { ...labels } }) || "<none>";
}

/** Formats a selector; `<none>` without requirements. */
export function formatSelector(selector: LabelSelector | undefined): string {
  return selectorText(selector) || "<none>";
}
