/** A provider made of raw sockets: it plays scripts byte for byte and remembers all it saw. */

import type { TCPSocketListener } from "bun";
import type { Step } from "./types";
import { breathe, framingOf, handlers, headerValues, now, parseHead, readBody, Wire, type Headers } from "./wire";

const TINY_WRITES_FROM = 1000; // `times` above this: many frames per write, the frames stay the same
const BATCH_BYTES = 1 << 16;
const APART_MS = 2; // between two steps that send, so that the gateway reads them one by one

export interface SeenRequest {
  at: number;
  connection: number;
  method: string;
  target: string;
  headers: Headers;
  body: Buffer;
  raw: Buffer;
  /** False when the body was cut, or when bytes followed it that are no request. */
  framingIntact: boolean;
  scriptDoneAt?: number;
  /** Set when the caller left before the script was through. */
  peerClosedAt?: number;
}

export class MockBackend {
  readonly requests: SeenRequest[] = [];
  connections = 0;
  port = 0;
  #scripts: Step[][] = [];
  #played = 0;
  #listener: TCPSocketListener<Wire> | null = null;
  #open = new Set<Wire>();

  readonly id: string;

  constructor(id: string) { this.id = id; }

  get host(): string { return `127.0.0.1:${this.port}`; }
  get origin(): string { return `http://${this.host}`; }

  start(): void {
    this.#listen();
  }

  /** Replaces the scripts; the n-th request from now on plays the n-th, the last one repeats. */
  setScripts(scripts: Step[][]): void {
    this.#scripts = scripts;
    this.#played = 0;
    if (scripts[0]?.[0]?.refuse) this.#stopListening();
    else if (this.#listener === null) this.#listen();
  }

  stop(): void {
    this.#stopListening();
    for (const wire of this.#open) wire.abort();
  }

  #listen(): void {
    this.#listener = Bun.listen<Wire>({
      hostname: "127.0.0.1",
      port: this.port,
      allowHalfOpen: true,
      socket: {
        ...handlers,
        open: socket => {
          socket.data = new Wire(socket as never);
          void this.#serve(socket.data, ++this.connections);
        },
      },
    });
    this.port = this.#listener.port;
  }

  #stopListening(): void {
    this.#listener?.stop();
    this.#listener = null;
  }

  async #serve(wire: Wire, connection: number): Promise<void> {
    this.#open.add(wire);
    while (await this.#serveOne(wire, connection));
    this.#open.delete(wire);
    if (wire.endedAt === undefined) wire.close();
  }

  /** False when the connection is over. */
  async #serveOne(wire: Wire, connection: number): Promise<boolean> {
    const head = await wire.until("\r\n\r\n");
    if (head === null) return false;
    const { startLine, headers } = parseHead(head);
    const [method = "", target = ""] = startLine.split(" ");
    const request: SeenRequest = { at: now(), connection, method, target, headers, body: Buffer.alloc(0), raw: head, framingIntact: true };
    this.requests.push(request);
    const script = this.#scripts[Math.min(this.#played++, this.#scripts.length - 1)] ?? [];

    const pieces: Buffer[] = [];
    const complete = await readBody(wire, framingOf(headers, { kind: "none" }), piece => pieces.push(piece));
    request.body = Buffer.concat(pieces);
    request.raw = Buffer.concat([head, request.body]);
    await breathe();
    request.framingIntact = complete && !wire.hasUnread;
    if (!complete) return false;

    if (script.length === 0) script.push(...UNEXPECTED);
    const left = wire.ended.then(() => { if (request.scriptDoneAt === undefined && !wire.endedByUs) request.peerClosedAt = wire.endedAt ?? now(); });
    const goesOn = await new Player(wire, script).play();
    if (wire.endedAt !== undefined) await left;
    request.scriptDoneAt = now();
    return goesOn;
  }
}

const UNEXPECTED: Step[] = [
  { status: 500, headers: { "content-type": "application/json" } },
  { send: '{"error":{"message":"this mock expected no request","type":"server_error","param":null,"code":null}}' },
  { end: true },
];

