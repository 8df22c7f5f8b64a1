import { createHash } from 'node:crypto';
import { html, type Markup, raw, toText, type Value } from './markup.ts';
import { SCRIPT } from './script.ts';
import { STYLE } from './style.ts';

/** A part of a page under a heading. */
export interface Section {
  /** For links within the page. */
  readonly id: string;
  readonly title: string;
  readonly body: Value;
}

/**
 * A whole page in one text: head, introduction, sections. Its policy lets nothing be loaded and nothing run but the style
 * sheet and the script that are in it, so that a slip in escaping stays text. `style`: rules beside those of every page.
 */
export function page(title: string, intro: Value, sections: readonly Section[], style = ''): string {
  const body = html`<body>
<header><h1>${title}</h1>
${intro}</header>
<main>
${sections.map(sectionOf)}</main>
<script>${raw(SCRIPT)}</script>
</body>`;
  return `<!doctype html>\n${toText(html`<html lang="en">
${head(title, STYLE + style)}
${body}
</html>`)}\n`;
}

function head(title: string, style: string): Markup {
  const policy = `default-src 'none'; img-src data:; base-uri 'none'; form-action 'none'; style-src ${hash(style)}; script-src ${hash(SCRIPT)}`;
  return html`<head>
<meta charset="utf-8">
<meta http-equiv="Content-Security-Policy" content="${raw(policy)}">
<meta name="viewport" content="width=device-width,initial-scale=1">
<meta name="color-scheme" content="light dark">
<link rel="icon" href="data:,">
<title>${title}</title>
<style>${raw(style)}</style>
</head>`;
}

const hash = (text: string): string => `'sha256-${createHash('sha256').update(text).digest('base64')}'`;

function sectionOf({ id, title, body }: Section): Markup {
  return html`<section id="${id}" aria-labelledby="${id}-title"><h2 id="${id}-title">${title}</h2>
${body}
</section>
`;
}
