/** The lines of an event before its data: its name where it has one. A name with a line break in it would be lines of its own, and is left out. */
export const eventHead = (name: string | null): Buffer =>
  name === null || /[\r\n]/.test(name) ? FIELD : Buffer.from(`event: ${name}\ndata: `)

const FIELD = Buffer.from('data: ')
