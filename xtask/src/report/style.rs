//! What classes look like, on a light page and on a dark one.

use super::colour::{KINDS, STEPS, step};

/// The style of drawings: the same in the page and in the files beside it. No CSS variables, which programs that print
/// do not know.
pub(super) fn drawing() -> String {
    let light = sheet(|kind| kind.0.to_owned(), |i| step(i).0.to_string());
    let dark = sheet(|kind| kind.1.to_owned(), |i| step(i).1.to_string());
    format!("{FIXED}{LIGHT}{light}@media screen and (prefers-color-scheme:dark){{{DARK}{dark}}}")
}

fn sheet(kind: impl Fn((&str, &str)) -> String, step: impl Fn(usize) -> String) -> String {
    let kinds = KINDS.iter().enumerate().map(|(i, &pair)| format!(".fig .k{i}{{color:{}}}", kind(pair)));
    let steps = (0..STEPS).map(|i| format!(".fig .r{i}{{color:{}}}", step(i)));
    kinds.chain(steps).collect()
}

/// `t` text, `u` small text, `h` heading; `a` axis, `g` grid, `q` a level to compare with; `l` line, `n` thin line, `d`
/// dashed; `p` point, `o` open point, `i` point with a name in it, `b` border of a disc, `j` edge, `f` faint point, `e` error bar; `z` area; `w` published.
const FIXED: &str = "\
.fig{font-family:system-ui,-apple-system,'Segoe UI',Roboto,'DejaVu Sans',sans-serif;font-size:12px}\
.fig text{stroke:none}.fig .u{font-size:10px}.fig .v{font-size:8px}.fig .h{font-size:13px;font-weight:600}\
.fig .a,.fig .g,.fig .q{fill:none;stroke-width:1}.fig .q{stroke-dasharray:2 3;stroke-width:1.5}\
.fig .l{fill:none;stroke:currentColor;stroke-width:2;stroke-linejoin:round}\
.fig .n{fill:none;stroke:currentColor;stroke-width:1;stroke-opacity:.4}\
.fig .d{stroke-dasharray:7 4}.fig .j{fill:none;stroke:currentColor;stroke-width:1;stroke-opacity:.6}.fig .i{stroke-width:1}.fig .b{stroke-width:.7}\
.fig .p{fill:currentColor;stroke:none}.fig .f{fill:currentColor;stroke:none;fill-opacity:.55}\
.fig .o{stroke:currentColor;stroke-width:1.5}.fig .e{fill:none;stroke:currentColor;stroke-width:1.5}\
.fig .z{fill:currentColor;stroke:none;fill-opacity:.16}\
";

const LIGHT: &str = "\
.fig{background:#fff}.fig .bg{fill:#fff}.fig .t,.fig .h{fill:#1b1f24}.fig .u,.fig .v,.fig .m{fill:#4b535d}.fig .v{fill:#1b1f24}\
.fig .a{stroke:#6a737d}.fig .g{stroke:#e3e7ec}.fig .q{stroke:#6a737d}.fig .o,.fig .i{fill:#fff}.fig .i{stroke:#1b1f24}.fig .b{stroke:#1b1f24}.fig .w{color:#8a919a}\
";

const DARK: &str = "\
.fig{background:#14181d}.fig .bg{fill:#14181d}.fig .t,.fig .h{fill:#e6edf3}.fig .u,.fig .m{fill:#aab4bf}.fig .v{fill:#e6edf3}\
.fig .a{stroke:#8b949e}.fig .g{stroke:#2a3139}.fig .q{stroke:#9aa4ae}.fig .o,.fig .i{fill:#14181d}.fig .i{stroke:#e6edf3}.fig .b{stroke:#6e7781}.fig .w{color:#838c96}\
";

