/** Fields that OpenAI's own responses always have, and strict readers insist on (WIRE.md, 7), with what they are where a provider leaves them out. */
export const responseDefaults = {
  completed_at: null,
  error: null,
  incomplete_details: null,
  instructions: null,
  parallel_tool_calls: true,
  tool_choice: 'auto',
  tools: [],
  temperature: null,
  top_p: null,
  frequency_penalty: 0,
  presence_penalty: 0,
  metadata: {},
} as const
