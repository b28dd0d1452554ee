/** The model that examples name: the demo has it, elsewhere the document puts one of its own in its place. */
export const SAMPLE_MODEL = 'demo/fast'
