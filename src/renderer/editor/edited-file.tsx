import { skipToken, useQuery } from '@tanstack/react-query'
import { Columns2, Maximize2 } from 'lucide-react'
import { lazy, Suspense, useCallback, useDeferredValue, useEffect, useMemo, useRef, useState } from 'react'
import { t } from 'i18next'
import { toast } from 'sonner'
import type { Appearance, BlamedLine } from '#shared/contract/index.ts'
import { api } from '#lib/api/client.ts'
import { useAgent } from '#lib/agents/current-agent.ts'
import { runWithErrorToast } from '#lib/feedback/toast.ts'
import { LinksPanel } from './links.tsx'
import { useNoteLinks } from '../markdown/document/context.ts'
import { useCauseName } from '#lib/diff-view/diff-card.tsx'
import { HistoryPanel } from './history.tsx'
import type { LineChange } from '../markdown/parse/line-edits.ts'
import type { PreviewHandle } from '../markdown/preview/preview.tsx'
import { NoteMark, NotIndexedNote } from '#lib/notes/note-marks.tsx'
import { addedLines, openSecretsIn } from '#shared/markdown/visibility-edit.ts'
import { SecretOffer } from '#lib/notes/note-remarks.tsx'
import { formatMoment, formatShortDay, formatNumber } from '#lib/i18n/format.ts'
import { Button, IconButton, ErrorBoundary } from '#lib/ui/elements.tsx'
import { loadEditor } from '#lib/i18n/index.ts'
import { clipLine } from '#lib/util/clip.ts'
import { formatBoundKeys, useShortcuts } from '#lib/util/shortcuts.ts'
import { navigate, paths, useMarkedLines } from '#lib/router/paths.ts'
import { ViewHeader } from '#lib/ui/frames.tsx'
import type { EditorHandle } from './editor.tsx'
import { useOpenFile, type DiskFile, type MissingFile, type OtherDraft } from './open-file.ts'
import { attachToNote } from './attachments.ts'
import { togglePanel, type OpenPanels, type Panel } from './panel-layout.ts'
import { sectionsOf } from '#shared/markdown/sections.ts'
import { plainTitle } from '#lib/notes/note-titles.ts'
import { countWords, estimateTokens } from '#shared/util/tokens.ts'
import { useDebounced } from '#lib/util/hooks.ts'

const Editor = lazy(() => loadEditor(() => import('./editor.tsx')))

const Preview = lazy(() => import('../markdown/preview/preview.tsx'))

const DiffView = lazy(() => loadEditor(async () => ({ default: (await import('./editor.tsx')).DiffView })))

/** Delay before the editor mounts if the preview fills the view, in ms. */
const editorMountDelayMs = 400

const storedPanels = ['preview', 'full', 'links'] as const
const storageKey = (panel: (typeof storedPanels)[number]) => `commonplace.file.${panel}`

interface EditedFileProps {
  readonly path: string
  readonly disk: DiskFile
  readonly autosave: Appearance['autosave']
  /** Set if the file was moved or deleted elsewhere since it was opened. */
  readonly missing: MissingFile | undefined
  readonly onDiscarded: () => void
}

