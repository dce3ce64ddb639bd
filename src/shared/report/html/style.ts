type Rgb = readonly [number, number, number]

const HEAT_STEPS = 10
// One hue that only changes in lightness: it reads the same for every kind of colour vision, and in a grey print.
const LIGHT: [Rgb, Rgb] = [
  [240, 246, 251],
  [112, 181, 229],
]
const DARK: [Rgb, Rgb] = [
  [23, 35, 48],
  [36, 106, 163],
]

const mix = (from: Rgb, to: Rgb, share: number) =>
  `rgb(${from.map((value, index) => Math.round(value + ((to[index] ?? value) - value) * share)).join(' ')})`

const heatRules = ([from, to]: [Rgb, Rgb]) =>
  Array.from(
    { length: HEAT_STEPS },
    (_, step) => `.h${String(step)}{background-color:${mix(from, to, step / (HEAT_STEPS - 1))}}`,
  ).join('')

export const heatClass = (heat: number | undefined): string =>
  heat === undefined ? '' : `h${String(Math.min(HEAT_STEPS - 1, Math.floor(heat * HEAT_STEPS)))}`

const SERIES_LIGHT = ['#0b62a4', '#c2490a', '#0f7f5c', '#a33d7b', '#6f51bd', '#946600', '#1f7d98', '#55606e']
const SERIES_DARK = ['#6cb6f5', '#ff9d63', '#52d3a6', '#f291c8', '#b9a3ff', '#ecc250', '#74d4ec', '#b6c0cc']
const seriesRules = (colours: string[]) => colours.map((colour, index) => `.s${String(index)}{--series:${colour}}`).join('')
export const SERIES_COUNT = SERIES_LIGHT.length

const LIGHT_THEME =
  '--page:#f4f6f8;--card:#fff;--ink:#15202b;--soft:#566473;--line:#dfe5eb;--faint:#eef1f5;--accent:#0b62a4;--warn:#b45309;--bad:#b3261e;--ok:#0f7f5c;--hatch:#c9d2db;--demo:#fff4d6;--demo-ink:#6b4700;--demo-line:#e2b546'
const DARK_THEME =
  '--page:#0e151c;--card:#151e27;--ink:#e8eef4;--soft:#9eadbb;--line:#2a3743;--faint:#1c2732;--accent:#6cb6f5;--warn:#f0a948;--bad:#ff8a80;--ok:#52d3a6;--hatch:#3a4855;--demo:#33270a;--demo-ink:#ffdf91;--demo-line:#8a6a1c'

