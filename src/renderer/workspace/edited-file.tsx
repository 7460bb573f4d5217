/** A file that is open in the editor: saving, preview, who wrote what, and what to do when two wrote in the same place. */
import { useQuery } from '@tanstack/react-query'
import { lazy, Suspense, useCallback, useDeferredValue, useEffect, useMemo, useRef, useState } from 'react'
import { useTranslation } from 'react-i18next'
import { toast } from 'sonner'
import { useLocation } from 'wouter'
import type { Agent, Appearance } from '../../shared/contract/index.ts'
import { api } from '../api/index.ts'
import { attempt } from '../feedback/index.ts'
import { Markdown } from '../markdown/markdown.tsx'
import { LinksPanel } from '../links/links-panel.tsx'
import { useNoteLinks } from '../links/use-note-links.ts'
import { HistoryPanel } from '../history/history-panel.tsx'
import { Button } from '../ui/button.tsx'
import { clipLine } from '../ui/clip.ts'
import { ErrorBoundary } from '../ui/error-boundary.tsx'
import { showKeys, useShortcuts } from '../ui/keys.ts'
import { faults, lineOfHash, paths, useHash, useParameters, type Fault } from '../navigate.ts'
import { ViewHeader } from '../ui/view-header.tsx'
import type { EditorHandle } from './editor.tsx'
import { UnsearchedNote } from '../scope/unsearched.tsx'
import { struckOut } from './markdown-edits.ts'
import { useOpenFile, type DiskFile, type Gone, type OpenFile as EditedFile } from './open-file.ts'
import { Counts } from './counts.tsx'
import { Outline } from './outline.tsx'
import { besideAfter, type Beside } from './editor-room.ts'
import { useBlameMargin } from './use-blame-margin.ts'

/** Monaco is heavy: it is loaded when a file is first opened. */
const Editor = lazy(() => import('./editor.tsx'))

const DiffView = lazy(() => import('./diff-view.tsx'))

/** What stays beside the text from one file to the next: who follows a link wants to go on reading. */
const kept = new Map<'preview' | 'links', boolean>()

interface OpenFileProps {
  readonly agent: Agent
  readonly path: string
  readonly disk: DiskFile
  readonly autosave: Appearance['autosave']
  /** Somebody else moved or deleted it since it was opened. */
  readonly gone: Gone | undefined
  /** What was typed is not wanted any more. */
  readonly onDiscarded: () => void
}

