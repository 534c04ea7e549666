/** The stylesheet of all reports; a section has its own rules. Light and dark use the same names with other values. */

const light = `
--page:#fcfcfb;--raised:#fff;--ink:#1d2126;--soft:#565e69;--line:#dfe2e6;--strong:#8a929c;--wash:#f1f3f5;
--link:#1d4fa3;--good:#176b3a;--warn:#8a4b00;--bad:#a61b1b;--warn-wash:#fff6e5;
--c0:#2f5fb3;--c1:#c2410c;--c2:#15803d;--c3:#8b34d6;--c4:#b91c6b;--c5:#0e7490;--c6:#854d0e;--c7:#4b5563;--c8:#be123c;--c9:#4d7c0f;
--r-js-main:#1d4ed8;--r-js-worker:#3f8fe8;--r-gc:#c02626;--r-jit:#c2700a;--r-compositor:#7c3aed;--r-io:#0f766e;--r-other:#7b8490;--r-foreign:#b3a24a;
--s1:#fbe9e7;--s2:#f7cfcb;--s3:#f0aca6;--s4:#e58880;--f1:#e3f2e8;--f2:#c4e4cf;--f3:#9ed2b0;--f4:#78bf92;`;

const dark = `
--page:#14171b;--raised:#1b1f24;--ink:#e7e9ec;--soft:#a9b1bc;--line:#31373f;--strong:#6f7985;--wash:#20252b;
--link:#8fb8ff;--good:#6fd498;--warn:#f0b45a;--bad:#ff8f8f;--warn-wash:#2b2416;
--c0:#7da7f0;--c1:#fb923c;--c2:#4cc97a;--c3:#c4a0ff;--c4:#f472b6;--c5:#22d3ee;--c6:#d9ae62;--c7:#a8b0bd;--c8:#fb7185;--c9:#a3d635;
--r-js-main:#6c93f5;--r-js-worker:#8fcbff;--r-gc:#f87171;--r-jit:#f2a73b;--r-compositor:#b394ff;--r-io:#3cc4b4;--r-other:#9aa3af;--r-foreign:#d3c675;
--s1:#2e1f20;--s2:#4a2626;--s3:#6b2f2e;--s4:#8f3a37;--f1:#1b2a21;--f2:#1f3d2b;--f3:#235238;--f4:#276945;`;

/** The names of all colours, in both schemes. */
export const colours =
  `:root{color-scheme:light dark;${light}}@media(prefers-color-scheme:dark){:root{${dark}}}`.replaceAll(
    '\n',
    '',
  );

const curveClasses = Array.from(
  { length: 10 },
  (_, i) => `.c${String(i)}{color:var(--c${String(i)})}.t${String(i)}{--t:var(--c${String(i)})}`,
);

/** The colours alone, with the classes of curves: for pages with their own stylesheet. */
export const palette = [colours, ...curveClasses].join('');

const roles = ['js-main', 'js-worker', 'gc', 'jit', 'compositor', 'io', 'other', 'foreign'];

const roleClasses = roles.map((role) => `.r-${role}{--t:var(--r-${role});fill:var(--r-${role})}`);

/** A heat map's shades, of the colour of its target; the fullest needs no rule. */
export const shadeClasses = [0.16, 0.34, 0.54, 0.76].map(
  (opacity, i) => `.h${String(i + 1)}{stroke-opacity:${String(opacity)}}`,
);

const text = `
*{box-sizing:border-box}
html{font:16px/1.55 system-ui,-apple-system,"Segoe UI",Roboto,"Helvetica Neue",Arial,sans-serif;color:var(--ink);background:var(--page);-webkit-text-size-adjust:100%}
body{margin:0 auto;max-width:70rem;padding:0 clamp(1rem,4vw,2.5rem) 5rem;overflow-wrap:anywhere}
h1,h2,h3,h4{line-height:1.25;margin:0;text-wrap:balance}
h1{font-size:clamp(1.6rem,5vw,2.25rem);letter-spacing:-.015em}
h2{font-size:1.4rem;margin:4rem 0 1rem;padding-top:1.25rem;border-top:1px solid var(--line);letter-spacing:-.01em}
h3{font-size:1.1rem;margin:2.25rem 0 .5rem}
h4{font-size:1rem}
p,ul,ol,dl{margin:.5rem 0 1rem;max-width:46rem}
li{margin:.35rem 0}
a{color:var(--link);text-underline-offset:.15em}
a:focus-visible,summary:focus-visible,.scroll:focus-visible,button:focus-visible{outline:3px solid var(--link);outline-offset:2px;border-radius:3px}
code,pre{font:.875em/1.5 ui-monospace,SFMono-Regular,Menlo,Consolas,monospace}
pre{margin:.5rem 0;padding:.6rem .8rem;background:var(--wash);border-radius:6px;white-space:pre-wrap}
pre code{font-size:inherit}
small,.soft{color:var(--soft)}
small{font-size:.85em}
.unseen{position:absolute;width:1px;height:1px;overflow:hidden;clip-path:inset(50%);white-space:nowrap}
.skip{position:absolute;left:-99rem}.skip:focus{left:1rem;top:1rem;background:var(--raised);padding:.5rem 1rem;z-index:1}
.nb{white-space:nowrap}`;

