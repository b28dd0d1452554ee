import { chatCompletions } from './chat-completions.ts'
import { modelsList } from './models-list.ts'
import { modelsShow } from './models-show.ts'
import type { Operation } from './operation.ts'

export { arrivalOf, type Door, type Operation } from './operation.ts'

/** All public inference operations. */
export const operations: readonly Operation[] = [chatCompletions, modelsList, modelsShow]
