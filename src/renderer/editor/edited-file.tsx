import { useQuery } from '@tanstack/react-query'
import { Columns2, Maximize2 } from 'lucide-react'
import { lazy, Suspense, useCallback, useDeferredValue, useEffect, useMemo, useRef, useState } from 'react'
import { useTranslation } from 'react-i18next'
import { toast } from 'sonner'
import { useLocation } from 'wouter'
import type { Agent, Appearance } from '#shared/contract/index.ts'
import { api, queryClient } from '#lib/api/client.ts'
import { runWithErrorToast, showError } from '#lib/feedback/toast.ts'
import { LinksPanel } from './links/links-panel.tsx'
import { useNoteLinks } from '../markdown/citations/use-note-links.ts'
import { useCauseName } from '#lib/diff-view/change-label.tsx'
import { HistoryPanel } from './history/history-panel.tsx'
import type { LineChange } from '../markdown/preview/line-edits.ts'
import type { PreviewHandle } from '../markdown/preview/preview.tsx'
import { Button, IconButton } from '#lib/ui/button.tsx'
import { clipLine } from '#lib/util/clip.ts'
import { ErrorBoundary } from '#lib/ui/error-boundary.tsx'
import { formatBoundKeys, useShortcuts } from '#lib/util/shortcuts.ts'
import { lineOfHash, paths, useHash } from '#lib/router/paths.ts'
import { ViewHeader } from '#lib/ui/view-header.tsx'
import type { EditorHandle } from './editor.tsx'
import { NotIndexedNote } from './privacy/not-indexed.tsx'
import { OtherDrafts } from './other-window-drafts.tsx'
import { Notice } from './notice.tsx'
import {
  useOpenFile,
  type DiskFile,
  type MissingFile,
  type OpenFile as EditedFile,
  type OtherDraft,
} from './open-file.ts'
import { attachTo } from './attach-files.ts'
import { Counts } from './counts.tsx'
import { Outline } from './tree/outline.tsx'
import { togglePanel, type OpenPanels } from './panel-layout.ts'
import { useBlameMargin } from './use-blame-margin.ts'

const Editor = lazy(() => import('./editor.tsx'))

const Reading = lazy(() => import('../markdown/preview/preview.tsx'))

const DiffView = lazy(() => import('./diff-view.tsx'))

/** Delay before the editor mounts if the preview fills the view, in ms. */
const editorAfterMs = 400

const storedPanels = ['preview', 'full', 'links'] as const
const storageKey = (what: (typeof storedPanels)[number]) => `commonplace.file.${what}`

interface OpenFileProps {
  readonly agent: Agent
  readonly path: string
  readonly disk: DiskFile
  readonly autosave: Appearance['autosave']
  /** Set if the file was moved or deleted elsewhere since it was opened. */
  readonly gone: MissingFile | undefined
  readonly onDiscarded: () => void
}