const page = `
header{padding:3rem 0 0}
.kicker{margin:0 0 .4rem;color:var(--soft);font-size:.9rem}
header .soft{margin:.5rem 0 0}
nav ul{display:flex;flex-wrap:wrap;gap:.25rem 1.1rem;list-style:none;margin:1.25rem 0 0;padding:0;font-size:.925rem;max-width:none}
nav li{margin:0}
.lead h2{border:0;padding:0;margin:2.25rem 0 .5rem}
.lead>p{font-size:1.075rem}.lead>p.soft{font-size:.925rem}
.cautions{border-left:4px solid var(--warn);background:var(--warn-wash);padding:.8rem 1.1rem;border-radius:0 8px 8px 0;margin:1.25rem 0;max-width:48rem}
.cautions summary{font-weight:600;padding:0}
.cautions ul{margin:.4rem 0 0;padding-left:1.2rem}
.tag{display:inline-block;white-space:nowrap;font-size:.78rem;line-height:1.3;padding:.08rem .45rem;border-radius:99px;border:1px solid currentColor;color:var(--warn)}
.tag.good{color:var(--good)}.tag.bad{color:var(--bad)}
.missing{color:var(--soft)}
dl.facts{display:grid;grid-template-columns:minmax(7rem,max-content) 1fr;gap:.3rem 1.25rem;max-width:52rem}
dl.facts dt{color:var(--soft)}dl.facts dd{margin:0}
@media(max-width:30rem){dl.facts{grid-template-columns:1fr;gap:0}dl.facts dd{margin-bottom:.5rem}}
button,summary,label,select,input[type=search]{min-height:24px}
button{font:inherit;font-size:.82rem;color:var(--link);background:var(--raised);border:1px solid var(--strong);border-radius:6px;padding:.15rem .6rem;cursor:pointer}
.controls{display:flex;flex-wrap:wrap;gap:.4rem 1.1rem;align-items:center;background:var(--wash);border-radius:8px;padding:.6rem .9rem;margin:.75rem 0 1.25rem;font-size:.9rem;overflow-x:clip}
.controls>*,.controls label{min-width:0;max-width:100%}.controls label{display:inline-flex;align-items:center;gap:.35rem;min-height:24px}
.controls input[type=search],.controls select{font:inherit;color:inherit;background:var(--raised);border:1px solid var(--strong);border-radius:6px;padding:.15rem .4rem;max-width:100%}
.controls select{overflow:hidden;text-overflow:ellipsis}
.controls fieldset{display:flex;flex-wrap:wrap;gap:.2rem .9rem;border:0;padding:0;margin:0;min-width:0}.controls legend{float:left;padding:0;margin-right:.9rem}
.controls :focus-visible{outline:3px solid var(--link);outline-offset:2px}
footer{margin-top:4rem;padding-top:1rem;border-top:1px solid var(--line);color:var(--soft);font-size:.875rem}`;

