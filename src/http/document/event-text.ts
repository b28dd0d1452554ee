/** An event of a stream as it goes over the wire, named by its type. */
export const eventText = (event: { readonly type: string }): string =>
  `event: ${event.type}\ndata: ${JSON.stringify(event)}\n\n`
