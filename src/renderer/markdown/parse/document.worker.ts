import { parseDocument, type Row } from './parse-document.ts'
import { patchOf } from './preview-rows.ts'

let before: readonly Row[] = []

addEventListener('message', ({ data: text }: MessageEvent<string>) => {
  const document = parseDocument(text)
  postMessage(patchOf(before, document))
  before = document.rows
})
