/** Runs one case: builds its world, plays its requests, judges what was seen. */

import { SELF_KEY, StartRefused, type Adapter, type ModelSpec, type World, type WorldSpec } from "./adapter";
import { connect, send, type ClientResponse } from "./client";
import { evaluate, type Verdict } from "./evaluate";
import { MockBackend, type SeenRequest } from "./mock";
import type { Action, Case, Price, RequestAction, Setup, Step } from "./types";
import { resolve, type Vars } from "./values";
import type { Wire } from "./wire";

const DEFAULT_PRICE: Price = { in: 4, cached: 1, out: 10 };
const DEFAULT_BALANCE = 1_000_000;
const UPSTREAM_MODEL = "up-model-long-name-1";
const DEFAULT_MAX_OUTPUT = 4096; // tokens; the default balance must pay for it
const RSS_SAMPLE_MS = 200;
const MANY = 100; // repeats from which on memory is measured after a warm-up
const WARM_UP_SHARE = 0.2;

export type Outcome = "passed" | "failed" | "skipped";

export interface CaseResult {
  id: string;
  kind: string;
  risk: number;
  outcome: Outcome;
  /** The parts that were not judged. */
  partial: string[];
  failures: string[];
  reason?: string;
  /** What went over the wire, in words and bytes. */
  trace?: string;
  ms: number;
}

export interface RunOptions { limitMs?: number; trace?: boolean }

export async function runCase(testCase: Case, adapter: Adapter, options: RunOptions = {}): Promise<CaseResult> {
  const started = performance.now();
  const run = new Run(testCase, adapter);
  const done = (outcome: Outcome, failures: string[], partial: string[] = [], reason?: string): CaseResult => ({
    id: testCase.id, kind: testCase.kind, risk: testCase.risk, outcome, partial, failures,
    ...(reason === undefined ? {} : { reason }), ...(options.trace ? { trace: run.trace() } : {}), ms: Math.round(performance.now() - started),
  });
  const reason = whySkip(testCase, adapter);
  if (reason !== null) return done("skipped", [], [], reason);

  const limit = options.limitMs ?? defaultLimit(testCase);
  try {
    const verdict = await Promise.race([run.execute(), timeUp(limit)]);
    return done(verdict.failures.length > 0 ? "failed" : "passed", verdict.failures, verdict.unanswered);
  } catch (error) {
    if (error instanceof StartRefused && testCase.expect.start === "may_be_refused") return done("passed", []);
    return done("failed", [error instanceof TimeUp ? `time is up after ${limit} ms, ${run.progress()}` : `harness: ${error instanceof Error ? error.stack : error}`]);
  } finally {
    await run.tearDown();
  }
}

export function whySkip(testCase: Case, adapter: Adapter): string | null {
  if (testCase.exec === "unit" || testCase.exec === "browser") return `not a wire case (${testCase.exec})`;
  const actions = actionsOf(testCase);
  if (actions.some(action => "unit" in action)) return "not a wire case";
  const hooks = [...(testCase.setup?.hooks ?? []), ...(actions.some(action => "admin" in action) ? ["admin"] : [])];
  const missing = hooks.find(hook => !adapter.supports(hook));
  return missing === undefined ? null : `the adapter has no hook "${missing}"`;
}

const actionsOf = (testCase: Case): Action[] =>
  Array.isArray(testCase.client_request) ? testCase.client_request : [testCase.client_request];

class TimeUp extends Error {}

function timeUp(ms: number): Promise<never> {
  return new Promise((_, reject) => { setTimeout(() => reject(new TimeUp()), ms).unref(); });
}

/** 20 s of slack on top of all pauses of the case. */
function defaultLimit(testCase: Case): number {
  const scripts = [testCase.upstream_script, ...Object.values(testCase.upstreams ?? {}).flat()];
  const scriptMs = Math.max(...scripts.map(script => script.reduce((sum, step) => sum + (step.sleep_ms ?? 0) + (step.every_ms ?? 0) * (step.times ?? 1), 0)));
  const clientMs = actionsOf(testCase).reduce((sum, action) => {
    if ("sleep_ms" in action) return sum + (Number(action.sleep_ms) || 5000);
    if (!("method" in action)) return sum;
    return sum + (action.repeat ?? 1) * ((action.pause_ms ?? 0) + (testCase.slow ? 100 : 0)) + (action.read?.close_after_ms ?? 0);
  }, 0);
  return 20_000 + Math.max(scriptMs, 0) + clientMs;
}

