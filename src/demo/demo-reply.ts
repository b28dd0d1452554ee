/** What a simulated provider answers to anything but a conversation. */
export type DemoReply = (
  | { readonly kind: 'json'; readonly body: unknown }
  | { readonly kind: 'events'; readonly events: readonly string[] }
  | { readonly kind: 'text'; readonly text: string }
  | { readonly kind: 'sound'; readonly bytes: Uint8Array<ArrayBuffer> }
) & {
  /** The response that it says, which the provider may keep. */
  readonly response?: Readonly<Record<string, unknown>>
}
