"""The style sheet of HTML documents, for screen, phone and print, light and dark."""

from __future__ import annotations

#: Colours are those of ui/src/tokens.css (ADR 0021). Figures are drawn on white; on a dark screen
#: they are inverted, hues kept.
CSS = """
:root { color-scheme: light dark; --page: #f6f7f9; --card: #fff; --rule: #dfe4e9; --ink: #1b2630;
  --soft: #56636f; --own: #0072b2; --sunk: #eef1f4; --green: #00795a; --yellow: #926400;
  --red: #b3261e; --undecided: #56636f; }
@media (prefers-color-scheme: dark) { :root { --page: #0e151b; --card: #151e26; --rule: #26323c;
  --ink: #e8edf1; --soft: #9dabb7; --own: #56b4e9; --sunk: #0f171e; --green: #35c79a;
  --yellow: #f0c24b; --red: #ff8a73; --undecided: #9dabb7; } }
* { box-sizing: border-box; }
body { margin: 0; background: var(--page); color: var(--ink);
  font: 15px/1.5 system-ui, -apple-system, "Segoe UI", Roboto, "DejaVu Sans", sans-serif; }
main { max-width: 1040px; margin: 0 auto; padding: 24px clamp(12px, 3vw, 32px); }
header p.kind { margin: 0; color: var(--soft); font-size: 13px; }
h1 { margin: 0 0 12px; font-size: 24px; line-height: 1.25; overflow-wrap: anywhere; }
h2 { margin: 36px 0 12px; font-size: 19px; }
h3 { margin: 0 0 8px; font-size: 15px; }
h3 small { font-weight: 400; font-size: 13px; color: var(--soft); }
p { margin: 6px 0; overflow-wrap: anywhere; }
section { background: var(--card); border: 1px solid var(--rule); border-radius: 10px;
  padding: 14px 16px; margin: 0 0 14px; }
.verdict { border-left: 6px solid var(--light); font-size: 16px; }
.verdict b.light { color: var(--light); text-transform: capitalize; margin-right: 6px; }
.green { --light: var(--green); } .yellow { --light: var(--yellow); } .red { --light: var(--red); }
.undecided { --light: var(--undecided); }
dl.facts { display: grid; grid-template-columns: repeat(auto-fit, minmax(150px, 1fr)); gap: 12px;
  margin: 12px 0 4px; }
dl.facts dt { color: var(--soft); font-size: 13px; }
dl.facts dd { margin: 0; font-size: 19px; font-weight: 600; }
dl.facts dd small { display: block; font-size: 13px; font-weight: 400; color: var(--soft); }
.scroll { overflow-x: auto; margin: 8px 0; }
.scroll:focus-visible { outline: 2px solid var(--own); }
table { border-collapse: collapse; font-size: 13.5px; font-variant-numeric: tabular-nums; }
th, td { padding: 4px 14px 4px 0; text-align: left; vertical-align: top; max-width: 26em; }
td { border-top: 1px solid var(--rule); } thead td { border: 0; }
thead th { font-weight: 600; color: var(--soft); white-space: nowrap; }
tbody th { font-weight: 600; border-top: 1px solid var(--rule); min-width: 6em; }
.right { text-align: right; white-space: nowrap; }
.whole { white-space: nowrap; }
.bar { display: inline-block; width: 110px; height: 9px; border-radius: 2px;
  background: var(--sunk); border: 1px solid var(--rule); overflow: hidden; }
.bar i { display: block; height: 100%; background: var(--own); }
figure { margin: 12px 0; }
figcaption { font-size: 13px; color: var(--soft); }
figcaption b { display: block; font-size: 14px; color: var(--ink); margin-bottom: 2px; }
.picture { background: #fff; border-radius: 6px; padding: 6px; }
.picture svg, .picture img { display: block; width: 100%; height: auto; min-width: 600px; }
pre { background: var(--sunk); border: 1px solid var(--rule); border-radius: 6px;
  margin: 2px 0 10px; padding: 8px 10px; overflow-x: auto;
  font: 13px/1.45 ui-monospace, "DejaVu Sans Mono", monospace; }
footer { color: var(--soft); font-size: 13px; margin-top: 24px; overflow-wrap: anywhere; }
@media screen and (prefers-color-scheme: dark) {
  .picture { filter: invert(.92) hue-rotate(180deg); } }
@media print {
  :root { color-scheme: light; --page: #fff; --card: #fff; --ink: #1b2630; --soft: #56636f;
    --rule: #dfe4e9; --own: #0072b2; --sunk: #eef1f4; --green: #00795a; --yellow: #926400;
    --red: #b3261e; --undecided: #56636f; }
  body { font-size: 10pt; } main { max-width: none; padding: 0; }
  section { border: 0; padding: 0; break-inside: auto; }
  .verdict { border-left: 6px solid var(--light); padding-left: 12px; }
  h2, h3 { break-after: avoid; } figure, tr { break-inside: avoid; }
  .scroll { overflow: visible; } table { font-size: 8.5pt; } .right, .whole { white-space: normal; }
  .picture svg, .picture img { min-width: 0; } pre { white-space: pre-wrap; }
  .bar, .bar i { print-color-adjust: exact; } }
"""
