import { html, type Markup, type Value } from './markup.ts';

/** A row of cells, the first of which heads it, or a heading over all columns. */
export type Row = { readonly cells: readonly Value[] } | { readonly heading: Value };

/** A table in a box of its own, which scrolls sideways where the table is wider than the page. */
export function table(caption: string, heads: readonly Value[], rows: readonly Row[]): Markup {
  return html`<div class="scroll" role="region" tabindex="0" aria-label="${caption}"><table>
<caption>${caption}</caption>
<thead><tr>${heads.map((head) => html`<th scope="col">${head}</th>`)}</tr></thead>
<tbody>
${rows.map((row) => rowOf(row, heads.length))}</tbody></table></div>`;
}

function rowOf(row: Row, columns: number): Markup {
  if ('heading' in row) return html`<tr><th scope="rowgroup" colspan="${columns}">${row.heading}</th></tr>\n`;
  const [head = null, ...cells] = row.cells;
  return html`<tr><th scope="row">${head}</th>${cells.map((cell) => html`<td>${cell}</td>`)}</tr>\n`;
}