export function OpenFile({ agent, path, disk, autosave, gone, onDiscarded }: OpenFileProps) {
  const { t } = useTranslation()
  const [, navigate] = useLocation()
  const [shown, setShown] = useState<OpenPanels>(() => ({
    history: false,
    blame: false,
    preview: isKept('preview'),
    full: isKept('full'),
    links: isKept('links'),
  }))
  useEffect(() => {
    for (const what of storedPanels) localStorage.setItem(storageKey(what), shown[what] ? 'yes' : 'no')
  }, [shown])
  const line = lineOfHash(useHash())
  const editor = useRef<EditorHandle>(null)
  const [isOpen, setIsOpen] = useState(false)
  const takeEditor = useCallback((handle: EditorHandle | null) => {
    editor.current = handle
    setIsOpen(handle !== null)
  }, [])
  const [compared, setCompared] = useState<OtherDraft>()
  const view = useRef<HTMLElement>(null)
  const reading = useRef<PreviewHandle>(null)
  const onUnsavedClose = useCallback(() => {
    const again = { label: t('file.openAgain'), onClick: () => navigate(paths.file(path)) }
    toast.info(t('file.leftBehind', { path: clipLine(path) }), { action: again })
  }, [path, navigate, t])
  const file = useOpenFile(agent.id, path, disk, { autosave, gone, onUnsavedClose })
  // The preview may lag behind while the user types.
  const settled = useDeferredValue(file.text)
  const files = useQuery(api.workspace.list.queryOptions({ input: { agent: agent.id } }))
  const entry = files.data?.find((known) => known.path === path)
  const links = useNoteLinks(agent.id, path)
  const surroundings = useMemo(() => ({ path, ...links }), [path, links])
  const margin = useBlameMargin(agent.id, path, shown.blame)
  const newPathButton = useRef<HTMLButtonElement>(null)
  // A moved file must not be written to its old path, so the shortcut focuses the notice, which offers the
  // new one.
  const save = () => {
    if (newPathButton.current) newPathButton.current.focus()
    else void file.save()
  }
  useShortcuts({ 'Mod+S': save })
  const toggle = (what: keyof OpenPanels) =>
    setShown(togglePanel(shown, what, view.current?.parentElement?.clientWidth ?? innerWidth, innerWidth))
  const isFull = shown.preview && shown.full === true
  // In the preview the editor mounts later: ticking a task or editing a property goes through it.
  const [shouldMountEditor, setIsEditorDue] = useState(!isFull)
  if (!isFull && !shouldMountEditor) setIsEditorDue(true)
  useEffect(() => {
    const timer = setTimeout(() => setIsEditorDue(true), editorAfterMs)
    return () => clearTimeout(timer)
  }, [])
  const syncPreview = useCallback((top: number) => reading.current?.follow(top), [])
  const changeLine = useCallback((at: number, change: LineChange) => editor.current?.change(at, change), [])
  const onFile = useCallback(
    async (dropped: File) => {
      try {
        const added = await attachTo(agent.id, path, dropped)
        toast.success(t('file.attached', { path: clipLine(added.path) }))
        await queryClient.invalidateQueries({ queryKey: api.links.files.key() })
        return added.link
      } catch (error) {
        showError(error)
        return undefined
      }
    },
    [agent.id, path, t],
  )
  const isProject = entry?.kind === 'project' || entry?.kind === 'memory'
  return (
    <>
      <section ref={view} className="flex min-w-0 flex-1 flex-col">
        <ViewHeader
          title={<span className="font-mono text-[13px]">{clipLine(path)}</span>}
          aside={
            <span className="tabular flex gap-3">
              <SaveNote state={file.isMissing ? 'notThere' : file.state} />
              <Counts text={settled} hasLimit={isProject} />
            </span>
          }
        >
          {(['preview', 'links', 'blame', 'history'] as const).map((what) => (
            <Button
              key={what}
              look="quiet"
              aria-pressed={shown[what]}
              className="aria-pressed:bg-selected aria-pressed:text-text"
              onClick={() => toggle(what)}
            >
              {t(`file.${what}`)}
            </Button>
          ))}
          {shown.preview && (
            <IconButton
              label={t('reading.full')}
              aria-pressed={isFull}
              className="max-[700px]:hidden"
              onClick={() => toggle('full')}
            >
              {isFull ? <Columns2 size={14} /> : <Maximize2 size={14} />}
            </IconButton>
          )}
          <Button
            disabled={(file.state === 'saved' && !file.isMissing) || file.state === 'saving'}
            onClick={save}
            title={formatBoundKeys('Mod+S')}
          >
            {t('file.save')}
          </Button>
        </ViewHeader>
        {entry?.unsearched && (
          <div role="note" className="border-b border-line bg-side px-5 py-1.5 text-[12px] text-muted">
            <NotIndexedNote agent={agent.id} unsearched={entry.unsearched} />
          </div>
        )}
        {file.isMissing ? (
          <MissingFileNotice file={file} movedTo={gone?.movedTo} onward={newPathButton} />
        ) : (
          file.hasDraft && (
            <Notice text={t('file.draftFound')}>
              <Button onClick={() => void runWithErrorToast(file.discard().then(onDiscarded))}>
                {t('file.discardDraft')}
              </Button>
            </Notice>
          )
        )}
        {file.state === 'conflict' && <Conflict file={file} />}
        <OtherDrafts file={file} compared={compared} onCompare={setCompared} />
        <div className="flex min-h-0 flex-1">
          <div className={`min-w-0 flex-1 ${isFull ? 'hidden' : shown.preview ? 'max-[700px]:hidden' : ''}`}>
            <ErrorBoundary piece="editor" variant="view" resetKey={path}>
              <Suspense fallback={<p className="p-5 text-muted">{t('file.loading')}</p>}>
                {compared && file.others.includes(compared) ? (
                  <DiffView theirs={file.text} mine={compared.draft.text} label={t('draft.comparison')} />
                ) : file.state === 'conflict' && file.conflictingText !== undefined ? (
                  <div className="flex h-full flex-col">
                    <ConflictSides agent={agent.id} path={path} />
                    <div className="min-h-0 flex-1">
                      <DiffView theirs={file.conflictingText} mine={file.text} label={t('file.conflict')} />
                    </div>
                  </div>
                ) : !shouldMountEditor ? null : (
                  <Editor
                    ref={takeEditor}
                    content={file.content}
                    line={line}
                    label={t('file.editor', { path })}
                    surroundings={surroundings}
                    margin={margin}
                    onChange={file.type}
                    onFile={onFile}
                    onScroll={syncPreview}
                  />
                )}
              </Suspense>
            </ErrorBoundary>
          </div>
          {shown.preview && (
            <div
              className={`flex min-w-0 flex-1 flex-col ${isFull ? '' : 'min-[700px]:border-l min-[700px]:border-line'}`}
              onKeyDown={(event) => {
                const key = event.key.toLowerCase()
                const isField = event.target instanceof HTMLInputElement && event.target.type === 'text'
                if (!(event.ctrlKey || event.metaKey) || isField || (key !== 'z' && key !== 'y')) return
                event.preventDefault()
                if (key === 'y' || event.shiftKey) editor.current?.redo()
                else editor.current?.undo()
              }}
            >
              <ErrorBoundary piece="preview" variant="view" resetKey={settled}>
                <Suspense>
                  <Reading
                    ref={reading}
                    agent={agent.id}
                    path={path}
                    text={settled}
                    isWide={isFull}
                    line={line}
                    onEdit={file.state === 'conflict' || !isOpen ? undefined : changeLine}
                  />
                </Suspense>
              </ErrorBoundary>
            </div>
          )}
          {(!shown.preview || isFull) && !shown.history && !shown.links && (
            <ErrorBoundary piece="part" resetKey={settled}>
              <Outline
                text={settled}
                onChoose={(at) => (isFull ? reading.current?.follow(at) : editor.current?.reveal(at))}
              />
            </ErrorBoundary>
          )}
        </div>
      </section>
      {shown.links && (
        <ErrorBoundary piece="part" resetKey={path}>
          <LinksPanel agent={agent} path={path} onClose={() => toggle('links')} />
        </ErrorBoundary>
      )}
      {shown.history && (
        <ErrorBoundary piece="part" resetKey={path}>
          <HistoryPanel agent={agent} path={path} onClose={() => toggle('history')} />
        </ErrorBoundary>
      )}
    </>
  )
}

