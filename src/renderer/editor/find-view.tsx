import { CaseSensitive, Regex } from 'lucide-react'
import { useMemo, useState } from 'react'
import { t } from 'i18next'
import { Link } from 'wouter'
import type { LeftFile, UnreadFile } from '#shared/contract/index.ts'
import { ErrorState, EmptyState, Button, IconButton, Progress, TextInput, useTextField } from '#lib/ui/elements.tsx'
import { formatNumber } from '#lib/i18n/format.ts'
import { Dialog, ViewHeader } from '#lib/ui/frames.tsx'
import { useDebounced } from '#lib/util/hooks.ts'
import { VirtualRows } from '#lib/ui/virtual-rows.tsx'
import { paths } from '#lib/router/paths.ts'
import { findRows, keyOfFindRow, type FindRow } from './rows.ts'
import { skipToken, useQuery } from '@tanstack/react-query'
import { api, client, queryClient } from '#lib/api/client.ts'
import { useAgent } from '#lib/agents/current-agent.ts'
import { toast } from 'sonner'
import { runWithErrorToast, showSuccess } from '#lib/feedback/toast.ts'

const debounceMs = 150
const maxListedFiles = 20

export function FindView() {
  const { id: agent } = useAgent()
  const [text, setText] = useState('')
  const [replacement, setReplacement] = useState('')
  const [isPattern, setIsPattern] = useState(false)
  const [matchCase, setMatchCase] = useState(false)
  const [isConfirming, setIsConfirming] = useState(false)
  const debouncedText = useDebounced(text, debounceMs)
  const result = useFind({ agent: agent, text: debouncedText, isPattern, matchCase })
  const { progress, skipped, replace, stop } = useReplace(agent)
  const { searchId } = result
  const isReady = searchId !== undefined && debouncedText === text && progress === undefined
  return (
    <section aria-label={t('find.title')} className="flex min-w-0 flex-1 flex-col">
      <ViewHeader title={t('find.title')} aside={debouncedText === '' ? '' : <MatchCount result={result} />} />
      <div className="flex flex-col gap-2 border-b border-line px-5 py-3">
        <div className="flex items-center gap-2">
          <input
            autoFocus
            {...useTextField(text, setText)}
            aria-label={t('find.text')}
            placeholder={t('find.text')}
            className={fieldClassName}
          />
          <IconButton
            icon={CaseSensitive}
            label={t('find.matchCase')}
            aria-pressed={matchCase}
            onClick={() => setMatchCase(!matchCase)}
          />
          <IconButton
            icon={Regex}
            label={t('find.pattern')}
            aria-pressed={isPattern}
            onClick={() => setIsPattern(!isPattern)}
          />
        </div>
        <div className="flex items-center gap-2">
          <TextInput
            value={replacement}
            aria-label={t('find.replacement')}
            placeholder={t('find.replacement')}
            onChange={setReplacement}
            className={fieldClassName}
          />
          <Button disabled={!isReady || result.count === 0} onClick={() => setIsConfirming(true)}>
            {t('find.replaceAll')}
          </Button>
        </div>
        {progress && (
          <div className="tabular flex items-center gap-3" data-testid="replacing">
            <Progress label={t('find.replacing')} {...progress} className="h-1.5 min-w-0 flex-1 accent-accent" />
            {t('import.progress', { done: formatNumber(progress.done), total: formatNumber(progress.total) })}
            <Button onClick={stop}>{t('chat.stop')}</Button>
          </div>
        )}
        {skipped.length > 0 && (
          <SkippedFiles role="alert" title={t('find.left', { count: skipped.length })} files={skipped} />
        )}
        {result.unread.length > 0 && searchId !== undefined && (
          <SkippedFiles role="note" title={t('find.unread', { count: result.unread.length })} files={result.unread} />
        )}
      </div>
      <div
        className="min-h-0 flex-1 overflow-y-auto px-5 py-3"
        tabIndex={0}
        aria-label={t('find.results')}
        role="region"
      >
        {result.error ? (
          <ErrorState error={result.error} />
        ) : debouncedText === '' ? (
          <EmptyState title={t('find.empty')} hint={t('find.emptyHint')} />
        ) : searchId !== undefined && result.files.length === 0 ? (
          <EmptyState
            title={t(result.unread.length > 0 ? 'find.nothingRead' : 'find.nothing', { text: debouncedText })}
          />
        ) : (
          <Results
            key={debouncedText}
            result={result}
            isReady={isReady}
            onReplace={(path) => searchId !== undefined && void replace(searchId, replacement, [path])}
          />
        )}
      </div>
      {isConfirming && searchId !== undefined && (
        <Dialog
          title={t('find.confirm', { count: result.count, files: t('find.inFiles', { count: result.files.length }) })}
          action={t('find.replaceNow')}
          focusesAction
          onSubmit={() => {
            setIsConfirming(false)
            void replace(searchId, replacement)
          }}
          onClose={() => setIsConfirming(false)}
        >
          <p className="max-h-40 overflow-y-auto font-mono text-[12px] break-all">
            {debouncedText} → {replacement || <span className="text-muted">{t('find.byNothing')}</span>}
          </p>
          <p className="text-[12px] text-muted">{t('find.confirmHint')}</p>
        </Dialog>
      )}
    </section>
  )
}

