import { DARK, LIGHT, type Scheme } from './palette.ts';

function variables({ series, ...scheme }: Scheme): string {
  return [
    ...Object.entries(scheme).map(([name, color]) => `--${name}:${color}`),
    ...series.map((color, index) => `--series${index}:${color}`),
  ].join(';');
}

/** Of the intervals, which must stand out from the background even so. */
export const WHISKER_OPACITY = 0.8;

/** The style sheet of every page: both colour schemes, from a phone's width up. */
export const STYLE: string = `
:root{color-scheme:light dark;${variables(LIGHT)}}
@media (prefers-color-scheme:dark){:root{${variables(DARK)}}}
*{box-sizing:border-box}
body{margin:0 auto;padding:1.25rem 1rem 3rem;max-width:60rem;background:var(--background);color:var(--text);
font:16px/1.5 system-ui,-apple-system,"Segoe UI",Roboto,"Helvetica Neue",Arial,sans-serif;overflow-wrap:anywhere;-webkit-text-size-adjust:100%}
h1{font-size:1.6rem;line-height:1.2;margin:0 0 .25rem}
h2{font-size:1.2rem;margin:2.5rem 0 .75rem}
h3{font-size:1rem;margin:1.25rem 0 .5rem}
p,ul,dl{margin:.5rem 0}
a{color:var(--link)}
.lead{font-size:1.05rem;max-width:44rem}
.note,figcaption,.facts{color:var(--muted);font-size:.875rem}
.facts{display:flex;flex-wrap:wrap;gap:0 1.25rem;padding:0;list-style:none}
code,pre{font:.875rem/1.5 ui-monospace,SFMono-Regular,Menlo,Consolas,monospace}
pre{background:var(--panel);border:1px solid var(--line);border-radius:6px;padding:.75rem;white-space:pre-wrap;margin:.5rem 0}
dt{font-weight:600;margin-top:.5rem}
dd{margin:0}
:focus-visible{outline:2px solid var(--link);outline-offset:2px}
.scroll{overflow-x:auto;max-width:100%}
table{border-collapse:collapse;width:100%;font-variant-numeric:tabular-nums;overflow-wrap:normal}
caption{text-align:left;color:var(--muted);font-size:.875rem;padding-bottom:.25rem}
th,td{padding:.3rem .6rem;text-align:right;vertical-align:top;border-bottom:1px solid var(--line)}
thead th{background:var(--panel);font-size:.8125rem;line-height:1.25;vertical-align:bottom}
tr>:first-child{text-align:left}
tbody th{font-weight:400}
tbody th[colspan]{font-weight:600;padding-top:.8rem;text-align:left;overflow-wrap:anywhere}
td small,th small{display:block;white-space:nowrap;color:var(--muted);font-size:.75rem;font-weight:400;line-height:1.2}
td.na{color:var(--muted)}
details{border-top:1px solid var(--line)}
details:last-of-type{border-bottom:1px solid var(--line)}
summary{cursor:pointer;padding:.5rem 0;font-weight:600}
.plot{margin:0;position:relative}
.plot>svg{display:block;width:100%;max-width:44rem;height:auto;margin:0 auto;overflow:visible}
.plot text{font-size:10px;fill:var(--text)}
.plot .tick,.plot .title{fill:var(--muted)}
.plot .grid{stroke:var(--line);stroke-width:.6}
.plot .axis{stroke:var(--muted);stroke-width:1}
.front{fill:none;stroke:var(--text);stroke-width:1.2;stroke-dasharray:5 3}
.ideal{fill:none;stroke:var(--text);stroke-width:1.2}
.plot .word{font-style:italic;fill:var(--muted)}
.halo{stroke:var(--background);stroke-width:3;stroke-linejoin:round;paint-order:stroke}
.mark{--c:var(--muted);outline:none;cursor:default}
.mark .whisker{stroke:var(--c);stroke-width:1;opacity:${WHISKER_OPACITY};pointer-events:none}
.shape{fill:var(--c);stroke:var(--background);stroke-width:1}
.glyph{fill:none;stroke:var(--background);stroke-width:1.7;stroke-linecap:round;pointer-events:none}
.glyph[d="M0 0h.01"]{stroke-width:3}
.control>.shape{fill:var(--background);stroke:var(--c);stroke-width:1.6}
.several>.shape{fill:var(--text);stroke:var(--background)}
.plot .several>.count{fill:var(--background);font-size:9px;font-weight:700;text-anchor:middle}
.mark>.hit{fill:transparent;stroke:none}
.mark:focus>.hit,.mark.on>.hit{stroke:var(--link);stroke-width:2}
.mark:focus .whisker,.mark.on .whisker{opacity:1;stroke-width:1.8}
.many .whisker{opacity:.18}
.picking .mark:not(.picked){opacity:.12;pointer-events:none}
.picking .labels{opacity:.12}
.picking .picked .whisker{opacity:.8}
${LIGHT.series.map((_, index) => `.series${index}{--c:var(--series${index})}`).join('\n')}
.labels{pointer-events:none}
.key{display:flex;flex-wrap:wrap;gap:.1rem 1rem;padding:0;list-style:none;justify-content:center;font-size:.875rem;color:var(--muted)}
.key li{display:flex;align-items:center;gap:.3rem}
.key svg{--c:var(--muted);flex:none;width:16px;height:16px}
.legend{display:flex;flex-wrap:wrap;gap:.35rem;padding:0;list-style:none;justify-content:center}
.legend button{display:flex;align-items:center;gap:.4rem;max-width:20rem;min-height:1.9rem;padding:.15rem .6rem;border:1px solid var(--line);
border-radius:99px;background:none;color:inherit;font:inherit;font-size:.875rem;text-align:left;cursor:pointer}
.legend button[aria-pressed=true]{background:var(--panel);border-color:var(--text)}
.legend svg{flex:none;width:16px;height:16px}
.legend .control{--c:var(--muted)}
.tip{position:absolute;z-index:1;left:0;top:0;width:max-content;max-width:min(23rem,100%);padding:.5rem .7rem;border:1px solid var(--muted);border-radius:6px;
background:var(--panel);color:var(--text);font-size:.8125rem;line-height:1.4;white-space:pre-line;pointer-events:none;box-shadow:0 2px 10px #0004}
.tip[hidden]{display:none}
@media (max-width:36rem){
body{padding:1rem 1rem 2rem}
.plot text{font-size:13px}
.plot .several>.count{font-size:11px}
.shape,.mark>.hit{transform:scale(1.25)}
.legend .shape,.key .shape{transform:none}
.glyph{scale:1.25}
.legend .glyph{scale:none}
.legend button{font-size:.8125rem;min-height:1.75rem;padding:.1rem .5rem}
th,td{padding:.3rem .25rem}
thead th{font-size:.72rem}
td{font-size:.875rem}
td small,th small{font-size:.7rem}
}
@media print{details:not([open])>:not(summary){display:block}}
`;
