import { parseDocument, type Row } from './parse-document.ts'
import { patchOf } from './preview-rows.ts'

let previousRows: readonly Row[] = []

addEventListener('message', ({ data: text }: MessageEvent<string>) => {
  const document = parseDocument(text)
  postMessage(patchOf(previousRows, document))
  previousRows = document.rows
})