const sends = (step: Step | undefined): boolean => step?.send !== undefined || step?.send_b64 !== undefined;

/** Plays one script on one connection. */
class Player {
  #chunked = false;
  #closeAfter = false;

  private readonly wire: Wire;
  private readonly script: Step[];

  constructor(wire: Wire, script: Step[]) {
    this.wire = wire;
    this.script = script;
  }

  /** True when the connection stays open for the next request. */
  async play(): Promise<boolean> {
    for (const [at, step] of this.script.entries()) {
      if (this.wire.endedAt !== undefined) return false;
      if (step.status !== undefined) await this.#head(step.status, step.headers ?? {});
      else if (step.raw !== undefined) await this.wire.write(step.raw);
      else if (step.send !== undefined || step.send_b64 !== undefined) {
        await this.#send(step);
        if (sends(this.script[at + 1])) await this.#sleep(APART_MS);
      }
      else if (step.sleep_ms !== undefined) await this.#sleep(step.sleep_ms);
      else if (step.hang) await this.wire.ended;
      else if (step.close) { this.wire.close(); return false; }
      else if (step.reset) { this.wire.abort(); return false; }
      else if (step.end) {
        if (this.#chunked) await this.wire.write("0\r\n\r\n");
        const idleMs = this.script[at + 1]?.close_conn_after_ms;
        if (idleMs !== undefined) return this.#stayIdle(idleMs);
      }
    }
    return this.wire.endedAt === undefined && !this.#closeAfter;
  }

  async #head(status: number, headers: Record<string, string>): Promise<void> {
    const entries: Headers = Object.entries(headers);
    this.#chunked = headerValues(entries, "content-length").length === 0;
    this.#closeAfter = headerValues(entries, "connection").some(value => /\bclose\b/i.test(value));
    const lines = entries.filter(([name]) => name.toLowerCase() !== "transfer-encoding").map(([name, value]) => `${name}: ${value}\r\n`);
    if (this.#chunked) lines.push("transfer-encoding: chunked\r\n");
    await this.wire.write(`HTTP/1.1 ${status} Mock\r\n${lines.join("")}\r\n`);
  }

  async #send(step: Step): Promise<void> {
    const bytes = step.send !== undefined ? Buffer.from(step.send) : Buffer.from(step.send_b64!, "base64");
    if (bytes.length === 0) return;
    const frame = this.#chunked ? Buffer.concat([Buffer.from(`${bytes.length.toString(16)}\r\n`), bytes, Buffer.from("\r\n")]) : bytes;
    const times = step.times ?? 1;
    if (times > TINY_WRITES_FROM && !step.every_ms) return this.#sendMany(frame, times);
    for (let n = 0; n < times; n++) {
      if (!(await this.wire.write(frame))) return;
      await breathe();
      if (step.every_ms) await this.#sleep(step.every_ms);
    }
  }

  async #sendMany(frame: Buffer, times: number): Promise<void> {
    const perWrite = Math.max(1, Math.floor(BATCH_BYTES / frame.length));
    const batch = Buffer.concat(Array<Buffer>(perWrite).fill(frame));
    for (let left = times; left > 0; left -= perWrite) {
      if (!(await this.wire.write(left >= perWrite ? batch : batch.subarray(0, left * frame.length)))) return;
    }
  }

  /** Wakes early when the caller leaves. */
  async #sleep(ms: number): Promise<void> {
    let timer: Timer;
    await Promise.race([this.wire.ended, new Promise<void>(done => { timer = setTimeout(done, ms); })]);
    clearTimeout(timer!);
  }

  /** Waits for the next request on the idle connection, and closes it when the time is over. */
  async #stayIdle(ms: number): Promise<boolean> {
    let timer: Timer;
    const idle = new Promise<"idle">(done => { timer = setTimeout(() => done("idle"), ms); });
    const first = await Promise.race([idle, this.wire.readable()]);
    clearTimeout(timer!);
    if (first === true) return true;
    if (first === "idle") this.wire.close();
    return false;
  }
}