const PORT_FIRST = 20_000;
const PORTS = 12_000;
let portsTaken = Math.floor(Math.random() * PORTS);

/**
 * A port nobody listens on, for a gateway that must come back on it. Below those the kernel hands out by itself (32768 up): another
 * test's connection cannot take it before the gateway does. In turn, from one that chance chooses: two cases that begin at once never
 * find the same one free.
 */
const freePort = (): number => {
  for (;;) {
    const port = PORT_FIRST + (portsTaken++ % PORTS);
    try {
      Bun.listen({ hostname: "127.0.0.1", port, socket: { data() {} } }).stop(true);
      return port;
    } catch (error) {
      if (!(error instanceof Error && "code" in error && error.code === "EADDRINUSE")) throw error;
    }
  }
};

class Run {
  #mocks = new Map<string, MockBackend>();
  #world: World | null = null;
  #spec!: WorldSpec;
  #vars: Vars = {};
  #responses: ClientResponse[] = [];
  #background: Promise<void>[] = [];
  #last: ClientResponse | null = null;
  #admin: { status: number; body: string } | null = null;
  #started = 0;
  #over = false;
  #memory = new MemoryWatch();

  private readonly testCase: Case;
  private readonly adapter: Adapter;

  constructor(testCase: Case, adapter: Adapter) {
    this.testCase = testCase;
    this.adapter = adapter;
  }