export function EditedFile({ path, disk, autosave, missing, onDiscarded }: EditedFileProps) {
  const { id: agent } = useAgent()
  const [panels, setPanels] = useState<OpenPanels>(() => {
    const stored = storedPanels.map((panel) => [panel, localStorage.getItem(storageKey(panel)) === 'yes'] as const)
    return { history: false, blame: false, preview: false, links: false, ...Object.fromEntries(stored) }
  })
  useEffect(() => {
    for (const panel of storedPanels) localStorage.setItem(storageKey(panel), panels[panel] ? 'yes' : 'no')
  }, [panels])
  const marked = useMarkedLines()
  const editor = useRef<EditorHandle>(null)
  const [isEditorMounted, setIsEditorMounted] = useState(false)
  const setEditor = useCallback((handle: EditorHandle | null) => {
    editor.current = handle
    setIsEditorMounted(handle !== null)
  }, [])
  const [compared, setCompared] = useState<OtherDraft>()
  const view = useRef<HTMLElement>(null)
  const preview = useRef<PreviewHandle>(null)
  const onUnsavedClose = useCallback(() => {
    const reopen = { label: t('tool.open'), onClick: () => navigate(paths.file(path)) }
    toast.info(t('file.leftBehind', { path: clipLine(path) }), { action: reopen })
  }, [path])
  const file = useOpenFile(agent, path, disk, { autosave, missing, onUnsavedClose })
  const deferredText = useDeferredValue(file.text)
  const [openedText] = useState(file.text)
  const secrets = useMemo(
    () => openSecretsIn(deferredText, addedLines(openedText, deferredText)),
    [openedText, deferredText],
  )
  const files = useQuery(api.workspace.list.queryOptions({ input: { agent: agent } }))
  const entry = files.data?.find((listed) => listed.path === path)
  const links = useNoteLinks(path)
  const linkContext = useMemo(() => ({ path, ...links }), [path, links])
  const blameMargin = useBlameMargin(agent, path, panels.blame)
  const newPathButton = useRef<HTMLButtonElement>(null)
  // A moved file must not be written to its old path: saving focuses the button that opens the new path.
  const save = () => {
    if (newPathButton.current) newPathButton.current.focus()
    else void file.save()
  }
  useShortcuts({ 'Mod+S': save })
  const toggle = (panel: Panel) =>
    setPanels(togglePanel(panels, panel, view.current?.parentElement?.clientWidth ?? innerWidth, innerWidth))
  const isPreviewFull = panels.preview && panels.full === true
  // Behind a full preview, the editor mounts later. Edits in the preview, such as ticking a task, need it.
  const [shouldMountEditor, setShouldMountEditor] = useState(!isPreviewFull)
  if (!isPreviewFull && !shouldMountEditor) setShouldMountEditor(true)
  useEffect(() => {
    const timer = setTimeout(() => setShouldMountEditor(true), editorMountDelayMs)
    return () => clearTimeout(timer)
  }, [])
  const syncPreview = useCallback((topLine: number) => preview.current?.follow(topLine), [])
  const changeLine = useCallback((line: number, change: LineChange) => editor.current?.change(line, change), [])
  const onFile = useCallback(
    async (source: File) => (await runWithErrorToast(attachToNote(agent, path, source)))?.value,
    [agent, path],
  )
  const movedTo = missing?.movedTo
  const openNewPath = async (newPath: string) => {
    await file.continueIn(newPath)
    navigate(paths.file(newPath))
  }
  const status = file.isMissing ? 'notThere' : file.state === 'conflict' ? 'unsaved' : file.state
  const isContextFile = entry?.kind === 'project' || entry?.kind === 'memory'
  return (
    <>
      <section ref={view} className="flex min-w-0 flex-1 flex-col">
        <ViewHeader
          title={
            <>
              <span className="font-mono text-[13px]">{clipLine(path)}</span>
              {entry?.privacy && <NoteMark privacy={entry.privacy} className="pl-2 align-middle" />}
            </>
          }
          aside={
            // The counts wrap to the second line, which is hidden, if both do not fit.
            <span className="tabular flex h-[1lh] flex-wrap gap-x-3 overflow-hidden whitespace-nowrap">
              <span role="status">{t(`file.${status}`)}</span>
              <TextCounts text={deferredText} hasLimit={isContextFile} />
            </span>
          }
        >
          {(['preview', 'links', 'blame', 'history'] as const).map((panel) => (
            <Button key={panel} look="quiet" aria-pressed={panels[panel]} onClick={() => toggle(panel)}>
              {t(`file.${panel}`)}
            </Button>
          ))}
          {panels.preview && (
            <IconButton
              icon={isPreviewFull ? Columns2 : Maximize2}
              label={t('preview.full')}
              aria-pressed={isPreviewFull}
              className="max-[700px]:hidden"
              onClick={() => toggle('full')}
            />
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
            <NotIndexedNote unsearched={entry.unsearched} />
          </div>
        )}
        {file.isMissing && (
          <Notice text={movedTo === undefined ? t('file.gone') : t('file.goneTo', { path: clipLine(movedTo) })}>
            {movedTo !== undefined && (
              <Button ref={newPathButton} onClick={() => void runWithErrorToast(openNewPath(movedTo))}>
                {t('file.goThere')}
              </Button>
            )}
            <Button onClick={() => void file.save()}>{t('file.saveAnew')}</Button>
            <Button onClick={() => void runWithErrorToast(file.discard().then(() => navigate(paths.chat())))}>
              {t('file.letGo')}
            </Button>
          </Notice>
        )}
        {!file.isMissing && file.hasDraft && (
          <Notice text={t('file.draftFound')}>
            <Button onClick={() => void runWithErrorToast(file.discard().then(onDiscarded))}>
              {t('file.discardDraft')}
            </Button>
          </Notice>
        )}
        {file.state === 'conflict' && (
          <Notice text={t('file.conflict')}>
            <Button onClick={() => void file.resolve('mine')}>{t('file.keepMine')}</Button>
            <Button onClick={() => void file.resolve('theirs')}>{t('file.takeTheirs')}</Button>
            <Button onClick={() => void file.resolve('both')}>{t('file.both')}</Button>
          </Notice>
        )}
        {secrets[0] && isEditorMounted && (
          <SecretOffer
            secret={secrets[0]}
            className="border-b border-line px-5 py-1.5"
            onAccept={() => editor.current?.makePrivate((line) => secrets.some((secret) => secret.line === line))}
          />
        )}
        {file.otherDrafts.map((draft) => (
          <Notice key={draft.writer} text={t('draft.ofFile', { when: formatMoment(draft.at) })}>
            <Button
              aria-pressed={compared === draft}
              onClick={() => setCompared(compared === draft ? undefined : draft)}
            >
              {t(compared === draft ? 'draft.hide' : 'draft.show')}
            </Button>
            <Button onClick={() => file.loadDraft(draft)}>{t('draft.take')}</Button>
            <Button onClick={() => file.discardDraft(draft)}>{t('draft.discard')}</Button>
          </Notice>
        ))}
        <div className="flex min-h-0 flex-1">
          <div className={`min-w-0 flex-1 ${isPreviewFull ? 'hidden' : panels.preview ? 'max-[700px]:hidden' : ''}`}>
            <ErrorBoundary piece="editor" variant="view" resetKey={path}>
              <Suspense fallback={<p className="p-5 text-muted">{t('file.loading')}</p>}>
                {compared && file.otherDrafts.includes(compared) ? (
                  <DiffView original={file.text} modified={compared.draft.text} label={t('draft.comparison')} />
                ) : file.state === 'conflict' && file.conflictingText !== undefined ? (
                  <div className="flex h-full flex-col">
                    <ConflictSides path={path} />
                    <div className="min-h-0 flex-1">
                      <DiffView original={file.conflictingText} modified={file.text} label={t('file.conflict')} />
                    </div>
                  </div>
                ) : !shouldMountEditor ? null : (
                  <Editor
                    ref={setEditor}
                    content={file.content}
                    marked={marked}
                    label={t('file.editor', { path })}
                    linkContext={linkContext}
                    margin={blameMargin}
                    onChange={file.edit}
                    onSave={save}
                    onFile={onFile}
                    onScroll={syncPreview}
                  />
                )}
              </Suspense>
            </ErrorBoundary>
          </div>
          {panels.preview && (
            <div
              className={`flex min-w-0 flex-1 flex-col ${isPreviewFull ? '' : 'min-[700px]:border-l min-[700px]:border-line'}`}
              onKeyDown={(event) => {
                const key = event.key.toLowerCase()
                const isTextField = event.target instanceof HTMLInputElement && event.target.type === 'text'
                if (!(event.ctrlKey || event.metaKey) || isTextField || (key !== 'z' && key !== 'y')) return
                event.preventDefault()
                if (key === 'y' || event.shiftKey) editor.current?.redo()
                else editor.current?.undo()
              }}
            >
              <ErrorBoundary piece="preview" variant="view" resetKey={deferredText}>
                <Suspense>
                  <Preview
                    ref={preview}
                    path={path}
                    text={deferredText}
                    isWide={isPreviewFull}
                    marked={marked}
                    onEdit={file.state === 'conflict' || !isEditorMounted ? undefined : changeLine}
                  />
                </Suspense>
              </ErrorBoundary>
            </div>
          )}
          {(!panels.preview || isPreviewFull) && !panels.history && !panels.links && (
            <ErrorBoundary piece="part" resetKey={deferredText}>
              <Outline
                text={deferredText}
                onChoose={(line) => (isPreviewFull ? preview.current?.follow(line) : editor.current?.reveal(line))}
              />
            </ErrorBoundary>
          )}
        </div>
      </section>
      <ErrorBoundary piece="part" resetKey={panels}>
        {panels.links && <LinksPanel path={path} onClose={() => toggle('links')} />}
        {panels.history && <HistoryPanel path={path} onClose={() => toggle('history')} />}
      </ErrorBoundary>
    </>
  )
}

