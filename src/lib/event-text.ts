/** A value as a server-sent event with JSON in it, under the name that its `type` says, where it has one. */
export const eventText = (value: object): string =>
  `${'type' in value ? `event: ${value.type}\n` : ''}data: ${JSON.stringify(value)}\n\n`
