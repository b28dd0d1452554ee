import type { FrontPageFacts, FrontPageModel, FrontPageRouter } from './front-page-facts.ts'
import { Html, html } from './html.ts'
import { style } from './style.ts'

/** The page at `/`: static, without script, in both themes, nothing from outside. All values are escaped. */
export function frontPage(facts: FrontPageFacts): string {
  const { state } = facts
  const page = html`<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<title>anyrouter</title>
<link rel="icon" href="data:,">
<style>${new Html(style)}</style>
</head>
<body>
<main>
<header>
<h1>anyrouter<small>${facts.version}</small></h1>
${stateMark(facts)}
</header>
${state === 'unready' ? html`<p>There are models, but no backend can be used at the moment. <a href="/readyz">/readyz</a> says more.</p>` : ''}
<dl class="base"><dt>Base URL, for any OpenAI SDK</dt><dd><code>${facts.origin}/v1</code></dd>
<dt>Base URL, for clients of OpenRouter</dt><dd><code>${facts.origin}/api/v1</code></dd>${
    facts.speaksAnthropic
      ? html`
<dt>Base URL, for any Anthropic SDK</dt><dd><code>${facts.origin}</code></dd>`
      : ''
  }</dl>
${state === 'no_provider' ? waysOn() : served(facts)}
<footer>
<p><a href="/swagger">Swagger</a><a href="/readyz">/readyz</a><a href="/healthz">/healthz</a></p>
<p class="soft">Documentation: <code>README.md</code> and the folder <code>docs/</code> beside the source.</p>
</footer>
</main>
</body>
</html>
`
  return page.text
}

function stateMark({ state }: FrontPageFacts): Html {
  switch (state) {
    case 'ready':
      return html`<span class="state ready">ready</span>`
    case 'unready':
      return html`<span class="state unready">not ready</span>`
    case 'no_provider':
      return html`<span class="state unready">no provider yet</span>`
  }
}

const MODELS_FIRST_MAX = 12

/** A long list comes last: nobody scrolls past hundreds of models to the first request. */
function served(facts: FrontPageFacts): Html[] {
  const sections = [html`${models(facts.models)}${routers(facts)}`, tryIt(facts)]
  return facts.models.length > MODELS_FIRST_MAX ? sections.reverse() : sections
}

function models(all: readonly FrontPageModel[]): Html {
  return html`<section>
<h2 id="models">Models</h2>
<div class="scroll" role="region" aria-labelledby="models" tabindex="0">
<table>
<thead><tr><th scope="col">Model</th><th scope="col" class="number">Input, per M</th><th scope="col" class="number">Output, per M</th>\
<th scope="col" class="number">Context</th><th scope="col" class="number">Backends up</th></tr></thead>
<tbody>
${all.map(modelRow)}</tbody>
</table>
</div>
<p class="soft">Prices in USD per million tokens. Programs list models at <code>/v1/models</code>, with a key.</p>
</section>`
}

function modelRow({
  id,
  aliases,
  inputPrice,
  outputPrice,
  contextTokensMax,
  backendsUp,
  backends,
}: FrontPageModel): Html {
  const also = aliases.length === 0 ? '' : html`<small>also ${aliases.join(', ')}</small>`
  const context = contextTokensMax === null ? '–' : contextTokensMax.toLocaleString('en-US')
  return html`<tr><td><code>${id}</code>${also}</td><td class="number">${inputPrice ?? '–'}</td><td class="number">${outputPrice ?? '–'}</td>\
<td class="number">${context}</td><td class="number">${backendsUp} of ${backends}</td></tr>
`
}

const ROUTER_MODELS_MAX = 3

/** Names to ask for in place of a model. */
function routers({ routers: all, models: { length } }: FrontPageFacts): Html | string {
  if (all.length === 0) return ''
  return html`<section>
<h2 id="routers">Router models</h2>
<div class="scroll" role="region" aria-labelledby="routers" tabindex="0">
<table>
<thead><tr><th scope="col">Name</th><th scope="col" class="words">Each request gets</th><th scope="col" class="words">Of the models</th></tr></thead>
<tbody>
${all.map((router) => routerRow(router, length))}</tbody>
</table>
</div>
</section>`
}