function isKept(what: (typeof storedPanels)[number]): boolean {
  return localStorage.getItem(storageKey(what)) === 'yes'
}

function Conflict({ file }: { file: EditedFile }) {
  const { t } = useTranslation()
  return (
    <Notice text={t('file.conflict')}>
      <Button onClick={() => void file.resolve('mine')}>{t('file.keepMine')}</Button>
      <Button onClick={() => void file.resolve('theirs')}>{t('file.takeTheirs')}</Button>
      <Button onClick={() => void file.resolve('both')}>{t('file.both')}</Button>
    </Notice>
  )
}

function ConflictSides({ agent, path }: { agent: string; path: string }) {
  const { t } = useTranslation()
  const causeName = useCauseName(agent)
  const latest = useQuery(api.history.timeline.queryOptions({ input: { agent, path, limit: 1 } })).data?.[0]
  // A change by the user comes from another window, since this one has not saved.
  const who = latest && (latest.cause === 'user' ? t('file.otherWindow') : causeName(latest))
  return (
    <div className="flex border-b border-line text-[12px] text-muted" data-testid="conflict-sides">
      <h2 className="min-w-0 flex-1 border-l-4 border-bad px-3 py-1.5">
        {who === undefined ? t('file.onDisk') : t('file.onDiskBy', { who })}
      </h2>
      <h2 className="min-w-0 flex-1 border-l-4 border-good px-3 py-1.5">{t('file.yours')}</h2>
    </div>
  )
}

interface GoneNoticeProps {
  readonly file: EditedFile
  readonly movedTo: string | undefined
  readonly onward: React.RefObject<HTMLButtonElement | null>
}

function MissingFileNotice({ file, movedTo, onward }: GoneNoticeProps) {
  const { t } = useTranslation()
  const [, navigate] = useLocation()
  const go = async (path: string) => {
    await file.continueIn(path)
    navigate(paths.file(path))
  }
  const close = async () => {
    await file.discard()
    navigate(paths.chat())
  }
  return (
    <Notice text={movedTo === undefined ? t('file.gone') : t('file.goneTo', { path: clipLine(movedTo) })}>
      {movedTo !== undefined && (
        <Button ref={onward} onClick={() => void runWithErrorToast(go(movedTo))}>
          {t('file.goThere')}
        </Button>
      )}
      <Button onClick={() => void file.save()}>{t('file.saveAnew')}</Button>
      <Button onClick={() => void runWithErrorToast(close())}>{t('file.letGo')}</Button>
    </Notice>
  )
}

function SaveNote({ state }: { state: EditedFile['state'] | 'notThere' }) {
  const { t } = useTranslation()
  return <span role="status">{t(state === 'conflict' ? 'file.unsaved' : `file.${state}`)}</span>
}