const BASE = `
*{box-sizing:border-box}
html{-webkit-text-size-adjust:100%}
body{margin:0;background:var(--page);color:var(--ink);font:15px/1.5 system-ui,-apple-system,"Segoe UI",Roboto,"Helvetica Neue",Arial,sans-serif;font-variant-numeric:tabular-nums lining-nums}
main{max-width:1240px;margin:0 auto;padding:40px 28px 64px}
h1,h2,h3,p,dl,dd,pre,figure{margin:0}
h1{font-size:clamp(24px,3.2vw,36px);line-height:1.15;letter-spacing:-.02em;font-weight:680;text-wrap:balance;overflow-wrap:anywhere}
h2{font-size:20px;letter-spacing:-.01em;font-weight:650;line-height:1.3}
h3{font-size:15px;font-weight:650}
a{color:var(--accent)}
.eyebrow{color:var(--accent);font-weight:600;font-size:14px;margin-bottom:6px}
.lines{color:var(--soft);margin-top:10px;overflow-wrap:anywhere}
.lines p:first-child{color:var(--ink);font-weight:550}
.banner{margin:18px 0 0;padding:10px 14px;border-radius:8px;border:1px solid var(--demo-line);background:var(--demo);color:var(--demo-ink);font-weight:600}
.banner.state{border-style:dashed;font-weight:500}
section{margin-top:36px}
section>header{display:flex;flex-wrap:wrap;align-items:baseline;gap:2px 12px;margin-bottom:12px}
section>header p{color:var(--soft);font-size:14px}
.card{background:var(--card);border:1px solid var(--line);border-radius:12px;padding:16px 18px}
.facts{display:grid;grid-template-columns:repeat(auto-fit,minmax(270px,1fr));gap:14px;margin-top:28px}
.facts h2{font-size:15px;margin-bottom:8px}
dl.pairs{display:grid;grid-template-columns:auto 1fr;gap:3px 16px;font-size:14px}
dl.pairs dt{color:var(--soft)}
dl.pairs dd{text-align:right;overflow-wrap:anywhere}
dl.pairs.wide{gap:5px 28px}
dl.pairs.wide dd{text-align:left}
pre{white-space:pre-wrap;overflow-wrap:anywhere;font:12.5px/1.6 ui-monospace,"SF Mono","Cascadia Mono",Menlo,Consolas,monospace}
.command{margin-top:14px}
.command h2{font-size:15px;margin-bottom:8px}
.prefill{display:flex;flex-wrap:wrap;gap:12px}
.prefill .card{padding:12px 14px;flex:1 1 142px;max-width:calc((100% - 24px)/3)}
.prefill span{display:block}
.prefill .ctx,.prefill .ttft{color:var(--soft);font-size:13px}
.prefill b{display:block;font-size:23px;line-height:1.25;letter-spacing:-.01em;font-weight:650}
.prefill i{display:block;height:5px;border-radius:3px;background:var(--faint);margin-top:8px;overflow:hidden}
.prefill i::before{content:"";display:block;height:100%;width:var(--share);background:var(--accent);border-radius:3px}
.scroll{overflow-x:auto;border:1px solid var(--line);border-radius:12px;background:var(--card);position:relative}
.scroll:focus-visible{outline:2px solid var(--accent);outline-offset:2px}
table{border-collapse:separate;border-spacing:0;width:100%}
.matrix{padding:6px}
.matrix table{border-spacing:3px}
.matrix th{font-weight:600;color:var(--soft);font-size:13px;padding:4px 6px;text-align:center;white-space:nowrap}
.matrix tbody th{text-align:right;color:var(--ink);position:sticky;left:0;background:var(--card);z-index:1}
.matrix thead th:first-child{width:1%;text-align:right;position:sticky;left:0;background:var(--card);z-index:1}
.matrix td{position:relative;text-align:center;padding:7px 5px 6px;border-radius:6px;min-width:68px;line-height:1.25}
.matrix td b{display:block;font-size:15px;font-weight:650;white-space:nowrap}
.matrix td small{display:block;font-size:11px;white-space:nowrap}
.matrix td.none{color:var(--soft);font-size:12px;line-height:1.2;background-color:var(--faint)}
.matrix.many td{min-width:0;padding:6px 2px}
.matrix.many td b{font-size:13px;letter-spacing:-.01em}
.matrix.many table{table-layout:fixed}
.matrix.many thead th:first-child{width:62px}
.matrix.many td small{font-size:9.5px;letter-spacing:-.01em;line-height:1.15;white-space:normal}
.matrix.many td.none{font-size:10.5px}
.matrix.many table{border-spacing:2px}
main.wide{max-width:1560px}
.doubt::after{content:"";position:absolute;top:0;right:0;border-style:solid;border-width:0 10px 10px 0;border-color:transparent var(--warn) transparent transparent;border-top-right-radius:6px}
.looped{background-image:repeating-linear-gradient(45deg,var(--hatch) 0 1.5px,transparent 1.5px 7px)}
.over_capacity{box-shadow:inset 0 0 0 1px var(--line)}
td.none.over_capacity{background-color:transparent}
.error{box-shadow:inset 0 0 0 2px var(--bad)}
td.none.error{color:var(--bad);font-weight:650}
.skipped,.cancelled{background-image:radial-gradient(var(--hatch) 1px,transparent 1.3px);background-size:7px 7px}
.cancelled{box-shadow:inset 0 0 0 1px var(--hatch)}
.pending{outline:1px dashed var(--hatch);outline-offset:-2px}
.legend{display:flex;flex-wrap:wrap;gap:6px 20px;margin-top:10px;color:var(--soft);font-size:12.5px;align-items:center}
.legend span{display:inline-flex;align-items:center;gap:7px}
.legend i{display:inline-block;width:14px;height:14px;border-radius:3px}
.legend span.ramp{gap:0;border-radius:4px;overflow:hidden}
.legend .ramp i{border-radius:0;width:13px}
.legend i.doubt{position:relative;background:var(--faint)}
.notes{margin-top:12px;color:var(--soft);font-size:14px;max-width:86ch}
.notes p+p{margin-top:4px}
.notes b{color:var(--ink);font-weight:600}
.charts{display:grid;grid-template-columns:repeat(auto-fit,minmax(min(100%,440px),1fr));gap:14px;margin-top:20px}
figure figcaption{font-weight:600;font-size:14px;margin-bottom:2px}
figure p{color:var(--soft);font-size:12.5px}
svg{display:block;width:100%;height:auto;margin-top:6px;font:11px system-ui,-apple-system,"Segoe UI",Roboto,Arial,sans-serif}
svg .grid{stroke:var(--line);stroke-width:1}
svg .tick{fill:var(--soft)}
svg .axis{fill:var(--soft)}
svg .line{fill:none;stroke:var(--series);stroke-width:1.8;stroke-linejoin:round}
svg .dashed{stroke-dasharray:5 4}
svg .gap{stroke-width:1.2;stroke-dasharray:1 4;stroke-linecap:round}
svg .mark{fill:var(--series);stroke:var(--card);stroke-width:1}
svg .name{fill:var(--series);font-weight:650;paint-order:stroke;stroke:var(--card);stroke-width:3.5px;stroke-linejoin:round}
.data th{font-size:12px;font-weight:600;color:var(--soft);text-align:left;vertical-align:bottom;padding:9px 10px 7px;border-bottom:1px solid var(--line);line-height:1.25}
.data td{padding:5px 10px;font-size:13px;border-bottom:1px solid var(--faint);vertical-align:top}
.data .n{text-align:right}
.data td{white-space:nowrap}
.data td.w{min-width:200px;white-space:normal;overflow-wrap:anywhere}
.data tr:last-child td{border-bottom:0}
.data tr.part td{border-top:1px solid var(--line)}
.data td.st::before{display:inline-block;width:1.3em;color:var(--soft)}
.data td.valid::before{content:"●";color:var(--ok);font-size:.7em;width:1.9em;vertical-align:.12em}
.data td.looped::before{content:"↻"}
.data td.over_capacity::before{content:"▢"}
.data td.error::before{content:"✕";color:var(--bad)}
.data td.skipped::before{content:"⤼"}
.data td.cancelled::before{content:"–"}
.data td.pending::before{content:"…"}
.data td.st{background:none;box-shadow:none;outline:0}
.data td.few::after{content:"°";color:var(--warn);position:absolute;font-weight:700}
details{margin-top:14px}
details>summary{cursor:pointer;padding:6px 0;font-weight:650;font-size:15px}
details>summary:focus-visible{outline:2px solid var(--accent);outline-offset:2px;border-radius:4px}
details>p{color:var(--soft);font-size:13.5px;margin:0 0 8px;max-width:86ch}
details .data{width:fit-content;max-width:100%}
details .data table{width:auto}
details .data th,details .data td{padding-left:14px;padding-right:14px}
footer{margin-top:44px;padding-top:14px;border-top:1px solid var(--line);color:var(--soft);font-size:12.5px;display:flex;flex-wrap:wrap;gap:4px 18px}
@media (max-width:640px){main{padding:24px 14px 40px}}
@media screen and (max-width:1100px){.matrix.many table{min-width:1040px}}
`