function routerRow({ id, by, freeOnly, models: its }: FrontPageRouter, count: number): Html {
  const more = its.length - ROUTER_MODELS_MAX
  const some = its.slice(0, ROUTER_MODELS_MAX).join(', ')
  const of = its.length === count && count > 1 ? 'all' : more > 0 ? `${some} and ${more} more` : some
  return html`<tr><td class="whole"><code>${id}</code></td><td class="words">${freeOnly ? 'one that costs nothing' : CHOICES[by]}</td>\
<td class="words">${of}</td></tr>
`
}

const CHOICES: Readonly<Record<FrontPageRouter['by'], string>> = {
  needs: 'one that fits it',
  price: 'the cheapest',
  order: 'the first that can',
}

/** How a first request is sent. */
interface FirstRequest {
  readonly curl: string
  /** Of whom the SDK is. */
  readonly maker: string
  readonly sdk: string
}

function chatRequest(origin: string, model: string): FirstRequest {
  const baseUrl = `${origin}/v1`
  return {
    curl: curlOf(`${baseUrl}/chat/completions`, { model, messages: HELLO }),
    maker: 'OpenAI',
    sdk: `import OpenAI from "openai"

const client = new OpenAI({ baseURL: ${JSON.stringify(baseUrl)}, apiKey: "YOUR_KEY" })
const answer = await client.chat.completions.create({
  model: ${JSON.stringify(model)},
  messages: [{ role: "user", content: "Hello" }],
})
console.log(answer.choices[0].message.content)`,
  }
}

function messageRequest(origin: string, model: string): FirstRequest {
  return {
    curl: curlOf(`${origin}/v1/messages`, { model, max_tokens: 256, messages: HELLO }),
    maker: 'Anthropic',
    sdk: `import Anthropic from "@anthropic-ai/sdk"

const client = new Anthropic({ baseURL: ${JSON.stringify(origin)}, apiKey: "YOUR_KEY" })
const answer = await client.messages.create({
  model: ${JSON.stringify(model)},
  max_tokens: 256,
  messages: [{ role: "user", content: "Hello" }],
})
console.log(answer.content[0].text)`,
  }
}

const HELLO = [{ role: 'user', content: 'Hello' }]

const curlOf = (url: string, body: object): string => `curl -i ${url} \\
  -H 'Authorization: Bearer YOUR_KEY' -H 'content-type: application/json' \\
  -d '${JSON.stringify(body)}'`

function tryIt({ origin, models: all }: FrontPageFacts): Html {
  const first = all.find(({ backendsUp }) => backendsUp > 0) ?? all[0]
  const request = first?.chats === false ? messageRequest : chatRequest
  const { curl, maker, sdk } = request(origin, first?.id ?? '')
  return html`<section>
<h2>Try it</h2>
<p><code>YOUR_KEY</code> is what the first start or <code>anyrouter keys create</code> printed. \
Every operation can be tried in <a href="/swagger">Swagger</a>.</p>
<pre tabindex="0"><code>${curl}</code></pre>
<p>With the ${maker} SDK, in JavaScript; in every other language the base URL and the key are all that changes:</p>
<pre tabindex="0"><code>${sdk}</code></pre>
<h2>Where did the time go?</h2>
<p>Look at <code>Server-Timing</code> of every answer to a request like these: <code>gw</code> is the gateway, <code>upstream</code> the provider, \
<code>post</code> the rest. They add up to <code>total</code>, to the last digit.</p>
</section>`
}

/** The empty state: what to do next, each a way that works. */
function waysOn(): Html {
  const key = 'OPENAI_API_KEY=... anyrouter'
  const local = `# anyrouter.yaml
providers:
  local:
    backends:
      ollama: { url: "http://127.0.0.1:11434/v1", slots: 2 }
models:
  llama3.2:
    offers: [{ backend: ollama }]`
  return html`<section>
<h2>Three ways on</h2>
<ol class="ways">
<li><h3>See it work, with no account anywhere</h3>
<p>Two simulated providers, inside the process.</p>
<pre tabindex="0"><code>anyrouter serve --demo</code></pre></li>
<li><h3>Use a provider you have a key for</h3>
<p>OpenAI, Anthropic, OpenRouter, Groq, Mistral, DeepSeek, Gemini, Together, Fireworks, xAI: each by its variable. \
<code>anyrouter init</code> writes a configuration to begin with.</p>
<pre tabindex="0"><code>${key}</code></pre></li>
<li><h3>Use a model on your own machine</h3>
<p>Ollama, vLLM, llama.cpp: a backend like any other. Without a price it serves unmetered accounts, such as the one that the \
first start made.</p>
<pre tabindex="0"><code>${local}</code></pre></li>
</ol>
</section>`
}