/// The style of the page around them.
pub(super) const PAGE: &str = "\
:root{color-scheme:light dark;--bg:#fff;--fg:#1b1f24;--soft:#4b535d;--rule:#d8dee4;--card:#f5f7f9;--link:#0a5fa8}\
@media screen and (prefers-color-scheme:dark){:root{--bg:#14181d;--fg:#e6edf3;--soft:#aab4bf;--rule:#333b44;--card:#1c2229;--link:#7cc0f5}}\
*{box-sizing:border-box}html{-webkit-text-size-adjust:100%}\
body{margin:0 auto;padding:24px 16px 64px;max-width:1180px;background:var(--bg);color:var(--fg);font:16px/1.5 system-ui,-apple-system,'Segoe UI',Roboto,'DejaVu Sans',sans-serif}\
h1{font-size:1.7rem;line-height:1.2;margin:0 0 .3em}h2{font-size:1.35rem;margin:2.2em 0 .4em;padding-top:.6em;border-top:2px solid var(--rule)}\
h3{font-size:1.1rem;margin:1.8em 0 .3em}h4{font-size:1rem;margin:1.2em 0 .2em}p{margin:.4em 0 .8em;max-width:76ch}a{color:var(--link)}code{font-size:.9em}\
nav a{margin-right:1.2em}.soft,figcaption{color:var(--soft)}.note{border-left:3px solid var(--rule);padding-left:.8em}\
.wide{overflow-x:auto;margin:.6em 0 1em}table{border-collapse:collapse;font-size:.875rem;font-variant-numeric:tabular-nums}\
th,td{text-align:left;vertical-align:top;padding:.35em .8em .35em 0;border-bottom:1px solid var(--rule)}th{font-weight:600}\
td.n,th.n{text-align:right}td.n,td:first-child{white-space:nowrap}th{vertical-align:bottom}.claims td{white-space:normal!important}dl{display:grid;grid-template-columns:max-content 1fr;gap:.2em 1em;margin:.6em 0;font-size:.9rem}\
dt{color:var(--soft)}dd{margin:0;overflow-wrap:anywhere}figure{margin:1em 0 2em}figcaption{font-size:.9rem;max-width:92ch;margin-top:.4em}\
figcaption strong{color:var(--fg)}.panels{display:flex;flex-wrap:wrap;gap:8px}.panels svg{max-width:100%;height:auto;flex:none}\
.grid{display:grid;gap:6px;justify-content:start}.grid svg{max-width:100%;height:auto}.legend{display:flex;flex-wrap:wrap;gap:.2em 1.1em;font-size:.82rem;margin:.4em 0}\
.legend span{display:inline-flex;align-items:center;gap:.4em}.legend svg{flex:none;background:none}\
.verdict{display:inline-block;padding:.1em .6em;border-radius:1em;font-size:.82rem;font-weight:600;border:1.5px solid currentColor;white-space:nowrap}\
.yes{color:#00795a}.no{color:#b54a00}.open{color:var(--soft);font-weight:500}\
@media screen and (prefers-color-scheme:dark){.yes{color:#3ccfa4}.no{color:#ff8a47}}\
details{margin:.6em 0}summary{cursor:pointer;color:var(--link)}\
.claims td[rowspan]{min-width:19em;max-width:32em;padding-right:1.6em}.claims td{max-width:30em}.claims tbody{border-top:2px solid var(--rule)}\
@media(max-width:720px){body{padding:14px 12px 48px}.grid{grid-template-columns:repeat(2,minmax(0,1fr))!important}.grid svg{width:100%;height:auto}.grid>span{display:none}\
table.cards,.cards tbody,.cards tr,.cards td{display:block;max-width:none!important;min-width:0!important}.cards thead{display:none}\
.cards tbody{border:1px solid var(--rule)!important;border-radius:6px;padding:.4em .8em;margin:.6em 0;background:var(--card)}.cards td{border:0;padding:.25em 0}\
.cards tr+tr{border-top:1px solid var(--rule);margin-top:.4em}\
.cards td[data-label]::before{content:attr(data-label);display:block;font-size:.75rem;color:var(--soft)}dl{grid-template-columns:1fr;gap:0}dd{margin-bottom:.4em}}\
@media print{details{display:block}}\
";
