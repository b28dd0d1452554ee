/** The model that examples name: the demo has it, elsewhere the document puts one of its own in its place. */
export const SAMPLE_MODEL = 'demo/fast'

/** The same in examples of Anthropic's dialect, which another model may speak: it stands for `SAMPLE_MODEL` where none does. */
export const SAMPLE_OF_MESSAGES = 'demo/fast (messages)'