const tables = `
.scroll{overflow-x:auto;container-type:inline-size;margin:.75rem 0 1.25rem;position:relative}
table{border-collapse:collapse;width:100%;font-size:.925rem;font-variant-numeric:tabular-nums}
caption{text-align:left;color:var(--soft);padding:.25rem 0 .5rem;font-size:.9rem;position:sticky;left:0;max-width:100cqi}
th,td{text-align:left;vertical-align:baseline;padding:.4rem .75rem .4rem 0;border-bottom:1px solid var(--line);font-weight:400;min-width:4rem}
th:first-child,td:not([class]){min-width:7.25rem}.num td:not([class]){min-width:0}
thead th{color:var(--soft);font-size:.82rem;vertical-align:bottom;border-bottom-color:var(--strong)}
tr>:last-child{padding-right:0}
.n,.num td,.num thead th:not(:first-child){text-align:right;white-space:nowrap}
.num .x,.num thead th.x{text-align:left;white-space:normal;min-width:5.25rem}
.num tbody th:not([colspan]){position:sticky;left:0;background:var(--page)}
.w{min-width:14rem}.num .w{width:260px;padding-left:1.25rem}
.num tbody th .tag{white-space:normal}
.num .missing{position:sticky;left:8rem;display:inline-block;vertical-align:top;max-width:calc(100cqi - 8.5rem)}
@media(max-width:36rem){.stack thead{position:absolute;clip-path:inset(50%);width:1px;height:1px;overflow:hidden}.stack,.stack caption,.stack tbody,.stack tr,.stack th,.stack td{display:block;text-align:left;white-space:normal}.stack tr{padding:.6rem 0;border-bottom:1px solid var(--line)}.stack tr>*{border:0;padding:.1rem 0;min-width:0}.stack td::before{content:attr(data-label) ': ';color:var(--soft);font-size:.85em}}
.num td.w{vertical-align:middle}
@media(max-width:36rem){.rows,.rows caption,.rows tbody{display:block}.rows thead{position:absolute;clip-path:inset(50%);width:1px;height:1px;overflow:hidden}.rows tr{display:grid;grid-template-columns:1fr auto;gap:.1rem .75rem;padding:.45rem 0;border-bottom:1px solid var(--line)}.rows tr[hidden]{display:none}.rows .g,.rows .unfold{display:block;padding:0;border:0}.rows.num tr>:is(th,td):not(.more){border:0;padding:0;min-width:0;white-space:normal;position:static}.rows.num tr>td:nth-child(3):not(.more){grid-row:2/4;text-align:left}.rows.num tr>td:nth-child(4){grid-row:2}.rows.num tr>td:nth-child(5){grid-row:3}.rows.num tr>td:nth-child(5)::after{content:' trials'}.rows.num tr>td:nth-child(6){grid-column:1/-1;grid-row:4;width:auto}.rows.num tr>td[colspan]:not(.more){grid-column:1/-1;text-align:left}.rows .missing{position:static;max-width:none}}
tbody tr:last-child>*{border-bottom-color:var(--line)}
@media(max-width:36rem){nav[aria-label=Contents]{display:none}}
.g th{padding-top:1.4rem;border-bottom:0;font-weight:600}
.g .row{position:sticky;left:0;max-width:100cqi;display:flex;flex-wrap:wrap;gap:.1rem 1rem;justify-content:space-between;align-items:baseline}
.g small{font-weight:400}
.num .more,.num .more td,.num .more th{text-align:left;white-space:normal;padding-top:0}.num .more .n{text-align:right;white-space:nowrap}.num .more th{position:static;background:none}
.more>details{position:sticky;left:0;width:100cqi;border:0}.more>details>summary{color:var(--link);font-size:.875rem}.more h4{margin:.75rem 0 .25rem}
tbody:target .g th{background:var(--warn-wash)}
.faster,.slower,.equivalent,.undecided,.answer{white-space:nowrap;font-weight:600}
.faster,.answer.good{color:var(--good)}.slower,.answer.bad{color:var(--bad)}.undecided,.answer.warn{color:var(--warn)}
td>b+small{display:block}
.verdict{font-size:1.15rem}
.lead>p>.answer{font-size:1.6rem;line-height:1.2;white-space:normal}
td b,.strong>tbody>tr>td:nth-child(2):not([colspan]){font-weight:600}
.t::before{content:'';display:inline-block;width:.62rem;height:.62rem;border-radius:50%;background:var(--t);margin-right:.5rem;print-color-adjust:exact;-webkit-print-color-adjust:exact}`;

