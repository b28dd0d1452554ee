import { run } from '../../pipeline/index.ts'
import { audioSpeechDoc } from './audio-speech-doc.ts'
import { audioTranscriptionsDoc } from './audio-transcriptions-doc.ts'
import { audioTranslationsDoc } from './audio-translations-doc.ts'
import { chatCompletionsDoc } from './chat-completions-doc.ts'
import { completionsDoc } from './completions-doc.ts'
import { embeddingsDoc } from './embeddings-doc.ts'
import { imagesEditsDoc } from './images-edits-doc.ts'
import { imagesGenerationsDoc } from './images-generations-doc.ts'
import { imagesVariationsDoc } from './images-variations-doc.ts'
import { messagesDoc } from './messages-doc.ts'
import { moderationsDoc } from './moderations-doc.ts'
import type { Operation } from './operation.ts'
import { rerankDoc } from './rerank-doc.ts'
import { responsesDoc } from './responses-doc.ts'

const ROWS: readonly Omit<Operation, 'method' | 'serve'>[] = [
  { name: 'chat.completions', path: '/chat/completions', doc: chatCompletionsDoc },
  { name: 'completions', path: '/completions', doc: completionsDoc },
  { name: 'embeddings', path: '/embeddings', doc: embeddingsDoc },
  { name: 'moderations', path: '/moderations', doc: moderationsDoc },
  { name: 'rerank', path: '/rerank', doc: rerankDoc },
  { name: 'images.generations', path: '/images/generations', doc: imagesGenerationsDoc },
  { name: 'images.generations', path: '/images', only: 'openrouter', doc: imagesGenerationsDoc }, // as OpenRouter calls it
  { name: 'images.edits', path: '/images/edits', doc: imagesEditsDoc },
  { name: 'images.variations', path: '/images/variations', doc: imagesVariationsDoc },
  { name: 'audio.speech', path: '/audio/speech', doc: audioSpeechDoc },
  { name: 'audio.transcriptions', path: '/audio/transcriptions', doc: audioTranscriptionsDoc },
  { name: 'audio.translations', path: '/audio/translations', doc: audioTranslationsDoc },
  { name: 'responses', path: '/responses', doc: responsesDoc.create },
  { name: 'responses.input_tokens', path: '/responses/input_tokens', doc: responsesDoc.inputTokens },
  { name: 'messages', path: '/messages', dialect: 'anthropic', doc: messagesDoc.create },
  { name: 'messages.count_tokens', path: '/messages/count_tokens', dialect: 'anthropic', doc: messagesDoc.countTokens },
]

/** What a provider works on: routed, held for, relayed and settled, all of it alike. What differs between them is the dialect's. */
export const inference: readonly Operation[] = ROWS.map((row) => ({ ...row, method: 'POST', serve: run }))
