/** What could end an element or an attribute, and what could show text in another order than it has. */
const ENTITIES: { readonly [character: string]: string } = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
  "'": '&#39;',
};
const CONTROL = /[\p{Cc}\p{Cs}\u2028-\u202E\u2066-\u2069]/gu;

/** Text from anywhere, safe inside an element and inside a quoted attribute. */
export function escaped(text: string): string {
  return text.replace(CONTROL, ' ').replace(/[&<>"']/g, (character) => ENTITIES[character] as string);
}

/** Numbers and texts as a row; `cells` are HTML. */
export function tableRow(cells: readonly string[], tag: 'td' | 'th' = 'td'): string {
  const [head = '', ...rest] = cells;
  const others = rest.map((cell) => (tag === 'th' ? `<th scope="col">${cell}</th>` : `<td>${cell}</td>`));
  return `<tr><th scope="${tag === 'th' ? 'col' : 'row'}">${head}</th>${others.join('')}</tr>`;
}

/** A page that loads nothing and runs nothing; `body` is HTML, `style` is CSS of its own. */
export function htmlPage(title: string, body: string, style = ''): string {
  return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta http-equiv="Content-Security-Policy" content="default-src 'none'; style-src 'unsafe-inline'">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>${escaped(title)}</title>
<style>${STYLE}${style}</style>
</head>
<body>
<h1>${escaped(title)}</h1>
${body}
</body>
</html>
`;
}

const STYLE = `
:root { color-scheme: light dark; --ink: #1c1e21; --dim: #667; --line: #d5d8dd; --paper: #fff; --mark: #1a66c2; }
@media (prefers-color-scheme: dark) { :root { --ink: #e4e6ea; --dim: #9aa0aa; --line: #3a3f47; --paper: #16181b; --mark: #6fb0ff; } }
body { margin: 2rem auto; max-width: 70rem; padding: 0 1rem; font: 15px/1.5 system-ui, sans-serif; color: var(--ink); background: var(--paper); }
h1 { font-size: 1.5rem; } h2 { font-size: 1.15rem; margin-top: 2rem; }
p, figcaption { color: var(--dim); } figure { margin: 0; } .wide { overflow-x: auto; }
table { border-collapse: collapse; font-variant-numeric: tabular-nums; }
th, td { padding: .3rem .7rem; border-bottom: 1px solid var(--line); text-align: right; }
th:first-child { text-align: left; } thead th { color: var(--dim); font-weight: 600; vertical-align: bottom; }
.list th, .list td { text-align: left; font-weight: 400; overflow-wrap: anywhere; }
svg { width: 100%; height: auto; } svg text { fill: var(--ink); font: 12px system-ui, sans-serif; } svg .axis { fill: var(--dim); }
svg line { stroke: var(--line); } svg .leader { stroke: var(--dim); } svg circle { fill: var(--mark); fill-opacity: .45; stroke: var(--mark); }
`;
