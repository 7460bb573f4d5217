import { useQuery } from '@tanstack/react-query'
import { lazy, Suspense, useCallback, useDeferredValue, useMemo, useRef, useState } from 'react'
import { useTranslation } from 'react-i18next'
import { useLocation } from 'wouter'
import { countWords, estimateTokens } from '../../shared/tokens.ts'
import type { Agent, Appearance, BlamedLine } from '../../shared/contract/index.ts'
import { sectionsOf } from '../../shared/sections.ts'
import { api } from '../api/index.ts'
import { ErrorState, isErrorOf } from '../feedback/index.ts'
import { Markdown } from '../markdown/markdown.tsx'
import { useCauseName } from '../history/change-label.tsx'
import { HistoryPanel } from '../history/history-panel.tsx'
import { formatNumber, formatShortDay } from '../i18n/format.ts'
import { Button } from '../ui/button.tsx'
import { clipLine } from '../ui/clip.ts'
import { ErrorBoundary } from '../ui/error-boundary.tsx'
import { showKeys, useShortcuts } from '../ui/keys.ts'
import { LongText } from '../ui/long-text.tsx'
import { lineOfHash, paths, useHash } from '../navigate.ts'
import { EmptyState, Skeleton } from '../ui/states.tsx'
import { ViewHeader } from '../ui/view-header.tsx'
import type { EditorHandle } from './editor.tsx'
import { linkResolver } from './markdown-edits.ts'
import { useOpenFile, type DiskFile, type OpenFile as EditedFile } from './open-file.ts'

/** Monaco is heavy: it is loaded when a file is first opened. */
const Editor = lazy(() => import('./editor.tsx'))
const DiffView = lazy(() => import('./diff-view.tsx'))

export function FileView({ agent, path }: { agent: Agent; path: string }) {
  const { t } = useTranslation()
  const file = useQuery(api.workspace.read.queryOptions({ input: { agent: agent.id, path } }))
  const settings = useQuery(api.settings.get.queryOptions())
  const [isNew, setIsNew] = useState(false)
  const autosave = settings.data?.appearance.autosave ?? 'leave'
  if (file.data?.readOnly) return <ReadOnlyFile path={path} text={file.data.text} />
  if (file.data) return <OpenFile agent={agent} path={path} disk={file.data} autosave={autosave} />
  if (isNew) return <OpenFile agent={agent} path={path} disk={nothing} autosave={autosave} />
  return (
    <section className="flex min-w-0 flex-1 flex-col">
      <ViewHeader title={<span className="font-mono text-[13px]">{clipLine(path)}</span>} />
      {isErrorOf(file.error, 'file_not_found') ? (
        <EmptyState title={t('file.notFound', { path })}>
          <Button onClick={() => setIsNew(true)}>{t('file.create')}</Button>
        </EmptyState>
      ) : file.error ? (
        <ErrorState error={file.error} onRetry={() => void file.refetch()} />
      ) : (
        <Skeleton lines={12} />
      )}
    </section>
  )
}

/** A file of an extra folder, or of another agent that shares its memory. */
function ReadOnlyFile({ path, text }: { path: string; text: string }) {
  const { t } = useTranslation()
  const line = lineOfHash(useHash())
  const owner = /^@([^/]+)\//.exec(path)?.[1]
  return (
    <section aria-label={path} className="flex min-w-0 flex-1 flex-col">
      <ViewHeader
        title={<span className="font-mono text-[13px]">{clipLine(path)}</span>}
        aside={owner === undefined ? t('file.readOnly') : t('file.shared', { agent: owner })}
      />
      <LongText text={text} label={path} line={line} />
    </section>
  )
}

const nothing: DiskFile = { text: '', hash: null }
/** Characters of a project-context file that a request takes (M3). */
const maxContextCharacters = 20_000
/** Words of larger texts are not counted while they are typed. */
const maxCounted = 500_000

interface OpenFileProps {
  readonly agent: Agent
  readonly path: string
  readonly disk: DiskFile
  readonly autosave: Appearance['autosave']
}

