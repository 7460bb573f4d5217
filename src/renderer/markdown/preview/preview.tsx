import { useCallback, useEffect, useImperativeHandle, useMemo, useRef, type Ref } from 'react'
import { t } from 'i18next'
import { useNoteLinks } from '../citations/use-note-links.ts'
import { LinkContext } from '../chat/markdown-elements.tsx'
import { useVaultSettings } from '#lib/notes/use-vault-settings.ts'
import { ErrorBoundary } from '#lib/ui/error-boundary.tsx'
import type { Row } from '../parse/parse-document.ts'
import type { MarkedLines } from '#lib/router/paths.ts'
import type { LineChange } from './line-edits.ts'
import { NoteContext, type Note } from './note-context.ts'
import { RowText, RowView } from './row-view.tsx'
import { rowOfLine, type PreviewRow } from '../parse/preview-rows.ts'
import { useDocument } from './use-document.ts'
import { VirtualRows, type RowsHandle } from './virtual-rows.tsx'

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

const renderRow = (row: Row) => <RowText row={row} />

/** Top line of each note when it was last open, by agent and path. */
const lastLines = new Map<string, number>()

export default function Preview({ ref, agent, path, text, isWide, marked, onEdit }: PreviewProps) {
  const state = useDocument(text)
  const links = useNoteLinks(agent, path)
  const hasLineBreaks = useVaultSettings(agent)?.lineBreaks ?? false
  const linkContext = useMemo(() => ({ agent, links }), [agent, links])
  const rows = useRef<RowsHandle>(null)
  const latest = useRef({ state, onEdit })
  useEffect(() => {
    latest.current = { state, onEdit }
  })
  const lineOf = useCallback((row: PreviewRow) => {
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
  const note = useMemo<Note>(
    () => ({
      agent,
      path,
      ancestors: [path],
      hasLineBreaks,
      footnotes: new Map(footnotes.map((label, index) => [label, index + 1])),
      onFootnote,
      onEdit: canEdit ? edit : undefined,
      lineOf,
      renderRow,
    }),
    [agent, path, hasLineBreaks, footnotes, onFootnote, canEdit, edit, lineOf],
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

  const [firstMarked, lastMarked] = marked
    ? [rowOfLine(state, marked.startLine), rowOfLine(state, marked.endLine)]
    : [-1, -1]
  const firstFootnote = state.rows.findIndex(({ row }) => row.kind === 'footnote')
  return (
    <LinkContext value={linkContext}>
      <NoteContext value={note}>
        <VirtualRows
          ref={rows}
          rows={state.rows}
          continues={state.continues}
          textKey={path}
          label={t('reading.label', { path })}
          className={`prose reading ${isWide ? 'reading-wide' : ''}`}
          onScroll={rememberTopLine}
        >
          {(row, index) => (
            <div
              className={
                index >= firstMarked && index <= lastMarked
                  ? 'reading-marked'
                  : index === firstFootnote
                    ? 'footnotes-start'
                    : undefined
              }
            >
              <ErrorBoundary piece="text" resetKey={row.row.text}>
                <RowView previewRow={row} />
              </ErrorBoundary>
            </div>
          )}
        </VirtualRows>
      </NoteContext>
    </LinkContext>
  )
}