const fieldClassName =
  'min-w-0 flex-1 rounded-sm border border-line bg-raised px-3 py-1.5 font-mono text-[12px] outline-none focus:border-accent'

function MatchCount({ result: { count, files, done, total, searchId } }: { result: FindResult }) {
  const found = t('find.count', { count, files: t('find.inFiles', { count: files.length }) })
  const text = t('find.sofar', { found, done: formatNumber(done), total: formatNumber(total) })
  return <span role="status">{searchId === undefined ? text : found}</span>
}

interface SkippedFilesProps {
  readonly role: 'alert' | 'note'
  readonly title: string
  readonly files: readonly (UnreadFile | LeftFile)[]
}

function SkippedFiles({ role, title, files }: SkippedFilesProps) {
  const lineOf = (file: UnreadFile | LeftFile) => ('line' in file ? file.line : undefined)
  return (
    <div role={role} aria-label={title} tabIndex={0} className="max-h-32 overflow-y-auto text-[12px]">
      <p className="text-warning">{title}</p>
      {files.slice(0, maxListedFiles).map((file) => (
        <p key={file.path}>
          <Link href={paths.file(file.path, lineOf(file))} className="font-mono hover:underline">
            {[file.path, lineOf(file)].filter(Boolean).join(':')}
          </Link>{' '}
          <span className="text-muted">{t(`find.reason.${file.reason}`)}</span>
        </p>
      ))}
      {files.length > maxListedFiles && (
        <p className="text-muted">{t('find.moreFiles', { count: files.length - maxListedFiles })}</p>
      )}
    </div>
  )
}

interface ResultsProps {
  readonly result: FindResult
  readonly isReady: boolean
  readonly onReplace: (path: string) => void
}

function Results({ result: { files }, isReady, onReplace }: ResultsProps) {
  const [expandedPaths, setExpandedPaths] = useState<ReadonlySet<string>>(new Set())
  const rows = useMemo(() => findRows(files, expandedPaths), [files, expandedPaths])
  const renderRow = (row: FindRow) => {
    switch (row.kind) {
      case 'file': {
        const { path, count } = row.file
        return (
          <h2 data-testid="found-file" className="flex items-center gap-3 pt-3 font-mono text-[12px]">
            <Link href={paths.file(path)} className="min-w-0 truncate hover:underline">
              {path}
            </Link>
            <span className="tabular text-muted">{formatNumber(count)}</span>
            <Button
              look="link"
              className="shrink-0"
              aria-label={t('find.replaceIn', { path })}
              disabled={!isReady}
              onClick={() => onReplace(path)}
            >
              {t('find.replaceHere')}
            </Button>
          </h2>
        )
      }
      case 'line':
        return (
          <Link
            href={paths.file(row.path, row.line)}
            className="flex gap-3 rounded-sm px-1 py-0.5 font-mono text-[12px] hover:bg-soft"
          >
            <span className="tabular w-10 shrink-0 text-right text-muted">{row.line}</span>
            <span className="min-w-0 truncate">{row.text}</span>
          </Link>
        )
      case 'more':
        return row.unlisted > 0 ? (
          <p className="pl-14 text-[12px] text-muted">{t('find.unlisted', { count: row.unlisted })}</p>
        ) : (
          <Button
            look="link"
            className="pl-14!"
            onClick={() => setExpandedPaths(new Set([...expandedPaths, row.path]))}
          >
            {t('find.more', { count: row.hidden })}
          </Button>
        )
    }
  }
  return (
    <VirtualRows label={t('find.results')} rows={rows} keyOf={keyOfFindRow} estimateHeight={estimateHeight}>
      {renderRow}
    </VirtualRows>
  )
}