function ConflictSides({ path }: { path: string }) {
  const { id: agent } = useAgent()
  const causeName = useCauseName()
  const latest = useQuery(api.history.timeline.queryOptions({ input: { agent, path, limit: 1 } })).data?.[0]
  // The latest change by the user was made in another window, since this one has not saved.
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

/**
 * Returns a text for each line with its author and day, empty if the line above is from the same change, and a click
 * handler that opens the chat in which the line was written. Undefined while hidden or loading.
 */
function useBlameMargin(agent: string, path: string, isShown: boolean) {
  const causeName = useCauseName()
  const { data: lines } = useQuery(api.history.blame.queryOptions({ input: isShown ? { agent, path } : skipToken }))
  return useMemo(() => {
    if (!lines) return undefined
    const formatNote = (line: BlamedLine) =>
      [causeName(line), formatShortDay(line.at), ...(line.sources ?? []).slice(0, 1)].join(' · ')
    return {
      notes: lines.map((line, index) => (lines[index - 1]?.change === line.change ? '' : formatNote(line))),
      onClick(line: number) {
        const { session, turn } = lines[line - 1] ?? {}
        if (session !== undefined) navigate(paths.chat(session, turn))
      },
    }
  }, [lines, causeName])
}

function Notice({ text, children }: { text: string; children: React.ReactNode }) {
  return (
    <div
      role="alert"
      className="flex flex-wrap items-center gap-x-3 gap-y-1 border-b border-line bg-found px-5 py-2 max-sm:px-3"
    >
      <span className="min-w-40 flex-1">{text}</span>
      {children}
    </div>
  )
}

const minHeadings = 3
const maxHeadings = 1000

function Outline({ text, onChoose }: { text: string; onChoose: (line: number) => void }) {
  const sections = useMemo(() => (text.length > maxCountedLength ? [] : sectionsOf(text.split('\n'))), [text])
  if (sections.length < minHeadings) return null
  return (
    <nav
      aria-label={t('file.outline')}
      className="hidden w-52 shrink-0 overflow-y-auto border-l border-line px-2 py-3 text-[12px] xl:block"
    >
      {sections.slice(0, maxHeadings).map(({ title, level, from: line }) => (
        <button
          key={line}
          type="button"
          onClick={() => onChoose(line)}
          className="block min-h-6 w-full truncate rounded-sm px-2 text-left text-muted hover:bg-soft hover:text-text"
          style={{ paddingLeft: level * 8 }}
        >
          {clipLine(plainTitle(title), 100)}
        </button>
      ))}
      {sections.length > maxHeadings && <p className="px-2 py-1 text-muted">…</p>}
    </nav>
  )
}

/** A request includes at most this many characters of a context file. */
const maxContextCharacters = 20_000

/** Longer texts are not counted, or counted after a pause in typing. In characters. */
const maxCountedLength = 500_000
const maxImmediateLength = 30_000
const debounceMs = 500

function TextCounts({ text, hasLimit }: { text: string; hasLimit: boolean }) {
  const debouncedText = useDebounced(text, text.length > maxImmediateLength ? debounceMs : 0)
  const isTooLong = text.length > maxCountedLength
  const { words, tokens } = useMemo(() => {
    const counted = isTooLong ? '' : debouncedText
    return { words: formatNumber(countWords(counted)), tokens: formatNumber(estimateTokens(counted)) }
  }, [debouncedText, isTooLong])
  if (isTooLong) return null
  if (!hasLimit || text.length <= maxContextCharacters)
    return <span className="max-sm:hidden">{t('file.words', { words, tokens })}</span>
  const limit = formatNumber(maxContextCharacters)
  return <span className="text-warning">{t('file.limit', { characters: formatNumber(text.length), limit })}</span>
}