const figures = `
svg{display:block;max-width:100%;overflow:visible}
.k{width:100%;max-width:330px;height:auto;font-size:10px}
.k text{fill:var(--soft);font-variant-numeric:tabular-nums}.k .e{text-anchor:end}
.k .win{fill:currentColor;fill-opacity:.12}.k .dot{stroke:currentColor;stroke-width:3;stroke-linecap:round}.k .seg{stroke:var(--ink);stroke-width:1.5;fill:none}
.k .f{stroke:var(--line);fill:none}
.k .h{fill:none;stroke:currentColor;stroke-width:11}
.k [class^=r-]{stroke:var(--raised);stroke-width:.4}
.lanes{width:100%;font-size:11px}
.lanes text{fill:var(--soft);font-variant-numeric:tabular-nums}.lanes .e{text-anchor:end}
.lanes path{stroke:var(--t);stroke-width:8;fill:none}
.lanes .r-js-main,.lanes .r-js-worker{stroke-width:16}.lanes .r-foreign{stroke-width:3}
.lanes .f{stroke:var(--line);stroke-width:1}
figure{margin:0;overflow-x:clip}
.growth{margin:2rem 0 2.5rem}
.growth figcaption p{margin:.2rem 0 .6rem;color:var(--soft);font-size:.925rem}
.legend{display:flex;flex-wrap:wrap;gap:.2rem 1.2rem;list-style:none;padding:0;margin:.25rem 0 .5rem;font-size:.925rem;max-width:none}
.legend li{display:flex;align-items:center;gap:.4rem;margin:0}
.swatch{width:14px;height:14px;flex:none}
.panels{display:grid;grid-template-columns:repeat(auto-fit,minmax(min(100%,19rem),1fr));gap:1rem 1.75rem}
.panel{max-width:26rem}
.panel-name{margin:.5rem 0 0;font-weight:600;font-size:.925rem}
.course{max-width:38rem;margin:1.25rem 0}
.course figcaption{color:var(--soft);font-size:.925rem;margin-top:.3rem}
.forest{max-width:46rem;margin:1.25rem 0 1.75rem}
.forest figcaption{color:var(--soft);font-size:.925rem}
.forest ul{list-style:none;padding:0;margin:.5rem 0 0;max-width:none}
.forest li{margin:0;padding:.55rem 0 .2rem;border-top:1px solid var(--line)}
.forest li p{margin:0}.forest li .soft{font-size:.875rem}
.compact{max-width:none}
@media(min-width:48rem){.compact li{display:grid;grid-template-columns:1fr 1fr;column-gap:1.5rem;padding:.35rem 0}.compact li p{grid-column:1}.compact li svg{grid-column:2;grid-row:1/3;align-self:center}.compact>svg,.compact>details>svg{width:calc(50% - .75rem);margin-left:auto}}
.line{width:100%;font-size:12px}
.line text{fill:var(--soft);text-anchor:middle;font-variant-numeric:tabular-nums}
.line .g{stroke:var(--line)}.line .one{stroke:var(--strong);stroke-dasharray:4 3}
.line .p{fill:var(--page);stroke:var(--ink);stroke-width:1.5}.line .range{fill:var(--ink);fill-opacity:.13}
.line .i{stroke:var(--c0);stroke-width:4;stroke-opacity:.55}.line .m{fill:var(--c0);stroke:var(--c0);stroke-width:2}.line .open{fill:var(--page)}
.lin .log,:root:not(.lin) .linear{display:none}
.axes{display:flex;align-items:center;gap:.35rem;margin:.25rem 0}
.plot{width:100%;height:auto;font-size:11px;font-variant-numeric:tabular-nums}
details{margin:.4rem 0}
summary{cursor:pointer;padding:.3rem 0}
.part>summary{margin-top:1.25rem;border-top:1px solid var(--line);padding:.75rem 0 0;list-style-position:outside}
@media(max-width:48rem){.part>summary{list-style-position:inside}}
.part h2{display:inline;border:0;font-size:1.15rem}
.case{border-bottom:1px solid var(--line)}
.case>summary{padding:.55rem 0}
.case>summary b{font-weight:600}
.case[open]{padding-bottom:1.5rem}
.cards{display:grid;grid-template-columns:repeat(auto-fill,minmax(min(100%,18rem),1fr));gap:1rem;margin:.75rem 0}
.card{background:var(--raised);border:1px solid var(--line);border-radius:8px;padding:1rem}
.wide{grid-column:1/-1}
.card .of{font-weight:600;color:inherit;font-size:.925rem;margin:0 0 .5rem}
.card dl{display:grid;grid-template-columns:repeat(4,auto);gap:.5rem;margin:.25rem 0 1rem}
.card dt{font-size:.78rem;line-height:1.25;color:var(--soft)}
.card dd{margin:0;font-weight:600;font-variant-numeric:tabular-nums}
.card p,.card figcaption{font-size:.82rem;color:var(--soft);margin:.35rem 0 .9rem}
.card table{font-size:.82rem}.card th,.card td{min-width:0;padding-right:.5rem}`;

const media = `
@media print{
:root{${light}}
html{font-size:10pt;background:#fff}
body{max-width:none;padding:0}
nav,.skip,button,.download,.controls,.axes{display:none}
h2{margin-top:2rem}h2,h3,h4,summary,caption,.g{break-after:avoid}
.scroll{overflow:visible}tr,.card,.panel{break-inside:avoid}
details::details-content{content-visibility:visible;display:block;height:auto}
}
@media(prefers-reduced-motion:no-preference){html{scroll-behavior:smooth}}`;

/** The stylesheet of a page with these parts, without line ends. */
export function stylesheetWith(parts: readonly string[]): string {
  return [
    colours,
    text,
    page,
    tables,
    figures,
    ...new Set(parts),
    ...curveClasses,
    ...roleClasses,
    ...shadeClasses,
    media,
  ]
    .join('')
    .replaceAll('\n', '');
}
