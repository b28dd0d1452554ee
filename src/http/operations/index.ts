import { audioSpeech } from './audio-speech.ts'
import { audioTranscriptions } from './audio-transcriptions.ts'
import { audioTranslations } from './audio-translations.ts'
import { batches, batchesCancel, batchesList, batchesShow } from './batches.ts'
import { chatCompletions } from './chat-completions.ts'
import { completions } from './completions.ts'
import { embeddings } from './embeddings.ts'
import { files, filesContent, filesDelete, filesList, filesShow } from './files.ts'
import { imagesEdits } from './images-edits.ts'
import { imagesGenerations } from './images-generations.ts'
import { imagesVariations } from './images-variations.ts'
import { messages } from './messages.ts'
import { messagesCountTokens } from './messages-count-tokens.ts'
import { modelOffers, providersList, zdrOffers } from './model-offers.ts'
import { modelsCount, modelsList, modelsUser } from './models-list.ts'
import { modelShow, modelsShow } from './models-show.ts'
import { moderations } from './moderations.ts'
import type { Operation } from './operation.ts'
import { rerank } from './rerank.ts'
import { responses } from './responses.ts'
import { responsesInputTokens } from './responses-input-tokens.ts'
import { responsesCancel, responsesDelete, responsesInputItems, responsesShow } from './responses-show.ts'

export { arrivalOf, type Door, type Operation } from './operation.ts'

/** All public inference operations. */
export const operations: readonly Operation[] = [
  chatCompletions,
  completions,
  embeddings,
  moderations,
  rerank,
  imagesGenerations,
  imagesEdits,
  imagesVariations,
  audioSpeech,
  audioTranscriptions,
  audioTranslations,
  responses,
  responsesShow,
  responsesDelete,
  responsesCancel,
  responsesInputItems,
  responsesInputTokens,
  files,
  filesList,
  filesShow,
  filesContent,
  filesDelete,
  batches,
  batchesList,
  batchesShow,
  batchesCancel,
  messages,
  messagesCountTokens,
  modelsList,
  modelsShow,
  modelsCount,
  modelsUser,
  modelShow,
  modelOffers,
  zdrOffers,
  providersList,
]