function OpenFile({ agent, path, disk, autosave }: OpenFileProps) {
  const { t } = useTranslation()
  const [, navigate] = useLocation()
  const [shown, setShown] = useState({ preview: false, history: false, blame: false })
  const line = lineOfHash(useHash())
  const editor = useRef<EditorHandle>(null)
  const preview = useRef<HTMLDivElement>(null)
  const file = useOpenFile(agent.id, path, disk, autosave)
  // What is typed appears first; what is made of it follows.
  const settled = useDeferredValue(file.text)
  const files = useQuery(api.workspace.list.queryOptions({ input: { agent: agent.id } }))
  const entry = files.data?.find((known) => known.path === path)
  const surroundings = useMemo(() => {
    const names = (files.data ?? []).map((known) => known.path)
    return {
      path,
      files: names,
      resolve: linkResolver(path, names),
      open: (target: string) => navigate(paths.file(target)),
    }
  }, [path, files.data, navigate])
  const margin = useBlameMargin(agent.id, path, shown.blame)
  useShortcuts({ 'Mod+S': () => void file.save() })
  const toggle = (what: keyof typeof shown) => setShown({ ...shown, [what]: !shown[what] })
  const syncPreview = useCallback((share: number) => {
    const pane = preview.current
    if (pane) pane.scrollTop = share * (pane.scrollHeight - pane.clientHeight)
  }, [])
  const isProject = entry?.kind === 'project' || entry?.kind === 'memory'
  return (
    <>
      <section className="flex min-w-0 flex-1 flex-col">
        <ViewHeader
          title={<span className="font-mono text-[13px]">{clipLine(path)}</span>}
          aside={
            <span className="tabular flex gap-3">
              <SaveNote state={file.state} />
              <Counts text={settled} hasLimit={isProject} />
            </span>
          }
        >
          {(['preview', 'blame', 'history'] as const).map((what) => (
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
            disabled={file.state === 'saved' || file.state === 'saving'}
            onClick={() => void file.save()}
            title={showKeys('Mod+S')}
          >
            {t('file.save')}
          </Button>
        </ViewHeader>
        {file.hasDraft && (
          <Notice text={t('file.draftFound')}>
            <Button onClick={file.discard}>{t('file.discardDraft')}</Button>
          </Notice>
        )}
        {file.state === 'conflict' && <Conflict file={file} />}
        <div className="flex min-h-0 flex-1">
          <div className="min-w-0 flex-1">
            <ErrorBoundary piece="editor" look="view" of={path}>
              <Suspense fallback={<p className="p-5 text-muted">{t('file.loading')}</p>}>
                {file.state === 'conflict' && file.theirs !== undefined ? (
                  <DiffView theirs={file.theirs} mine={file.text} label={t('file.conflict')} />
                ) : (
                  <Editor
                    ref={editor}
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
                <Markdown text={settled} agent={agent.id} resolve={surroundings.resolve} isDocument />
              </ErrorBoundary>
            </div>
          )}
          {!shown.preview && !shown.history && (
            <ErrorBoundary piece="part" of={settled}>
              <Outline text={settled} onChoose={(at) => editor.current?.reveal(at)} />
            </ErrorBoundary>
          )}
        </div>
      </section>
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

function SaveNote({ state }: { state: EditedFile['state'] }) {
  const { t } = useTranslation()
  return <span role="status">{t(state === 'conflict' ? 'file.unsaved' : `file.${state}`)}</span>
}

/** How much it is; for what every request takes, also how much of it fits. */
function Counts({ text, hasLimit }: { text: string; hasLimit: boolean }) {
  const { t } = useTranslation()
  if (text.length > maxCounted) return null
  const isOver = text.length > maxContextCharacters
  return (
    <span className={hasLimit && isOver ? 'text-warning' : ''}>
      {hasLimit && isOver
        ? t('file.limit', { characters: formatNumber(text.length), limit: formatNumber(maxContextCharacters) })
        : t('file.words', { words: formatNumber(countWords(text)), tokens: formatNumber(estimateTokens(text)) })}
    </span>
  )
}

/** This many headings make an outline worth its place. */
const fewHeadings = 3
/** Beyond this it is no outline any more. */
const maxHeadings = 1000

function Outline({ text, onChoose }: { text: string; onChoose: (line: number) => void }) {
  const { t } = useTranslation()
  const sections = useMemo(() => (text.length > maxCounted ? [] : sectionsOf(text.split('\n'))), [text])
  if (sections.length < fewHeadings) return null
  return (
    <nav
      aria-label={t('file.outline')}
      className="hidden w-52 shrink-0 overflow-y-auto border-l border-line px-2 py-3 text-[12px] xl:block"
    >
      {sections.slice(0, maxHeadings).map(({ title, level, from }) => (
        <button
          key={from}
          type="button"
          onClick={() => onChoose(from)}
          className="block min-h-6 w-full truncate rounded-sm px-2 text-left text-muted hover:bg-soft hover:text-text"
          style={{ paddingLeft: level * 8 }}
        >
          {clipLine(title, 100)}
        </button>
      ))}
      {sections.length > maxHeadings && <p className="px-2 py-1 text-muted">…</p>}
    </nav>
  )
}

/** Who wrote each line, beside it; a click leads to the chat that it was written in. */
function useBlameMargin(agent: string, path: string, isShown: boolean) {
  const [, navigate] = useLocation()
  const nameOf = useCauseName(agent)
  const blame = useQuery({ ...api.history.blame.queryOptions({ input: { agent, path } }), enabled: isShown })
  const lines = isShown ? blame.data : undefined
  return useMemo(() => {
    if (!lines) return undefined
    const note = ({ cause, at }: BlamedLine) => `${nameOf(cause)} · ${formatShortDay(at)}`
    return {
      notes: lines.map((blamed, index) => (lines[index - 1]?.commit === blamed.commit ? '' : note(blamed))),
      onClick(line: number) {
        const { session, turn } = lines[line - 1] ?? {}
        if (session !== undefined) navigate(paths.chat(session, turn))
      },
    }
  }, [lines, nameOf, navigate])
}
