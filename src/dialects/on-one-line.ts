/** An event's data with spaces for the breaks between its lines: in JSON both are white space. Without any it is the same memory. */
export function onOneLine(data: Uint8Array): Buffer {
  if (data.includes(LINE_FEED)) return Buffer.from(data.map((byte) => (byte === LINE_FEED ? SPACE : byte)))
  return Buffer.from(data.buffer, data.byteOffset, data.byteLength)
}

const LINE_FEED = 0x0a
const SPACE = 0x20
