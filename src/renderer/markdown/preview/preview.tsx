import { useCallback, useEffect, useImperativeHandle, useMemo, useRef, type Ref } from 'react'
import { t } from 'i18next'
import { useVaultSettings } from '#lib/notes/use-vault-settings.ts'
import type { MarkedLines } from '#lib/router/paths.ts'
import { useNoteLinks } from '../citations/use-note-links.ts'
import { DocumentContext, type DocumentContextValue } from '../document/context.ts'
import { DocumentRows, type RowsHandle } from '../document/document-rows.tsx'
import { useDocument } from '../document/use-document.ts'
import { rowOfLine, type DocumentRow } from '../parse/document-rows.ts'
import type { LineChange } from '../parse/line-edits.ts'
import { noteComponents } from './preview-elements.tsx'

export interface PreviewHandle {
  /** Scrolls a source line to the top. @param line 1-based, may be fractional */
  follow(line: number): void
}

interface PreviewProps {
  readonly ref?: Ref<PreviewHandle>
  readonly agent: string
  readonly path: string
  readonly text: string
  /** True if the preview fills the view; limits the line length. */
  readonly isWide: boolean
  readonly marked: MarkedLines | undefined
  /** Undefined if the note is read-only. */
  readonly onEdit: ((line: number, change: LineChange) => void) | undefined
}

/** Top line of each note when it was last open, by agent and path. */
const lastLines = new Map<string, number>()

export default function Preview({ ref, agent, path, text, isWide, marked, onEdit }: PreviewProps) {
  const state = useDocument(text, 'note')
  const links = useNoteLinks(agent, path)
  const hasLineBreaks = useVaultSettings(agent)?.lineBreaks ?? false
  const rows = useRef<RowsHandle>(null)
  const latest = useRef({ state, onEdit })
  useEffect(() => {
    latest.current = { state, onEdit }
  })
  const lineOf = useCallback((row: DocumentRow) => {
    const { state: current } = latest.current
    return current.lines[current.rows.indexOf(row)] ?? 1
  }, [])
  const onFootnote = useCallback((label: string) => {
    const index = latest.current.state.rows.findIndex(({ row }) => row.kind === 'footnote' && row.label === label)
    if (index >= 0) rows.current?.scrollTo(index, 0, true)
  }, [])
  const edit = useCallback((line: number, change: LineChange) => latest.current.onEdit?.(line, change), [])
  const canEdit = onEdit !== undefined
  const { footnotes } = state
  const context = useMemo<DocumentContextValue>(
    () => ({
      agent,
      path,
      ancestors: [path],
      syntax: hasLineBreaks ? 'note-with-breaks' : 'note',
      components: noteComponents,
      links,
      footnotes,
      onFootnote,
      onEdit: canEdit ? edit : undefined,
      lineOf,
    }),
    [agent, path, hasLineBreaks, links, footnotes, onFootnote, canEdit, edit, lineOf],
  )
  const follow = useCallback((target: number, isCentred = false) => {
    const { state: current } = latest.current
    const index = rowOfLine(current, target)
    if (index < 0) return rows.current?.scrollTo(0)
    const from = current.lines[index] ?? 1
    const to = Math.max(from + 1, current.lines[index + 1] ?? from + 1)
    rows.current?.scrollTo(index, isCentred ? 0 : Math.min(1, (target - from) / (to - from)), isCentred)
  }, [])
  useImperativeHandle(ref, () => ({ follow }), [follow])

  const hasRows = state.rows.length > 0
  useEffect(() => {
    if (!hasRows) return
    const to = marked?.startLine ?? lastLines.get(`${agent} ${path}`)
    if (to !== undefined) follow(to, marked !== undefined)
  }, [hasRows, marked, agent, path, follow])
  const rememberTopLine = useCallback(() => {
    const top = rows.current?.position()
    const { lines } = latest.current.state
    if (!top) return
    const from = lines[top.index] ?? 1
    lastLines.set(`${agent} ${path}`, from + top.share * Math.max(0, (lines[top.index + 1] ?? from + 1) - from))
  }, [agent, path])

  return (
    <DocumentContext value={context}>
      <DocumentRows
        ref={rows}
        key={path}
        document={state}
        label={t('reading.label', { path })}
        className={`prose reading ${isWide ? 'reading-wide' : ''}`}
        testId="preview"
        {...(marked && { marked: [rowOfLine(state, marked.startLine), rowOfLine(state, marked.endLine)] as const })}
        onScroll={rememberTopLine}
      />
    </DocumentContext>
  )
}
