import { documentOf, type Row } from './parse-document.ts'
import { patchOf } from './preview-rows.ts'

let before: readonly Row[] = []

addEventListener('message', ({ data: text }: MessageEvent<string>) => {
  const document = documentOf(text)
  postMessage(patchOf(before, document))
  before = document.rows
})