  async execute(): Promise<Verdict> {
    const { testCase } = this;
    const setup = testCase.setup ?? {};
    for (const id of backendIds(testCase)) {
      const mock = new MockBackend(id);
      mock.start();
      this.#mocks.set(id, mock);
      this.#vars[id] = mock.origin;
      this.#vars[`${id}_HOST`] = mock.host;
      this.#vars[`UPKEY_${id}`] = `sk-up-${id.toLowerCase()}-${crypto.randomUUID()}`;
    }
    const port = freePort();
    this.#vars.GATEWAY = `http://127.0.0.1:${port}`;
    this.#spec = this.#worldSpec(setup, port);
    this.#setScripts(testCase.upstreams ?? { A: [testCase.upstream_script] });

    const world = this.#world = await this.adapter.start(this.#spec);
    if (this.#over) { await world.stop(); throw new TimeUp(); }
    Object.assign(this.#vars, {
      KEY: world.keys.main,
      KEY_REVOKED: world.keys.revoked ?? "",
      KEY_WRONG_LAST_CHAR: world.keys.main.slice(0, -1) + (world.keys.main.endsWith("x") ? "y" : "x"),
      COOLDOWN: world.cooldownMs,
      BODY_LIMIT: world.bodyLimitBytes,
    });
    this.#setScripts(testCase.upstreams ?? { A: [testCase.upstream_script] });
    await this.#startHooks(setup.hooks ?? []);
    if (testCase.expect.rss_growth_mib_lte !== undefined) await this.#memory.start(world);

    const killed = setup.hooks?.includes("kill9");
    for (const action of actionsOf(testCase)) await (killed ? this.#untilKilled(action as RequestAction) : this.#act(action));
    await Promise.all(this.#background);

    return evaluate(resolve(testCase.expect, this.#vars), {
      world, spec: this.#spec, mocks: this.#mocks, responses: this.#responses, last: this.#last, admin: this.#admin,
      rssGrowthMib: await this.#memory.growth(),
    });
  }

  async tearDown(): Promise<void> {
    this.#over = true;
    this.#memory.stop();
    for (const mock of this.#mocks.values()) mock.stop();
    await this.#world?.stop();
  }

  progress(): string {
    const seen = [...this.#mocks.values()].map(mock => `${mock.requests.length} requests at ${mock.id}`).join(", ");
    return `${this.#responses.length} of ${this.#started} started requests had ended, ${seen}`;
  }

  trace(): string {
    const upstream = [...this.#mocks.values()].flatMap(mock => mock.requests.map(request => ({ at: request.at, text: describeRequest(mock.id, request) })));
    const client = this.#responses.map(response => ({ at: response.endedAt, text: describeResponse(response) }));
    return [...upstream, ...client].sort((one, other) => one.at - other.at).map(({ text }) => text).join("\n");
  }

  // ---- world

  #worldSpec(setup: Setup, port: number): WorldSpec {
    const backends = [...this.#mocks.keys()].filter(id => !setup.extra_servers?.includes(id));
    const base: Vars = this.#vars;
    return {
      port,
      backends: backends.map(id => ({
        id,
        baseUrl: resolve(setup.provider?.[id]?.base_url ?? `\${${id}}/v1`, base),
        key: setup.provider?.[id]?.key === SELF_KEY ? SELF_KEY : String(base[`UPKEY_${id}`]),
      })),
      models: modelSpecs(setup, backends),
      account: { id: "account-1", balanceMicro: setup.balance_micro ?? DEFAULT_BALANCE },
      keys: ["main", ...(setup.keys?.includes("revoked") ? (["revoked"] as const) : [])],
      limits: setup.limits ?? {},
      timeouts: {
        ...(setup.timeouts?.first_byte_ms === undefined ? {} : { firstByteMs: setup.timeouts.first_byte_ms }),
        ...(setup.timeouts?.idle_ms === undefined ? {} : { idleMs: setup.timeouts.idle_ms }),
      },
      ...(setup.cooldown_ms === undefined ? {} : { cooldownMs: setup.cooldown_ms }),
      defaultMaxOutputTokens: DEFAULT_MAX_OUTPUT,
      rounding: setup.rounding ?? "ceil",
      cors: setup.cors ?? false,
      hooks: setup.hooks ?? [],
    };
  }

  #setScripts(upstreams: Record<string, Step[][]>): void {
    for (const [id, scripts] of Object.entries(upstreams)) this.#mocks.get(id)!.setScripts(resolve(scripts, this.#vars));
  }

  async #startHooks(hooks: string[]): Promise<void> {
    for (const hook of hooks) {
      const [name = "", argument = ""] = hook.split(/:(.*)/s);
      if (["kill9", "restart", "fake_clock", "dns"].includes(name)) continue;
      await this.#world!.hook!(name, argument);
    }
  }

  // ---- actions

  async #act(raw: Action): Promise<void> {
    const action = resolve(raw, this.#vars);
    if ("sleep_ms" in action) await Bun.sleep(Number(action.sleep_ms));
    else if ("set_upstreams" in action) this.#setScripts(action.set_upstreams);
    else if ("clock_step_ms" in action) await this.#world!.clockStep!(action.clock_step_ms);
    else if ("parallel_mix" in action) await Promise.all(action.parallel_mix.map(request => this.#send(request)));
    else if ("admin" in action) {
      const { admin, ...args } = action;
      this.#admin = await this.#world!.admin!(admin, args);
    } else if ("method" in action) await this.#request(action);
  }

  async #request(action: RequestAction): Promise<void> {
    if (action.background) this.#background.push(this.#many(action));
    else await this.#many(action);
  }

  async #many(action: RequestAction): Promise<void> {
    if (action.parallel !== undefined) {
      await Promise.all(Array.from({ length: action.parallel }, () => this.#send(action)));
      return;
    }
    const shared = action.same_connection ? ((await connect(this.#world!.origin)) ?? undefined) : undefined;
    const times = action.repeat ?? 1;
    for (let n = 0; n < times && !this.#over; n++) {
      if (n > 0 && action.pause_ms) await Bun.sleep(action.pause_ms);
      if (times >= MANY && n === Math.floor(times * WARM_UP_SHARE)) await this.#memory.restart();
      await this.#send(action, shared);
    }
    shared?.close();
  }

  async #send(action: RequestAction, shared?: Wire): Promise<void> {
    this.#started++;
    const sending = send(this.#world!.origin, action, shared);
    if (action.clock_step_ms_during !== undefined) {
      await Bun.sleep(500);
      await this.#world!.clockStep!(action.clock_step_ms_during);
    }
    const response = await sending;
    this.#responses.push(response);
    if (!action.background) this.#last = response;
  }

  /** Sends the request, kills the gateway after the first event and starts it again. */
  async #untilKilled(raw: RequestAction): Promise<void> {
    const action = resolve(raw, this.#vars);
    await new Promise<void>((firstEvent, noEvent) => {
      this.#background.push(send(this.#world!.origin, action, undefined, firstEvent).then(response => {
        this.#responses.push(response);
        noEvent(new Error("no event came before the kill"));
      }));
    });
    await this.#world!.restart!(true);
  }
}

function backendIds(testCase: Case): string[] {
  const setup = testCase.setup ?? {};
  const ofModels = Object.values(setup.models ?? {}).flatMap(model => (Array.isArray(model) ? model : model.backends));
  return [...new Set(["A", ...(setup.backends ?? []), ...(setup.extra_servers ?? []), ...ofModels, ...Object.keys(testCase.upstreams ?? {})])];
}

function modelSpecs(setup: Setup, backends: string[]): ModelSpec[] {
  const price = setup.price_micro_per_token === undefined ? DEFAULT_PRICE : setup.price_micro_per_token;
  const models = setup.models ?? { m1: setup.backends ?? backends };
  return Object.entries(models).map(([id, model]) => {
    const own = Array.isArray(model) ? { backends: model } : model;
    return {
      id,
      targets: own.backends.map(backend => ({ backend, upstreamModel: own.upstream_model ?? setup.provider?.[backend]?.upstream_model ?? UPSTREAM_MODEL })),
      price: own.price_micro_per_token ?? price,
    };
  });
}

const TRACE_BYTES = 4000;
const clip = (text: string): string => (text.length > TRACE_BYTES ? `${text.slice(0, TRACE_BYTES)}… (${text.length} characters)` : text);

function describeRequest(backend: string, request: SeenRequest): string {
  const left = request.peerClosedAt === undefined ? "" : `\n    the gateway hung up after ${Math.round(request.peerClosedAt - request.at)} ms`;
  return `>>> ${backend} got on connection ${request.connection}:\n${clip(request.raw.toString("utf8"))}${left}`;
}

function describeResponse(response: ClientResponse): string {
  const head = [`status ${response.status}`, ...response.headers.map(([name, value]) => `${name}: ${value}`)].join("\n");
  return `<<< the client got within ${Math.round(response.endedAt - response.startedAt)} ms, end: ${response.terminates}${response.reset ? " (reset)" : ""}\n${head}\n\n${clip(response.body.toString("utf8"))}`;
}

/** Growth of the gateway's memory: the peak for a single request, the end for long series. */
class MemoryWatch {
  #world: World | null = null;
  #base: number | null = null;
  #peak = 0;
  #series = false;
  #timer: Timer | undefined;

  async start(world: World): Promise<void> {
    this.#world = world;
    this.#base = (await world.rssMib?.()) ?? null;
    this.#timer = setInterval(() => void world.rssMib?.().then(rss => { this.#peak = Math.max(this.#peak, rss); }, () => {}), RSS_SAMPLE_MS);
  }

  async restart(): Promise<void> {
    if (this.#world === null) return;
    this.#series = true;
    this.#base = (await this.#world.rssMib?.()) ?? null;
  }

  stop(): void { clearInterval(this.#timer); }

  async growth(): Promise<number | null> {
    this.stop();
    if (this.#world === null || this.#base === null) return null;
    if (!this.#series) return Math.max(this.#peak, (await this.#world.rssMib!())) - this.#base;
    await Bun.sleep(1000);
    return (await this.#world.rssMib!()) - this.#base;
  }
}
