import { useEffect, useImperativeHandle, useMemo, useRef, type Ref } from 'react'
import { t } from 'i18next'
import { useAgent } from '#lib/agents/current-agent.ts'
import { useVaultSettings } from '#lib/notes/use-vault-settings.ts'
import type { MarkedLines } from '#lib/router/paths.ts'
import { useNoteLinks, DocumentContext, type DocumentContextValue } from '../document/context.ts'
import { DocumentRows, type RowsHandle } from '../document/document-rows.tsx'
import { footnoteLabels, useDocument } from '../document/use-document.ts'
import type { LineChange } from '../parse/line-edits.ts'
import { noteComponents } from './preview-elements.tsx'

export type PreviewHandle = Pick<RowsHandle, 'follow'>

interface PreviewProps {
  readonly ref?: Ref<PreviewHandle>
  readonly path: string
  readonly text: string
  readonly isWide: boolean
  readonly marked: MarkedLines | undefined
  /** Undefined if the note is read-only. A new function renders the links and tasks again. */
  readonly onEdit: ((line: number, change: LineChange) => void) | undefined
}

/** Top line of each note when it was last open, by agent and path. */
const lastLines = new Map<string, number>()

export default function Preview({ ref, path, text, isWide, marked, onEdit }: PreviewProps) {
  const { id: agent } = useAgent()
  const rows = useDocument(text, 'note')
  const links = useNoteLinks(path)
  const hasLineBreaks = useVaultSettings(agent)?.lineBreaks ?? false
  const view = useRef<RowsHandle>(null)
  const footnotes = footnoteLabels(rows)
  const context = useMemo<DocumentContextValue>(
    () => ({
      path,
      ancestors: [path],
      syntax: hasLineBreaks ? 'note-with-breaks' : 'note',
      components: noteComponents,
      links,
      footnotes: footnotes.split(' '),
      onFootnote: (label) => view.current?.showFootnote(label),
      onEdit,
    }),
    [path, hasLineBreaks, links, footnotes, onEdit],
  )
  useImperativeHandle(ref, () => ({ follow: (line) => view.current?.follow(line) }), [])

  const hasRows = rows.length > 0
  useEffect(() => {
    if (!hasRows) return
    const to = marked?.startLine ?? lastLines.get(`${agent} ${path}`)
    if (to !== undefined) view.current?.follow(to, marked !== undefined)
  }, [hasRows, marked, agent, path])
  return (
    <DocumentContext value={context}>
      <DocumentRows
        ref={view}
        key={path}
        rows={rows}
        label={t('preview.label', { path })}
        className={`prose reading ${isWide ? 'reading-wide' : ''}`}
        testId="preview"
        marked={marked}
        onScroll={() => lastLines.set(`${agent} ${path}`, view.current?.topLine() ?? 1)}
      />
    </DocumentContext>
  )
}
