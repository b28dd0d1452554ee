/** A client made of raw sockets: it sends exactly the bytes a case asks for and notes what comes back, and when. */

import type { ReadPlan, RequestAction } from "./types";
import { SseParser, StreamReader, type StreamSummary } from "./sse";
import { framingOf, handlers, headerValues, now, parseHead, readBody, Wire, type Framing, type Headers } from "./wire";

const CHUNK_BYTES = 1 << 14; // of a request body with framing "chunked"

export interface ClientResponse {
  startedAt: number;
  endedAt: number;
  status: number | null;
  headers: Headers;
  body: Buffer;
  stream: StreamSummary;
  firstEventAt: number | null;
  maxGapMs: number;
  /** `left`: we hung up on purpose. */
  terminates: "clean" | "abnormal" | "left";
  leftAt: number | null;
  reset: boolean;
}

export const bodyText = (response: ClientResponse): string => response.body.toString("utf8");

export async function connect(origin: string): Promise<Wire | null> {
  const { hostname, port } = new URL(origin);
  try {
    const socket = await Bun.connect<Wire>({
      hostname,
      port: Number(port),
      allowHalfOpen: true,
      socket: { ...handlers, open: opened => { opened.data = new Wire(opened as never); }, connectError() {} },
    });
    return socket.data;
  } catch {
    return null;
  }
}

/** One request on its own connection, or on `reuse`. */
export async function send(origin: string, request: RequestAction, reuse?: Wire, onEvent?: () => void): Promise<ClientResponse> {
  const startedAt = now();
  const wire = reuse ?? (await connect(origin));
  if (wire === null) return { ...emptyResponse(startedAt), reset: true };
  const exchange = new Exchange(wire, request.read ?? {}, startedAt, onEvent);
  const sending = sendBytes(wire, origin, request);
  const response = await exchange.run(request.method);
  await Promise.race([sending, wire.ended, Bun.sleep(1000)]);
  if (reuse === undefined && wire.endedAt === undefined) wire.close();
  return response;
}

async function sendBytes(wire: Wire, origin: string, request: RequestAction): Promise<void> {
  const body = bodyOf(request);
  const lines = [`${request.method} ${request.raw_path ?? request.path} HTTP/1.1`, `host: ${new URL(origin).host}`];
  for (const [name, value] of Object.entries(request.headers ?? {})) lines.push(`${name}: ${value}`);
  if (body !== null) lines.push(request.framing === "chunked" ? "transfer-encoding: chunked" : `content-length: ${body.length}`);
  const head = Buffer.from(lines.join("\r\n") + "\r\n\r\n");
  if (body === null || body.length === 0) { await wire.write(head); return; }
  if (request.framing !== "chunked") { await wire.write(Buffer.concat([head, body])); return; }
  await wire.write(head);
  for (let at = 0; at < body.length; at += CHUNK_BYTES) {
    const piece = body.subarray(at, at + CHUNK_BYTES);
    await wire.write(Buffer.concat([Buffer.from(`${piece.length.toString(16)}\r\n`), piece, Buffer.from("\r\n")]));
  }
  await wire.write("0\r\n\r\n");
}

function bodyOf(request: RequestAction): Buffer | null {
  if (request.body_b64 !== undefined) return Buffer.from(request.body_b64, "base64");
  if (request.body_raw !== undefined) return Buffer.from(request.body_raw);
  if (request.body !== undefined) return Buffer.from(JSON.stringify(request.body));
  return null;
}

function emptyResponse(startedAt: number): ClientResponse {
  return {
    startedAt, endedAt: now(), status: null, headers: [], body: Buffer.alloc(0), stream: new StreamReader().summary,
    firstEventAt: null, maxGapMs: 0, terminates: "abnormal", leftAt: null, reset: false,
  };
}

/** Reads one response and follows the read plan. */
class Exchange {
  #response: ClientResponse;
  #pieces: Buffer[] = [];
  #parser = new SseParser();
  #reader = new StreamReader();
  #eventsRead = 0;
  #lastByteAt: number | null = null;

  private readonly wire: Wire;
  private readonly plan: ReadPlan;
  private readonly onEvent: (() => void) | undefined;

  constructor(wire: Wire, plan: ReadPlan, startedAt: number, onEvent?: () => void) {
    this.wire = wire;
    this.plan = plan;
    this.onEvent = onEvent;
    this.#response = emptyResponse(startedAt);
    if (plan.pause_ms_per_chunk) wire.slowDown(plan.pause_ms_per_chunk);
  }

  async run(method: string): Promise<ClientResponse> {
    const timer = this.plan.close_after_ms === undefined ? undefined
      : setTimeout(() => this.#leave(), Math.max(0, this.#response.startedAt + this.plan.close_after_ms - now()));
    const clean = await this.#read(method);
    clearTimeout(timer);
    this.#parser.end(now());
    this.#takeEvents();
    const response = this.#response;
    response.endedAt = now();
    response.body = Buffer.concat(this.#pieces);
    response.stream = this.#reader.summary;
    response.reset = this.wire.reset;
    response.terminates = response.leftAt !== null ? "left" : clean ? "clean" : "abnormal";
    return response;
  }

  async #read(method: string): Promise<boolean> {
    const response = this.#response;
    for (;;) {
      const head = await this.wire.until("\r\n\r\n");
      if (head === null) return false;
      const { startLine, headers } = parseHead(head);
      const status = Number(/^HTTP\/1\.[01] (\d{3})/.exec(startLine)?.[1] ?? NaN);
      if (Number.isNaN(status)) return false;
      if (status >= 100 && status < 200) continue;
      response.status = status;
      response.headers = headers;
      break;
    }
    const bodiless = method === "HEAD" || response.status === 204 || response.status === 304;
    const framing: Framing = bodiless ? { kind: "none" } : framingOf(response.headers, { kind: "until-close" });
    return readBody(this.wire, framing, bytes => this.#take(bytes));
  }

  #take(bytes: Buffer): void {
    if (this.#response.leftAt !== null) return;
    const at = now();
    if (this.#lastByteAt !== null) this.#response.maxGapMs = Math.max(this.#response.maxGapMs, at - this.#lastByteAt);
    this.#lastByteAt = at;
    this.#pieces.push(bytes);
    this.#parser.push(bytes, at);
    this.#takeEvents();
  }

  #takeEvents(): void {
    const { events } = this.#parser;
    for (; this.#eventsRead < events.length && this.#response.leftAt === null; this.#eventsRead++) {
      const event = events[this.#eventsRead]!;
      this.#response.firstEventAt ??= event.at;
      this.#reader.see(event);
      this.onEvent?.();
      if (this.#eventsRead + 1 === this.plan.close_after_events || this.#sawText(this.plan.close_after_text, event.data)) this.#leave();
    }
  }

  #sawText(text: string | undefined, data: string): boolean {
    return text !== undefined && (data === text || this.#reader.summary.text.includes(text));
  }

  #leave(): void {
    if (this.#response.leftAt !== null || this.wire.endedAt !== undefined) return;
    this.#response.leftAt = now();
    this.wire.close();
  }
}

/** True when the declared length is what was received, or when no length was declared. */
export function lengthMatches(headers: Headers, bytes: number): boolean {
  const declared = headerValues(headers, "content-length");
  return declared.length === 0 || (declared.length === 1 && Number(declared[0]) === bytes);
}
