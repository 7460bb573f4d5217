import { useCallback, useEffect, useImperativeHandle, useMemo, useRef, type Ref } from 'react'
import { useTranslation } from 'react-i18next'
import { useNoteLinks } from '../citations/use-note-links.ts'
import { LinkContext } from '../chat/markdown-elements.tsx'
import { useVaultSettings } from '#lib/notes/use-vault-settings.ts'
import { ErrorBoundary } from '#lib/ui/error-boundary.tsx'
import type { Row } from '../parse/parse-document.ts'
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

interface ReadingProps {
  readonly ref?: Ref<PreviewHandle>
  readonly agent: string
  readonly path: string
  readonly text: string
  /** True if the preview fills the view; limits the line length. */
  readonly isWide: boolean
  /** 1-based line to scroll to and mark. */
  readonly line: number | undefined
  /** Undefined if the note is read-only. */
  readonly onEdit: ((line: number, change: LineChange) => void) | undefined
}

function drawRow(row: Row) {
  return <RowText row={row} />
}

const lastLines = new Map<string, number>()

export default function Preview({ ref, agent, path, text, isWide, line, onEdit }: ReadingProps) {
  const { t } = useTranslation()
  const shown = useDocument(text)
  const links = useNoteLinks(agent, path)
  const hasLineBreaks = useVaultSettings(agent)?.lineBreaks ?? false
  const source = useMemo(() => ({ agent, links }), [agent, links])
  const rows = useRef<RowsHandle>(null)
  const latest = useRef({ shown, onEdit })
  useEffect(() => {
    latest.current = { shown, onEdit }
  })
  const lineOf = useCallback((row: PreviewRow) => {
    const { shown: now } = latest.current
    return now.lines[now.rows.indexOf(row)] ?? 1
  }, [])
  const onFootnote = useCallback((label: string) => {
    const index = latest.current.shown.rows.findIndex(({ row }) => row.kind === 'footnote' && row.label === label)
    if (index >= 0) rows.current?.scrollTo(index, 0, true)
  }, [])
  const edit = useCallback((at: number, change: LineChange) => latest.current.onEdit?.(at, change), [])
  const canEdit = onEdit !== undefined
  const { footnotes } = shown
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
      draw: drawRow,
    }),
    [agent, path, hasLineBreaks, footnotes, onFootnote, canEdit, edit, lineOf],
  )
  const follow = useCallback((target: number, isCentred = false) => {
    const { shown: now } = latest.current
    const index = rowOfLine(now, target)
    if (index < 0) return rows.current?.scrollTo(0)
    const from = now.lines[index] ?? 1
    const to = Math.max(from + 1, now.lines[index + 1] ?? from + 1)
    rows.current?.scrollTo(index, isCentred ? 0 : Math.min(1, (target - from) / (to - from)), isCentred)
  }, [])
  useImperativeHandle(ref, () => ({ follow }), [follow])

  // Scrolls to the requested line, or to the last position.
  const isThere = shown.rows.length > 0
  useEffect(() => {
    if (!isThere) return
    const to = line ?? lastLines.get(`${agent} ${path}`)
    if (to !== undefined) follow(to, line !== undefined)
  }, [isThere, line, agent, path, follow])
  const remember = useCallback(() => {
    const at = rows.current?.position()
    const { lines } = latest.current.shown
    if (!at) return
    const from = lines[at.index] ?? 1
    lastLines.set(`${agent} ${path}`, from + at.share * Math.max(0, (lines[at.index + 1] ?? from + 1) - from))
  }, [agent, path])

  const marked = line === undefined ? -1 : rowOfLine(shown, line)
  const firstNote = shown.rows.findIndex(({ row }) => row.kind === 'footnote')
  return (
    <LinkContext value={source}>
      <NoteContext value={note}>
        <VirtualRows
          ref={rows}
          rows={shown.rows}
          continues={shown.joined}
          textKey={path}
          label={t('reading.label', { path })}
          className={`prose reading ${isWide ? 'reading-wide' : ''}`}
          onScroll={remember}
        >
          {(row, index) => (
            <div className={index === marked ? 'reading-marked' : index === firstNote ? 'footnotes-start' : undefined}>
              <ErrorBoundary piece="text" resetKey={row.row.text}>
                <RowView shown={row} />
              </ErrorBoundary>
            </div>
          )}
        </VirtualRows>
      </NoteContext>
    </LinkContext>
  )
}
