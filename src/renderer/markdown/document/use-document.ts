import { useState } from 'react'
import { applyPatch, emptyDocument, patchOf, type DocumentState } from '../parse/document-rows.ts'
import type { DocumentAnswer } from '../parse/markdown.worker.ts'
import { parseDocument, type DocumentKind } from '../parse/parse-document.ts'
import { documentWorker, useWorker } from './markdown-worker.ts'

/**
 * Texts up to this many characters are split in the UI thread. Answers of this length are split with each new word,
 * and have their final height at once.
 */
const maxSyncLengths = { note: 40_000, answer: 100_000 }

/**
 * Pause in ms before a long text is split again. From about 200 kB on, it exceeds the pause between two keys, because
 * the work would slow down typing.
 */
const pauseMs = (text: string) => Math.min(400, 40 + text.length / 2000)

export function isLongDocument(text: string, kind: DocumentKind): boolean {
  return text.length > maxSyncLengths[kind]
}

/** Returns the rows of a text. For long texts they lag behind it, and are empty at first. */
export function useDocument(text: string, kind: DocumentKind): DocumentState {
  const isShort = !isLongDocument(text, kind)
  const [state, setState] = useState<{ readonly source?: string | DocumentAnswer; readonly document: DocumentState }>({
    document: emptyDocument,
  })
  const base = typeof state.source === 'object' ? state.source.version : undefined
  const answer = useWorker(documentWorker, isShort ? undefined : text, { text, kind, base }, pauseMs(text))?.answer
  const source = isShort ? text : answer
  // An answer from before the text was short applies to other rows.
  const isOutdated = typeof source === 'object' && source?.base !== base
  if (source === undefined || source === null || source === state.source || isOutdated) return state.document
  const patch = typeof source === 'string' ? patchTo(state.document, source, kind) : source
  const next = { source, document: applyPatch(state.document, patch) }
  setState(next)
  return next.document
}

function patchTo({ rows }: DocumentState, text: string, kind: DocumentKind) {
  return patchOf(
    rows.map(({ row }) => row),
    parseDocument(text, kind),
  )
}
