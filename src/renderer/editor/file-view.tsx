import { useQuery } from '@tanstack/react-query'
import { lazy, Suspense, useState } from 'react'
import { t } from 'i18next'
import type { ErrorData } from '#shared/util/errors.ts'
import { api } from '#lib/api/client.ts'
import { ErrorState, EmptyState, Skeleton, ErrorBoundary, Button } from '#lib/ui/elements.tsx'
import { isErrorOf } from '#lib/feedback/toast.ts'
import { useAgentName, useAgent } from '#lib/agents/current-agent.ts'
import { formatDate } from '#lib/i18n/format.ts'
import { clipLine } from '#lib/util/clip.ts'
import { LongText } from '#lib/ui/long-text.tsx'
import { navigate, paths, useMarkedLines } from '#lib/router/paths.ts'
import { ViewHeader } from '#lib/ui/frames.tsx'
import { createNote } from './tree/file-row.tsx'
import type { DiskFile, MissingFile } from './open-file.ts'
import { EditedFile } from './edited-file.tsx'
import { attachmentOrCanvasKind } from './attachments.ts'

const Preview = lazy(() => import('../markdown/preview/preview.tsx'))
const AttachmentPage = lazy(() => import('./attachment-view.tsx'))

export function FileView({ path }: { path: string }) {
  return attachmentOrCanvasKind(path) === undefined ? <NoteView path={path} /> : <AttachmentPage path={path} />
}

function NoteView({ path }: { path: string }) {
  const { id: agent } = useAgent()
  const file = useQuery(
    api.workspace.read.queryOptions({
      input: { agent: agent, path },
      // Permissions change without an event, so they are polled.
      refetchInterval: ({ state }) => (state.data?.isProtected ? permissionPollMs : false),
    }),
  )
  // If a file becomes write-protected while it is open, it stays in the editor, so that typed text is not lost.
  const [wasWritable, setWasWritable] = useState(false)
  const settings = useQuery(api.settings.get.queryOptions())
  const [isDraftOpen, setIsDraftOpen] = useState(false)
  const autosave = settings.data?.appearance.autosave ?? 'leave'
  const missing = missingFileOf(file.error)
  const isShownProtected = file.data?.isProtected === true && !wasWritable
  if (file.data && !file.data.readOnly && !file.data.isProtected && !wasWritable) setWasWritable(true)
  if ((file.data?.readOnly || isShownProtected) && file.data && !missing)
    return <ReadOnlyFile path={path} text={file.data.text} isProtected={isShownProtected} />
  const fileProps = { agent, path, autosave, onDiscarded: () => setIsDraftOpen(false) }
  if (file.data && !file.data.readOnly) return <EditedFile {...fileProps} disk={file.data} missing={missing} />
  if (isDraftOpen) return <EditedFile {...fileProps} disk={emptyDiskFile} missing={missing} />
  return (
    <section className="flex min-w-0 flex-1 flex-col">
      <ViewHeader title={<span className="font-mono text-[13px]">{clipLine(path)}</span>} />
      {missing ? (
        <MissingNote path={path} {...missing} onOpenDraft={() => setIsDraftOpen(true)} />
      ) : file.error ? (
        <ErrorState error={file.error} onRetry={() => void file.refetch()} />
      ) : (
        <Skeleton lines={12} />
      )}
    </section>
  )
}

function MissingNote({ path, movedTo, onOpenDraft }: MissingFile & { path: string; onOpenDraft: () => void }) {
  const { id: agent } = useAgent()
  const { data: drafts = [] } = useQuery(
    api.workspace.drafts.queryOptions({ input: { agent, path }, refetchOnMount: 'always', gcTime: 0 }),
  )
  const hasDraft = drafts.length > 0
  const shortPath = clipLine(path)
  const day = /^(?:\.commonplace\/)?memory\/(\d{4}-\d{2}-\d{2})\.md$/.exec(path)?.[1]
  const title = day ? t('file.emptyDay', { day: formatDate(day) }) : t('file.notFound', { path: shortPath })
  return (
    <EmptyState
      title={movedTo === undefined ? title : t('file.movedAway', { path: shortPath, to: clipLine(movedTo) })}
      hint={hasDraft ? t('file.draftWithout') : ''}
    >
      {movedTo !== undefined && <Button onClick={() => navigate(paths.file(movedTo))}>{t('file.goThere')}</Button>}
      {hasDraft && <Button onClick={onOpenDraft}>{t('file.openDraft')}</Button>}
      <Button onClick={() => void createNote(agent, path, day === undefined ? '' : `# ${day}\n\n`)}>
        {t(day === undefined ? 'file.create' : 'file.createLog')}
      </Button>
    </EmptyState>
  )
}

function missingFileOf(error: unknown): MissingFile | undefined {
  if (!isErrorOf(error, 'file_not_found')) return undefined
  const { movedTo } = (error as { data?: ErrorData }).data ?? {}
  return typeof movedTo === 'string' ? { movedTo } : {}
}

function ReadOnlyFile({ path, text, isProtected }: { path: string; text: string; isProtected: boolean }) {
  const [isPreviewShown, setIsPreviewShown] = useState(true)
  const marked = useMarkedLines()
  // `@<agent>/…` is a note of another agent.
  const owner = /^@([^/]+)\//.exec(path)?.[1]
  const ownerName = useAgentName(owner ?? '')
  return (
    <section aria-label={path} className="flex min-w-0 flex-1 flex-col">
      <ViewHeader
        title={<span className="font-mono text-[13px]">{clipLine(path)}</span>}
        aside={owner === undefined ? t('file.readOnly') : t('file.shared', { agent: ownerName })}
      >
        <Button look="quiet" aria-pressed={isPreviewShown} onClick={() => setIsPreviewShown(!isPreviewShown)}>
          {t('file.preview')}
        </Button>
      </ViewHeader>
      {isProtected && (
        <div role="note" className="border-b border-line bg-side px-5 py-1.5 text-[12px] text-muted max-sm:px-3">
          {t('file.protected')}
        </div>
      )}
      {isPreviewShown ? (
        <ErrorBoundary piece="preview" variant="view" resetKey={text}>
          <Suspense fallback={<Skeleton lines={12} />}>
            <Preview path={path} text={text} isWide marked={marked} onEdit={undefined} />
          </Suspense>
        </ErrorBoundary>
      ) : (
        <LongText text={text} label={path} marked={marked} />
      )}
    </section>
  )
}

const permissionPollMs = 3000
const emptyDiskFile: DiskFile = { text: '', hash: null }
