/** What the page adds to Swagger UI's own style: a header, calmer surfaces, room on small screens, and a contrast of 4.5 : 1 for text. */
export const swaggerStyle = `
:root { --paper: #ffffff; --ink: #1d2129; --soft: #5b6270; --code: #f3f1ec; --accent: #1f5fbf; }
html.dark-mode { --paper: #1c2022; --ink: #e7e8ea; --soft: #a2a8b3; --code: #2b3033; --accent: #86b4ff; }
body { margin: 0; background: var(--paper); color: var(--ink); font: 16px/1.6 system-ui, -apple-system, "Segoe UI", Roboto, "Liberation Sans", sans-serif; }
.page { display: flex; flex-wrap: wrap; align-items: baseline; justify-content: space-between; gap: .25rem 2rem; max-width: 1420px; margin: 0 auto; padding: 1.25rem 20px 0; box-sizing: border-box; }
.page h1 { margin: 0; font-size: 1.5rem; line-height: 1.3; letter-spacing: -.02em; }
.page small { margin-left: .4rem; font-size: .9375rem; font-weight: 400; letter-spacing: 0; color: var(--soft); }
.page a, .without a { color: var(--accent); text-underline-offset: .15em; }
.page nav a { margin-right: 1.25rem; }
.page nav a:last-child { margin-right: 0; }
.without { margin: 2rem 20px; }
.swagger-ui .info { margin: 1rem 0 0; }
.swagger-ui .info hgroup.main { display: none; }
.swagger-ui .scheme-container, html.dark-mode .swagger-ui .scheme-container { margin: 0; padding: .75rem 0 1rem; background: none; box-shadow: none; }
.swagger-ui .markdown code, .swagger-ui .renderedMarkdown code,
html.dark-mode .swagger-ui .markdown code, html.dark-mode .swagger-ui .renderedMarkdown code { color: inherit; background: var(--code); font-weight: 400; }
.swagger-ui .opblock-tag { flex-wrap: wrap; gap: 0 .625rem; padding: .75rem 0; }
.swagger-ui .opblock-tag small { padding: 0; }
.swagger-ui .response-col_links { display: none; } /* no answer has any */
.swagger-ui .opblock-body textarea { min-height: 12rem; }
html.dark-mode .swagger-ui .examples__title, html.dark-mode .swagger-ui .examples-select__section-label, html.dark-mode .swagger-ui .header-col { color: var(--ink); }
.swagger-ui .parameter__in { color: var(--soft); }
.swagger-ui .language-json span[style*="rgb(211, 99, 99)"] { color: #ff9c9c !important; }
html:not(.dark-mode) .swagger-ui .btn.authorize { color: #17703b; border-color: #17703b; }
html:not(.dark-mode) .swagger-ui .btn.authorize svg { fill: #17703b; }
html:not(.dark-mode) .swagger-ui .btn.cancel { color: #b3261e; border-color: #b3261e; }
html.dark-mode .swagger-ui .opblock .opblock-section-header .btn.cancel { color: #ff8a80; border-color: #ff8a80; }
html:not(.dark-mode) .swagger-ui .btn.execute { background: #1f5fbf; border-color: #1f5fbf; }
html:not(.dark-mode) .swagger-ui .download-contents { background: #4b5160; }
html:not(.dark-mode) .swagger-ui .opblock-get .opblock-summary-method { background: #1f5fbf; }
html:not(.dark-mode) .swagger-ui .opblock-post .opblock-summary-method { background: #17703b; }
html:not(.dark-mode) .swagger-ui .opblock-put .opblock-summary-method { background: #8a4b00; }
html:not(.dark-mode) .swagger-ui .opblock-patch .opblock-summary-method { background: #0b6b6b; }
html:not(.dark-mode) .swagger-ui .opblock-delete .opblock-summary-method { background: #b3261e; }
@media (max-width: 34rem) {
  .swagger-ui .opblock-tag small { flex: 1 1 100%; order: 3; }
  .swagger-ui .opblock-tag .expand-operation { margin-left: auto; }
}
`
