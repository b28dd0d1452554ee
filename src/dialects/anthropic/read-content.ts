import { JsonKeys, type JsonReader, jsonText, type TextRule } from '../../lib/index.ts'
import type { StoredName } from '../dialect.ts'

/** Reads `content` of a message or of a block within one, or `system`: a text, or blocks. */
export function readContent(reader: JsonReader, sum: ContentSum): void {
  if (reader.peek() !== 'array') {
    sum.textBytes += jsonText(reader, BLOCK_TEXT)
    return
  }
  reader.enter()
  while (reader.nextItem()) {
    if (reader.peek() === 'object') readBlock(reader, sum)
    else sum.textBytes += jsonText(reader, BLOCK_TEXT)
  }
}

/** What the model will read, so far. */
export class ContentSum {
  /** UTF-8 bytes of every string but ids, addresses, signatures and base64. Types of blocks are in it: templates add words of their own. */
  textBytes = 0
  /** Tokens reckoned for images and documents. */
  mediaUnits = 0
  hasImages = false
  hasDocuments = false
  /** Files that the provider keeps, and is to read. Those that only stand in what it said before are its own affair. */
  files: StoredName[] | null = null

  addFile(id: string, param: string): void {
    this.files ??= []
    this.files.push({ kind: 'file', id, param })
  }
}

const BLOCK_FIELDS = new JsonKeys(['type', 'source', 'content', 'input', 'file_id'])
const KINDS = new JsonKeys(['image', 'document', 'container_upload'])
const BLOCK_TEXT: TextRule = {
  without: new JsonKeys([
    'cache_control',
    'id',
    'tool_use_id',
    'signature',
    'data',
    'citations',
    'encrypted_content',
    'encrypted_index',
    'url',
    'file_id',
  ]),
  names: false,
}
/** The input of a tool reaches the model as JSON, names and all. */
const INPUT_TEXT: TextRule = { without: new JsonKeys([]), names: true }

function readBlock(reader: JsonReader, sum: ContentSum): void {
  let kind: 'image' | 'document' | 'container_upload' | undefined
  let fileId: string | null = null
  let source: Source | null = null
  reader.enter()
  while (reader.nextKey()) {
    const field = reader.key(BLOCK_FIELDS)
    if (field === 'content') readContent(reader, sum)
    else if (field === 'input') sum.textBytes += jsonText(reader, INPUT_TEXT)
    else if (field === 'source' && reader.peek() === 'object') source = readSource(reader, sum)
    else if (field === 'type' && reader.peek() === 'string') {
      reader.skip()
      kind = reader.stringIn(KINDS)
      sum.textBytes += reader.stringBytes
    } else if (field === 'file_id') {
      const isString = reader.peek() === 'string'
      reader.skip()
      if (isString) fileId = String(reader.value())
    } else if (reader.key(BLOCK_TEXT.without) !== undefined) reader.skip()
    else sum.textBytes += jsonText(reader, BLOCK_TEXT)
  }
  if (kind === 'image') {
    sum.hasImages = true
    sum.mediaUnits += IMAGE_UNITS
  } else if (kind === 'document' && source !== null) addDocument(source, sum)
  else if (kind === 'container_upload' && fileId !== null) sum.addFile(fileId, 'container_upload.file_id')
}

/** What a source has, however its fields are ordered: `data` is base64, or with the type `text` the text itself. */
interface Source {
  isText: boolean
  /** Blocks, read already. */
  isContent: boolean
  dataBytes: number
}

const SOURCE_FIELDS = new JsonKeys(['type', 'data', 'content', 'file_id'])
const SOURCE_KINDS = new JsonKeys(['text', 'content'])

function readSource(reader: JsonReader, sum: ContentSum): Source {
  const source: Source = { isText: false, isContent: false, dataBytes: 0 }
  reader.enter()
  while (reader.nextKey()) {
    const field = reader.key(SOURCE_FIELDS)
    if (field === 'content') {
      readContent(reader, sum)
      continue
    }
    const isString = reader.peek() === 'string'
    reader.skip()
    if (!isString) continue
    if (field === 'data') source.dataBytes = reader.stringBytes
    else if (field === 'file_id') sum.addFile(String(reader.value()), 'source.file_id')
    else if (field === 'type') {
      const kind = reader.stringIn(SOURCE_KINDS)
      source.isText = kind === 'text'
      source.isContent = kind === 'content'
    }
  }
  return source
}

/** A document of text is text. Of others a page costs its text and its picture. */
function addDocument({ isText, isContent, dataBytes }: Source, sum: ContentSum): void {
  if (isContent) return
  if (isText) {
    sum.textBytes += dataBytes
    return
  }
  sum.hasDocuments = true
  const fileBytes = dataBytes * BASE64_RATIO
  sum.mediaUnits += dataBytes === 0 ? UNSEEN_UNITS : Math.max(PAGE_UNITS, Math.ceil(fileBytes / FILE_BYTES_PER_UNIT))
}

// On the safe side of Anthropic's documentation: an image is scaled to at most some 1,600 tokens, a page of a PDF has 1,500 to 3,000 of text and its picture.
const IMAGE_UNITS = 1600
const PAGE_UNITS = 4600
const FILE_BYTES_PER_UNIT = 20 // a page of a PDF: some 90 KB
const UNSEEN_UNITS = 8000 // known to the provider only, by its id or address
const BASE64_RATIO = 3 / 4
