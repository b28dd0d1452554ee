/** The front page's style: system fonts, both themes, nothing from outside. Colours keep a contrast of 4.5 : 1 or more for text. */
export const style = `
:root {
  color-scheme: light dark;
  --paper: #fbfaf8; --card: #ffffff; --ink: #1d2129; --soft: #5b6270; --line: #e3e1dc; --code: #f3f1ec;
  --accent: #1f5fbf; --good: #17703b; --good-paper: #e4f3e9; --warn: #8a4b00; --warn-paper: #fdf0dc; --shade: #0003;
}
@media (prefers-color-scheme: dark) {
  :root {
    --paper: #14161a; --card: #1b1e24; --ink: #e7e8ea; --soft: #a2a8b3; --line: #2e323a; --code: #22262d;
    --accent: #86b4ff; --good: #7fd6a0; --good-paper: #17301f; --warn: #f2bd74; --warn-paper: #35270f; --shade: #000a;
  }
}
* { box-sizing: border-box; }
html { -webkit-text-size-adjust: 100%; }
body {
  margin: 0; background: var(--paper); color: var(--ink);
  font: 16px/1.6 system-ui, -apple-system, "Segoe UI", Roboto, "Helvetica Neue", "Liberation Sans", sans-serif;
}
main { max-width: 54rem; margin: 0 auto; padding: 3rem 1.5rem 4rem; }
header { display: flex; flex-wrap: wrap; align-items: center; gap: .5rem 1rem; }
h1 { margin: 0; font-size: 1.75rem; line-height: 1.2; letter-spacing: -.02em; }
h1 small { margin-left: .4rem; font-size: .9375rem; font-weight: 400; letter-spacing: 0; color: var(--soft); }
h2 { margin: 2.75rem 0 .75rem; font-size: 1.125rem; line-height: 1.3; }
h3 { margin: 0 0 .25rem; font-size: 1rem; }
p { margin: .5rem 0; max-width: 42rem; }
a { color: var(--accent); text-underline-offset: .15em; }
a:focus-visible, pre:focus-visible, .scroll:focus-visible { outline: 2px solid var(--accent); outline-offset: 2px; }
.soft { color: var(--soft); }
.state { padding: .125rem .75rem; border-radius: 1rem; font-size: .875rem; font-weight: 600; }
.ready { color: var(--good); background: var(--good-paper); }
.unready { color: var(--warn); background: var(--warn-paper); }
.base { margin: 1.5rem 0 0; padding: .875rem 1.125rem; border: 1px solid var(--line); border-radius: .625rem; background: var(--card); }
.base dt { font-size: .875rem; color: var(--soft); }
.base dd { margin: 0; font-size: 1.125rem; overflow-wrap: anywhere; }
.base dd + dt { margin-top: .75rem; }
code, pre { font-family: ui-monospace, SFMono-Regular, Menlo, Consolas, "DejaVu Sans Mono", monospace; }
code { font-size: .9em; }
p code, li code { padding: .1em .35em; border-radius: .25rem; background: var(--code); overflow-wrap: anywhere; }
pre {
  margin: .5rem 0 1.25rem; padding: 1rem 1.125rem; overflow-x: auto; border: 1px solid var(--line); border-radius: .625rem;
  background: var(--code); font-size: .8125rem; line-height: 1.55; tab-size: 2;
}
pre code, li pre code { padding: 0; background: none; font-size: inherit; overflow-wrap: normal; }
.scroll {
  overflow-x: auto; border: 1px solid var(--line); border-radius: .625rem;
  /* Where there is more to the side, its edge has a shadow: the first two layers move with the table and cover the other two. */
  background:
    linear-gradient(to right, var(--card) 33%, transparent) 0 0 / 3rem 100% no-repeat local,
    linear-gradient(to left, var(--card) 33%, transparent) 100% 0 / 3rem 100% no-repeat local,
    linear-gradient(to right, var(--shade), transparent) 0 0 / 1rem 100% no-repeat scroll,
    linear-gradient(to left, var(--shade), transparent) 100% 0 / 1rem 100% no-repeat scroll, var(--card);
}
table { width: 100%; border-collapse: collapse; font-variant-numeric: tabular-nums; }
th, td { padding: .625rem 1.125rem; text-align: left; white-space: nowrap; }
th { font-size: .8125rem; font-weight: 600; color: var(--soft); }
td { border-top: 1px solid var(--line); }
th:first-child, td:first-child { min-width: 9.5rem; white-space: normal; overflow-wrap: anywhere; }
td small { display: block; font-size: .8125rem; color: var(--soft); }
.number { text-align: right; }
.words { white-space: normal; }
td.whole:first-child { overflow-wrap: normal; }
.ways { margin: 1rem 0 0; padding: 0; list-style: none; display: grid; gap: 1rem; }
.ways > li { padding: 1rem 1.125rem .25rem; border: 1px solid var(--line); border-radius: .625rem; background: var(--card); min-width: 0; }
footer { margin-top: 3rem; padding-top: 1rem; border-top: 1px solid var(--line); font-size: .9375rem; }
footer a { margin-right: 1.25rem; }
@media (max-width: 34rem) {
  main { padding: 2rem 1rem 3rem; }
  th, td { padding: .5rem .25rem; font-size: .875rem; }
  th:first-child, td:first-child { min-width: 6.5rem; padding-left: .75rem; }
  th:last-child, td:last-child { padding-right: .75rem; }
  th { white-space: normal; vertical-align: bottom; font-size: .75rem; }
}
@media (max-width: 24rem) {
  main { padding: 1.5rem .75rem 2.5rem; }
  td { font-size: .8125rem; }
  th:first-child, td:first-child { min-width: 5.5rem; padding-left: .5rem; }
  th:last-child, td:last-child { padding-right: .5rem; }
}
`
