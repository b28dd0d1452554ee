import { html } from './html.ts'
import { swaggerStyle } from './swagger-style.ts'

/** The page around Swagger UI: `/swagger` and what it loads from below it. Nothing comes from outside. */
export function swaggerPage(version: string): { html: string; style: string; script: string } {
  const page = html`<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<title>anyrouter · Swagger</title>
<link rel="icon" href="/favicon.ico" type="image/svg+xml">
<link rel="stylesheet" href="/swagger/ui.css">
<link rel="stylesheet" href="/swagger/page.css">
</head>
<body>
<header class="page">
<h1>anyrouter<small>${version}</small></h1>
<nav><a href="/">What is served</a><a href="/swagger/json">OpenAPI document</a></nav>
</header>
<noscript><p class="without">Swagger UI needs JavaScript. The document itself is at <a href="/swagger/json">/swagger/json</a>.</p></noscript>
<main id="swagger"></main>
<script src="/swagger/ui.js"></script>
<script src="/swagger/page.js"></script>
</body>
</html>
`
  return { html: page.text, style: swaggerStyle, script: SCRIPT }
}

/** Follows the system's theme, and starts Swagger UI without its request to validator.swagger.io. */
const SCRIPT = `'use strict'
const dark = matchMedia('(prefers-color-scheme: dark)')
const follow = () => document.documentElement.classList.toggle('dark-mode', dark.matches)
dark.addEventListener('change', follow)
follow()
SwaggerUIBundle({
  url: '/swagger/json',
  dom_id: '#swagger',
  deepLinking: true,
  validatorUrl: null,
  displayRequestDuration: true,
  defaultModelsExpandDepth: 0,
  tryItOutEnabled: true,
})
`