export function OpenFile({ agent, path, disk, autosave, gone, onDiscarded }: OpenFileProps) {
  const { t } = useTranslation()
  const [, navigate] = useLocation()
  const [shown, setShown] = useState<Beside>(() => ({
    history: false,
    blame: false,
    preview: kept.get('preview') ?? false,
    links: kept.get('links') ?? false,
  }))
  useEffect(() => {
    kept.set('preview', shown.preview).set('links', shown.links)
  }, [shown.preview, shown.links])
  const line = lineOfHash(useHash())
  const given = useParameters().get('fault')
  const fault = faults.find((known) => known === given)
  const editor = useRef<EditorHandle>(null)
  const [isOpen, setIsOpen] = useState(false)
  const takeEditor = useCallback((handle: EditorHandle | null) => {
    editor.current = handle
    setIsOpen(handle !== null)
  }, [])
  const view = useRef<HTMLElement>(null)
  const preview = useRef<HTMLDivElement>(null)
  const onLeftBehind = useCallback(() => {
    const again = { label: t('file.openAgain'), onClick: () => navigate(paths.file(path)) }
    toast.info(t('file.leftBehind', { path: clipLine(path) }), { action: again })
  }, [path, navigate, t])
  const file = useOpenFile(agent.id, path, disk, { autosave, gone, onLeftBehind })
  // What is typed appears first; what is made of it follows.
  const settled = useDeferredValue(file.text)
  const files = useQuery(api.workspace.list.queryOptions({ input: { agent: agent.id } }))
  const entry = files.data?.find((known) => known.path === path)
  const links = useNoteLinks(agent.id, path)
  const surroundings = useMemo(() => ({ path, ...links }), [path, links])
  const margin = useBlameMargin(agent.id, path, shown.blame)
  useShortcuts({ 'Mod+S': () => void file.save() })
  const toggle = (what: keyof Beside) =>
    setShown(besideAfter(shown, what, view.current?.parentElement?.clientWidth ?? innerWidth, innerWidth))
  const syncPreview = useCallback((share: number) => {
    const pane = preview.current
    if (pane) pane.scrollTop = share * (pane.scrollHeight - pane.clientHeight)
  }, [])
  const isProject = entry?.kind === 'project' || entry?.kind === 'memory'
  return (
    <>
      <section ref={view} className="flex min-w-0 flex-1 flex-col">
        <ViewHeader
          title={<span className="font-mono text-[13px]">{clipLine(path)}</span>}
          aside={
            <span className="tabular flex gap-3">
              <SaveNote state={file.isGone ? 'notThere' : file.state} />
              <Counts text={settled} hasLimit={isProject} />
            </span>
          }
        >
          {(['preview', 'links', 'blame', 'history'] as const).map((what) => (
            <Button
              key={what}
              look="quiet"
              aria-pressed={shown[what]}
              className="aria-pressed:text-text"
              onClick={() => toggle(what)}
            >
              {t(`file.${what}`)}
            </Button>
          ))}
          <Button
            disabled={(file.state === 'saved' && !file.isGone) || file.state === 'saving'}
            onClick={() => void file.save()}
            title={showKeys('Mod+S')}
          >
            {t('file.save')}
          </Button>
        </ViewHeader>
        {entry?.unsearched && (
          <div role="note" className="border-b border-line bg-side px-5 py-1.5 text-[12px] text-muted">
            <UnsearchedNote agent={agent.id} unsearched={entry.unsearched} />
          </div>
        )}
        {file.isGone ? (
          <GoneNotice file={file} movedTo={gone?.movedTo} />
        ) : (
          file.hasDraft && (
            <Notice text={t('file.draftFound')}>
              <Button onClick={() => void attempt(file.discard().then(onDiscarded))}>{t('file.discardDraft')}</Button>
            </Notice>
          )
        )}
        {file.state === 'conflict' && <Conflict file={file} />}
        {fault && isOpen && line !== undefined && file.state !== 'conflict' && !file.isGone && (
          <FaultNotice
            fault={fault}
            line={line}
            onRewrite={(rewrite) => editor.current?.rewrite(line, rewrite)}
            onDone={() => navigate(paths.file(path))}
          />
        )}
        <div className="flex min-h-0 flex-1">
          <div className="min-w-0 flex-1">
            <ErrorBoundary piece="editor" look="view" of={path}>
              <Suspense fallback={<p className="p-5 text-muted">{t('file.loading')}</p>}>
                {file.state === 'conflict' && file.theirs !== undefined ? (
                  <DiffView theirs={file.theirs} mine={file.text} label={t('file.conflict')} />
                ) : (
                  <Editor
                    ref={takeEditor}
                    content={file.content}
                    line={line}
                    label={t('file.editor', { path })}
                    surroundings={surroundings}
                    margin={margin}
                    onChange={file.type}
                    onScroll={syncPreview}
                  />
                )}
              </Suspense>
            </ErrorBoundary>
          </div>
          {shown.preview && (
            <div
              ref={preview}
              data-testid="preview"
              className="min-w-0 flex-1 overflow-y-auto border-l border-line px-6 py-4"
            >
              <ErrorBoundary piece="preview" look="view" of={settled}>
                <Markdown text={settled} agent={agent.id} links={links} isDocument />
              </ErrorBoundary>
            </div>
          )}
          {!shown.preview && !shown.history && !shown.links && (
            <ErrorBoundary piece="part" of={settled}>
              <Outline text={settled} onChoose={(at) => editor.current?.reveal(at)} />
            </ErrorBoundary>
          )}
        </div>
      </section>
      {shown.links && (
        <ErrorBoundary piece="part" of={path}>
          <LinksPanel agent={agent} path={path} onClose={() => toggle('links')} />
        </ErrorBoundary>
      )}
      {shown.history && (
        <ErrorBoundary piece="part" of={path}>
          <HistoryPanel agent={agent} path={path} onClose={() => toggle('history')} />
        </ErrorBoundary>
      )}
    </>
  )
}

function Notice({ text, children }: { text: string; children: React.ReactNode }) {
  return (
    <div role="alert" className="flex items-center gap-3 border-b border-line bg-found px-5 py-2">
      <span className="flex-1">{text}</span>
      {children}
    </div>
  )
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

/** The file is not there any more: its text is, with the ways on. */
function GoneNotice({ file, movedTo }: { file: EditedFile; movedTo: string | undefined }) {
  const { t } = useTranslation()
  const [, navigate] = useLocation()
  const go = async (path: string) => {
    await file.carryTo(path)
    navigate(paths.file(path))
  }
  const close = async () => {
    await file.discard()
    navigate(paths.chat())
  }
  return (
    <Notice text={movedTo === undefined ? t('file.gone') : t('file.goneTo', { path: clipLine(movedTo) })}>
      {movedTo !== undefined && <Button onClick={() => void attempt(go(movedTo))}>{t('file.goThere')}</Button>}
      <Button onClick={() => void file.save()}>{t('file.saveAnew')}</Button>
      <Button onClick={() => void attempt(close())}>{t('file.letGo')}</Button>
    </Notice>
  )
}

interface FaultNoticeProps {
  readonly fault: Fault
  /** 1-based. */
  readonly line: number
  readonly onRewrite: (rewrite: (line: string) => string | undefined) => void
  readonly onDone: () => void
}

/** A line that was recalled is not right (any more): what can be done about it, at once or by hand. */
function FaultNotice({ fault, line, onRewrite, onDone }: FaultNoticeProps) {
  const { t } = useTranslation()
  const rewrite = () => {
    onRewrite(fault === 'wrong' ? () => undefined : struckOut)
    onDone()
  }
  return (
    <Notice text={t(`file.fault.${fault}`, { line })}>
      <Button onClick={rewrite}>{t(`file.mend.${fault}`)}</Button>
      <Button look="quiet" onClick={onDone}>
        {t('file.byHand')}
      </Button>
    </Notice>
  )
}

function SaveNote({ state }: { state: EditedFile['state'] | 'notThere' }) {
  const { t } = useTranslation()
  return <span role="status">{t(state === 'conflict' ? 'file.unsaved' : `file.${state}`)}</span>
}
