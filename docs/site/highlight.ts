import type { Application } from "typedoc";

/**
 * Makes the colors of code independent of the machine's speed. The highlighter gives up on a line after 500 ms, which
 * typedoc can't change, and a busy machine reaches that. The clock stands still while it works.
 */
export function highlightWithoutLimit(app: Application): void {
  const plugin = app.renderer.markedPlugin;
  const highlight = plugin.getHighlighted.bind(plugin);
  plugin.getHighlighted = (text, language) => {
    const { now } = Date;
    const time = now();
    Date.now = () => time;
    try {
      return highlight(text, language);
    } finally {
      Date.now = now;
    }
  };
}
