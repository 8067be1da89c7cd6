/** The looks of the page of a scan, on top of what every page has. */
export const SCAN_STYLE: string = `
:root { --paper: #f6f6f3; --card: #fff; --ink: #1d1f23; --dim: #5d636b; --line: #deded8; --soft: #efefea; --mark: #1f5fa8; --loop: #e3a51a; --waste: #c23b22; --band: #f7e3c8; --good: #1d7a46; --on: #fff; }
@media (prefers-color-scheme: dark) { :root { --paper: #121416; --card: #1a1d20; --ink: #e6e7e9; --dim: #9ba3ac; --line: #30353b; --soft: #23272b; --mark: #7db4f5; --loop: #d79b1c; --waste: #e8644a; --band: #3b2f1e; --good: #62c58d; --on: #121416; } }
* { box-sizing: border-box; }
html { -webkit-text-size-adjust: 100%; }
body { max-width: 66rem; margin: 0 auto; padding: 3rem 1.25rem 4rem; overflow-wrap: anywhere; }
h1 { margin: 0; font-size: clamp(1.7rem, 5vw, 2.5rem); line-height: 1.15; letter-spacing: -.022em; font-weight: 680; text-wrap: balance; }
h2 { margin: 3.25rem 0 .9rem; font-size: 1.2rem; letter-spacing: -.01em; font-weight: 650; }
h3 { margin: 0; font-size: 1rem; font-weight: 600; line-height: 1.4; }
code, pre, .file { font-family: ui-monospace, SFMono-Regular, Menlo, Consolas, "DejaVu Sans Mono", monospace; font-size: .86em; }
.lead { margin: .5rem 0 0; font-size: 1.02rem; }
.early, .good { margin: 1.5rem 0 0; padding: .7rem 1rem; border-left: 4px solid var(--loop); background: var(--card); color: var(--ink); border-radius: 0 8px 8px 0; }
.good { border-color: var(--good); font-size: 1.1rem; }
a { color: var(--mark); text-underline-offset: .15em; }
:focus-visible { outline: 3px solid var(--mark); outline-offset: 2px; border-radius: 4px; }
#sessions:focus { outline: none; }
.skip { position: absolute; left: 1rem; top: -4rem; padding: .5rem 1rem; background: var(--mark); color: var(--on); border-radius: 0 0 8px 8px; }
.skip:focus { top: 0; }

.tiles { display: grid; grid-template-columns: repeat(auto-fit, minmax(13.5rem, 1fr)); gap: 1px; margin: 2rem 0 0; border: 1px solid var(--line); border-radius: 12px; overflow: hidden; background: var(--line); }
.tiles div { padding: 1rem 1.25rem 1.1rem; background: var(--card); }
.tiles dt { color: var(--dim); font-size: .85rem; }
.tiles dt::first-letter { text-transform: uppercase; }
.tiles dd { margin: .1rem 0 0; }
.tiles strong { display: block; font-size: 1.95rem; line-height: 1.25; font-weight: 660; letter-spacing: -.02em; font-variant-numeric: tabular-nums; }
.tiles strong.word { font-size: 1.35rem; line-height: 1.82; color: var(--dim); font-weight: 500; }
.tiles span, .tiles small { display: block; color: var(--dim); font-size: .85rem; line-height: 1.4; }
.tiles small { margin-top: .35rem; font-size: .78rem; }

figure, .shares, .session, details.list { background: var(--card); border: 1px solid var(--line); border-radius: 12px; }
figure { padding: 1.1rem 1.25rem .9rem; }
figcaption { margin-top: .3rem; font-size: .85rem; }
svg { width: auto; }
.chart { display: block; width: calc(100% - 4rem); height: 188px; margin-left: 4rem; overflow: visible; }
.chart rect { fill: var(--waste); }
.chart rect:hover { fill: var(--ink); }
.chart .base { stroke: var(--dim); }
.columns { display: grid; grid-template-columns: repeat(auto-fit, minmax(min(17rem, 100%), 1fr)); gap: 1rem; }
.shares { padding: 1.1rem 1.25rem 1.2rem; }
.shares ul { list-style: none; margin: .5rem 0 0; padding: 0; }
.shares li { display: grid; grid-template-columns: 1fr auto; gap: 0 .75rem; align-items: baseline; padding: .45rem 0; }
.shares .unknown { color: var(--dim); font-size: .85rem; }
.shares .figure { font-variant-numeric: tabular-nums; font-weight: 600; }
.shares .bar { grid-column: 1 / -1; display: block; width: 100%; height: 6px; margin: .3rem 0 .2rem; }
.shares .bar rect { fill: var(--waste); }
.shares .bar .track { fill: var(--soft); }
.shares .rest { grid-column: 1 / -1; color: var(--dim); font-size: .82rem; }
.shares p { margin: .4rem 0 0; font-size: .85rem; }

.legend { display: flex; flex-wrap: wrap; gap: .3rem 1.15rem; margin: 0 0 1.25rem; padding: 0; list-style: none; font-size: .85rem; color: var(--dim); }
.legend li { display: flex; align-items: center; gap: .4rem; }
.shapes { position: absolute; }
.session { margin: 0 0 1.1rem; padding: 1.15rem 1.25rem .9rem; scroll-margin-top: 1rem; }
.session:target { border-color: var(--mark); box-shadow: 0 0 0 1px var(--mark); }
.session header { display: grid; grid-template-columns: minmax(0, 1fr) auto; gap: .1rem 1.5rem; }
.session p { margin: 0; }
.facts { font-size: .85rem; }
.facts strong { color: var(--ink); font-weight: 600; }
.session h3 code { font-weight: 400; font-size: .88em; }
.cost { grid-column: 2; grid-row: 1 / 3; text-align: right; font-size: .85rem; font-variant-numeric: tabular-nums; }
.cost strong { color: var(--waste); font-size: 1.2rem; font-weight: 660; letter-spacing: -.01em; }
.file { display: flex; flex-direction: column; margin-top: .6rem !important; font-size: .76rem; color: var(--dim); }
.timeline { display: flex; flex-wrap: wrap; align-items: center; max-width: 888px; margin: .4rem 0 .5rem -1.5px; }
.timeline svg { flex: none; }
.timeline .gap { padding: 0 .6rem; color: var(--dim); font-size: .78rem; }
.timeline .axis { font-size: 9px; }
.box { fill: var(--card); stroke: var(--dim); stroke-opacity: .55; }
.cross { fill: none; stroke: var(--dim); stroke-width: 1.5; stroke-linecap: round; }
.loop .box { fill: var(--loop); stroke: var(--loop); stroke-opacity: 1; }
.loop .cross { stroke: #2a1d00; }
.waste .box { fill: var(--waste); stroke: var(--waste); stroke-opacity: 1; }
.hatch { fill: url(#hatch); }
.stripe { stroke: var(--card); stroke-opacity: .5; stroke-width: 2; }
.waste .cross { stroke: var(--card); stroke-width: 1.8; }
.band { fill: var(--band); }
.dot { fill: var(--dim); }
.pin { fill: var(--ink); }
/* Within a use element, no selector sees the svg element around it. */
.letter { fill: var(--card); font: 700 9px system-ui, sans-serif; }

.session details { border-top: 1px solid var(--line); }
summary { padding: .65rem 0; cursor: pointer; }
summary:hover { color: var(--mark); }
summary .rest { margin-left: .4rem; color: var(--dim); font-size: .9em; }
.evidence { padding: .25rem 0 1rem; }
.evidence > p { font-size: .9rem; }
blockquote { margin: .5rem 0 1.1rem; padding: .6rem .9rem; border-left: 3px solid var(--ink); background: var(--soft); border-radius: 0 6px 6px 0; white-space: pre-wrap; }
.evidence table { width: 100%; table-layout: fixed; }
.evidence th, .evidence td { padding: .5rem .6rem; text-align: left; vertical-align: top; font-size: .88rem; }
.evidence th:first-child { width: 5.2rem; } .evidence th:nth-child(2) { width: 7.2rem; }
.evidence tbody th { font-weight: 600; font-variant-numeric: tabular-nums; border-left: 4px solid var(--line); }
.evidence tr.loop th { border-left: 4px solid var(--loop); }
.evidence tr.waste th { border-left: 4px double var(--waste); }
.evidence time { display: block; white-space: nowrap; color: var(--dim); font-weight: 400; font-size: .78rem; }
.evidence .failed::before { content: "✕ "; color: var(--waste); }
.evidence pre { margin: .4rem 0 0; padding: .5rem .7rem; background: var(--soft); border-radius: 6px; white-space: pre-wrap; line-height: 1.45; }
.evidence td .same { margin: .15rem 0 0; font-size: .82rem; font-style: italic; }
.evidence .left-out td { color: var(--dim); text-align: center; }
.step { display: block; width: fit-content; margin: 0 0 .35rem; padding: .1rem .5rem; background: var(--ink); color: var(--card); border-radius: 4px; font-size: .8rem; font-weight: 600; }

details.list { padding: 0 1.25rem; }
details.list[open] { padding-bottom: 1rem; }
.every th, .every td { text-align: left; font-size: .88rem; font-weight: 400; white-space: nowrap; }
.every tbody th { white-space: normal; min-width: 16rem; max-width: 28rem; }
.every td:nth-child(2), .every td:nth-child(3), .every thead th:nth-child(2), .every thead th:nth-child(3) { text-align: right; }
.skipped { margin: 0; padding-left: 1.1rem; font-size: .88rem; color: var(--dim); }
.skipped code { color: var(--ink); }
footer { margin-top: 3.5rem; padding-top: 1rem; border-top: 1px solid var(--line); font-size: .85rem; }
footer p { margin: 0; max-width: 46rem; }
@media (max-width: 40rem) {
  body { padding: 1.75rem 1rem 3rem; }
  figure, .shares, .session, details.list { padding-left: .75rem; padding-right: .75rem; }
  .tiles { grid-template-columns: 1fr 1fr; } .tiles div { padding: .8rem .75rem; } .tiles strong { font-size: 1.5rem; } .tiles strong.word { font-size: 1.15rem; line-height: 1.65; }
  .session header { display: block; } .cost { margin-top: .35rem !important; text-align: left; } .cost br { display: none; } .cost span::before { content: " · "; }
  .evidence th, .evidence td { padding: .45rem .35rem; } .evidence th:first-child { width: 4.3rem; } .evidence th:nth-child(2) { width: 4.2rem; } .evidence time { font-size: .7rem; }
}
@media print { body { max-width: none; padding: 0; } .skip { display: none; } .session { break-inside: avoid; } }
`;
