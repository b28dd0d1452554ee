/** What a configuration to begin with is made of. */
export interface InitWish {
  readonly port: number
  /** Known providers; null leaves it to the keys in the environment. */
  readonly presets: readonly string[] | null
  /** A server of one's own, and the model it serves. */
  readonly local: { readonly url: string; readonly model: string } | null
}

/** The commented configuration: everything in it is in force or a comment. */
export function initText(wish: InitWish): string {
  return [HEAD, serverText(wish.port), presetsText(wish), providersText(wish), FOOT].join('\n')
}

const HEAD = `# anyrouter.yaml. Check it: anyrouter check. Every setting, with its default: docs/operating/anyrouter.example.yaml
# No secret is written here: credentials name an environment variable (env) or a file.
`

const serverText = (port: number): string => `server:
  host: 127.0.0.1          # this machine alone; 0.0.0.0 opens it to others: put Caddy or nginx with TLS in front
  port: ${port}
  # trust_proxy: [127.0.0.1]          # the proxy in front: whose X-Forwarded-For is believed
  # cors: [https://app.example.com]   # pages that may call from a browser
`

/** On by itself only while no provider is described. */
function presetsText({ presets, local }: InitWish): string {
  const about = `# Known providers, each switched on by its key in the environment: OPENAI_API_KEY, ANTHROPIC_API_KEY, OPENROUTER_API_KEY, GROQ_API_KEY,
# MISTRAL_API_KEY, DEEPSEEK_API_KEY, GEMINI_API_KEY, TOGETHER_API_KEY, FIREWORKS_API_KEY, XAI_API_KEY. Their models are called openai/gpt-4o-mini, at the
# provider's own prices. on: all whose key is set; a list such as [openai, groq]: these, and their keys must be set; off: none.
`
  if (presets === null) return `${about}presets: on\n`
  return `${about}presets: ${presets.length === 0 ? 'off' : `[${presets.join(', ')}]`}${presets.length === 0 && local === null ? NOTHING : ''}\n`
}

const NOTHING = '                # nothing can be served until a provider is described below'

const EXAMPLE = `# Any OpenAI-compatible server is a provider: Ollama (http://127.0.0.1:11434/v1), vLLM (http://127.0.0.1:8000/v1),
# llama.cpp (http://127.0.0.1:8081/v1), or a service:
#
# providers:
#   acme:
#     credentials: [{ id: main, env: ACME_API_KEY }]
#     backends:
#       acme: { url: https://api.acme.example/v1, slots: 64 }    # slots: requests at the same time
# models:
#   small:                                # what your clients ask for
#     offers:                             # tried in this order; USD per million tokens
#       - { backend: acme, as: small-2026, price: { input: "0.15", output: "0.60" } }
`

function providersText({ local }: InitWish): string {
  if (local === null) return EXAMPLE
  const model = JSON.stringify(local.model)
  return `${EXAMPLE}
providers:
  local:
    backends:
      local: { url: ${JSON.stringify(local.url)}, slots: 4 }    # slots: requests at the same time

models:
  ${model}:
    offers:                  # without a price only unmetered accounts are served; price: { input: "0.02", output: "0.08" }
      - { backend: local }
`
}

const FOOT = `# aliases: { gpt-4o: small }   # other names of models
`