const print = (landscape: boolean) => `
@page{size:A4${landscape ? ' landscape' : ''};margin:11mm}
@media print{
:root{--page:#fff}
html{font-size:10pt}
body{font-size:9pt;background:#fff;-webkit-print-color-adjust:exact;print-color-adjust:exact}
main{max-width:none;padding:0}
h1{font-size:19pt}
h2{font-size:12pt}
.facts h2,.command h2{font-size:9pt;margin-bottom:3pt}
.eyebrow,.lines,section>header p,.banner{font-size:8pt}
.banner{padding:4pt 7pt;margin-top:8pt}
.notes,.legend,details>p{font-size:7.4pt}
figure figcaption,details>summary{font-size:9pt}
figure p{font-size:7pt}
details{margin-top:8pt}
footer{font-size:7pt;margin-top:14pt}
section{margin-top:16pt}
.facts{gap:8pt;margin-top:14pt;grid-template-columns:repeat(3,1fr)}
.card,.scroll{border-radius:5pt}
.card{padding:8pt 9pt}
dl.pairs{font-size:7.6pt;gap:1pt 8pt}
pre{font-size:7pt;line-height:1.45}
.prefill{display:grid;grid-template-columns:repeat(7,1fr);gap:5pt}
.prefill .card{padding:6pt 7pt;max-width:none}
.prefill b{font-size:12pt}
.prefill .ctx,.prefill .ttft{font-size:7pt}
.scroll{overflow:visible}
.matrix{padding:2pt}
.matrix table{border-spacing:1.5pt}
.matrix td{min-width:0;padding:3pt 1pt}
.matrix td b{font-size:8.4pt}
.matrix td small{font-size:5.9pt}
.matrix td.none{font-size:6.6pt}
.matrix th{font-size:7.4pt;padding:2pt 3pt}
.matrix.many td b{font-size:6.6pt}
.matrix.many td small{font-size:4.6pt}
.matrix.many td.none{font-size:5pt}
.charts{grid-template-columns:1fr 1fr;gap:8pt}
.data th{font-size:6.4pt;padding:3pt 3.5pt}
.data td{font-size:7pt;padding:1.8pt 3.5pt}
details .data th,details .data td{padding-left:5pt;padding-right:5pt}
.data td.w{min-width:0}
thead{display:table-header-group}
tr,.card,figure,summary{break-inside:avoid}
h2,h3,summary,section>header{break-after:avoid}
details>summary{list-style:none}
details>summary::-webkit-details-marker{display:none}
}
`

/** The whole style sheet; `landscape` turns the paper for matrices that are too wide for it. */
export function styleSheet(landscape: boolean): string {
  return [
    `:root{color-scheme:light dark;${LIGHT_THEME}}${heatRules(LIGHT)}${seriesRules(SERIES_LIGHT)}`,
    `@media screen and (prefers-color-scheme:dark){:root{${DARK_THEME}}${heatRules(DARK)}${seriesRules(SERIES_DARK)}}`,
    BASE,
    print(landscape),
  ].join('')
}
