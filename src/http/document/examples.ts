import { SAMPLE_MODEL } from './sample-model.ts'

const provider = 'demo-north'
const generationId = 'gen-0199a0b1c2d3e4f5061728394a5b6c7d'

/** Ids and amounts that examples share, so that they tell one story: account `demo` asks for one chat completion. */
export const examples = {
  accountId: 'acc_0199a0b1c2d3e4f5061728394a5b6c7d',
  keyId: 'key_0199a0b1c2d3e4f5061728394a5b6c7d',
  keyHash: '5f3a9c0e6f7d4b1c8a2e0d9b7c6f5a4e3d2c1b0a9f8e7d6c5b4a39281706f5e4',
  managementKeyId: 'mkey_0199a0b1c2d3e4f5061728394a5b6c7d',
  credentialId: 'cred_0199a0b1c2d3e4f5061728394a5b6c7d',
  provider,
  backend: 'north',
  generationId,
  /** What stands in answers under OpenRouter's prefix. */
  marks: { id: generationId, provider },
  requestId: 'req_0199a0b1c2d3e4f5061728394a5b6c7d',
  atMs: 1_789_000_000_000,
  usage: { input: 9, cached_input: 0, cache_write: 0, output: 10, reasoning: 0 },
  offer: `north/${SAMPLE_MODEL}`,
  cost: { cost_usd: '0.00000735', cost_nano: 7350 },
  charged: { charged_usd: '0.00000735', charged_nano: 7350 },
  held: { held_usd: '0.00245805', held_nano: 2_458_050 },
} as const