const estimateHeight = ({ kind }: FindRow) => (kind === 'file' ? 40 : 24)

type FindResult = ReturnType<typeof useFind>

/** Searches the files and updates the result while it runs. An empty text finds nothing. */
function useFind(input: Parameters<typeof client.find.run>[0]) {
  const search = api.find.run.experimental_streamedOptions({ input: input.text === '' ? skipToken : input, gcTime: 0 })
  const { data: events = [], error } = useQuery(search)
  return useMemo(() => {
    const steps = events.filter((event) => event.type === 'found')
    const files = steps.flatMap(({ found }) => found)
    return {
      files,
      unread: steps.flatMap(({ unread }) => unread),
      /** Matches in all files, including those not listed. */
      count: files.reduce((sum, file) => sum + file.count, 0),
      /** Number of searched files; `total` is the number to search. */
      done: steps.at(-1)?.done ?? 0,
      total: steps.at(-1)?.total ?? 0,
      /** Undefined while the search runs. */
      searchId: events.find((event) => event.type === 'done')?.search,
      error,
    }
  }, [events, error])
}

/** Replaces matches of a search. Each replacement or undo repeats the search, since files may have changed. */
function useReplace(agent: string) {
  const [progress, setProgress] = useState<{ readonly done: number; readonly total: number }>()
  const [runningSearch, setRunningSearch] = useState<string>()
  const [skipped, setSkipped] = useState<readonly LeftFile[]>([])

  async function track<T extends { left: LeftFile[] } | undefined>(work: Promise<T>, searchId?: string): Promise<T> {
    setProgress({ done: 0, total: 0 })
    // An undo cannot be stopped.
    setRunningSearch(searchId)
    setSkipped([])
    try {
      const outcome = await work
      setSkipped(outcome?.left ?? [])
      return outcome
    } finally {
      setProgress(undefined)
      void queryClient.resetQueries({ queryKey: api.find.run.key() })
    }
  }

  async function runReplace(searchId: string, replacement: string, paths?: readonly string[]) {
    const input = { agent, search: searchId, replacement, paths: paths && [...paths] }
    for await (const event of await client.find.replace(input)) {
      if (event.type === 'done') return event
      setProgress(event)
    }
    return undefined
  }

  async function undoReplace(change: number) {
    const { notes } = await track(client.history.revert({ agent, change }))
    toast(t('find.takenBack', { count: notes }))
  }

  /** @param paths files to change; all matching files if omitted */
  async function replace(searchId: string, replacement: string, paths?: readonly string[]) {
    const outcome = (await runWithErrorToast(track(runReplace(searchId, replacement, paths), searchId)))?.value
    if (!outcome) return
    const { count, files, change } = outcome
    const message = outcome.isStopped
      ? t('find.stopped')
      : t('find.replaced', { count, files: t('find.inFiles', { count: files }) })
    if (change === null) toast(message)
    else showSuccess(message, () => undoReplace(change))
  }

  return {
    progress,
    skipped,
    replace,
    stop() {
      if (runningSearch !== undefined) void runWithErrorToast(client.find.stop({ agent, search: runningSearch }))
    },
  }
}
