/** Finds a text in all files as it stands, and replaces it: file by file or everywhere, with a way back. */
import { skipToken, useMutation, useQuery } from '@tanstack/react-query'
import { CaseSensitive, Regex } from 'lucide-react'
import { useDeferredValue, useState } from 'react'
import { useTranslation } from 'react-i18next'
import { Link } from 'wouter'
import type { Agent, ReplacedFile } from '../../shared/contract/index.ts'
import { api, client } from '../api/index.ts'
import { ErrorState, tellDone } from '../feedback/index.ts'
import { Button, IconButton } from '../ui/button.tsx'
import { clipLine } from '../ui/clip.ts'
import { ErrorBoundary } from '../ui/error-boundary.tsx'
import { paths } from '../navigate.ts'
import { EmptyState } from '../ui/states.tsx'
import { ViewHeader } from '../ui/view-header.tsx'

/** Lines of a file that are shown at first. */
const fewLines = 5

export function FindView({ agent }: { agent: Agent }) {
  const { t } = useTranslation()
  const [text, setText] = useState('')
  const [replacement, setReplacement] = useState('')
  const [isPattern, setIsPattern] = useState(false)
  const [matchCase, setMatchCase] = useState(false)
  const wanted = useDeferredValue(text)
  const options = { text: wanted, isPattern, matchCase }
  const found = useQuery(
    api.workspace.find.queryOptions({ input: wanted === '' ? skipToken : { agent: agent.id, ...options } }),
  )
  const files = found.data?.files ?? []
  const count = files.reduce((sum, file) => sum + file.count, 0)
  const replace = useReplace(agent.id)
  const replaceIn = (targets: readonly string[]) => replace.mutate({ ...options, replacement, paths: [...targets] })
  return (
    <section aria-label={t('find.title')} className="flex min-w-0 flex-1 flex-col">
      <ViewHeader
        title={t('find.title')}
        aside={wanted === '' ? '' : t('find.count', { count, files: files.length })}
      />
      <div className="flex flex-col gap-2 border-b border-line px-5 py-3">
        <div className="flex items-center gap-2">
          <input
            autoFocus
            value={text}
            aria-label={t('find.text')}
            placeholder={t('find.text')}
            onChange={(event) => setText(event.target.value)}
            className={fieldLook}
          />
          <IconButton
            label={t('find.matchCase')}
            aria-pressed={matchCase}
            className={toggleLook}
            onClick={() => setMatchCase(!matchCase)}
          >
            <CaseSensitive size={15} />
          </IconButton>
          <IconButton
            label={t('find.pattern')}
            aria-pressed={isPattern}
            className={toggleLook}
            onClick={() => setIsPattern(!isPattern)}
          >
            <Regex size={15} />
          </IconButton>
        </div>
        <div className="flex items-center gap-2">
          <input
            value={replacement}
            aria-label={t('find.replacement')}
            placeholder={t('find.replacement')}
            onChange={(event) => setReplacement(event.target.value)}
            className={fieldLook}
          />
          <Button disabled={count === 0 || replace.isPending} onClick={() => replaceIn(files.map(({ path }) => path))}>
            {t('find.replaceAll')}
          </Button>
        </div>
      </div>
      <div className="min-h-0 flex-1 overflow-y-auto px-5 py-3">
        {found.error ? (
          <ErrorState error={found.error} />
        ) : wanted === '' ? (
          <EmptyState title={t('find.empty')} hint={t('find.emptyHint')} />
        ) : found.data && files.length === 0 ? (
          <EmptyState title={t('find.nothing', { text: wanted })} />
        ) : (
          files.map((file) => (
            <ErrorBoundary key={file.path} piece="row" of={file}>
              <FoundFile file={file} onReplace={() => replaceIn([file.path])} isBusy={replace.isPending} />
            </ErrorBoundary>
          ))
        )}
        {found.data?.complete === false && <p className="text-warning">{t('find.incomplete')}</p>}
      </div>
    </section>
  )
}

const fieldLook =
  'min-w-0 flex-1 rounded-sm border border-line bg-raised px-3 py-1.5 font-mono text-[12px] outline-none focus:border-accent'
const toggleLook = 'aria-pressed:bg-selected aria-pressed:text-text'

interface FoundFileProps {
  readonly file: { path: string; count: number; lines: { line: number; text: string }[] }
  readonly isBusy: boolean
  readonly onReplace: () => void
}

function FoundFile({ file: { path, count, lines }, isBusy, onReplace }: FoundFileProps) {
  const { t } = useTranslation()
  const [isWhole, setIsWhole] = useState(false)
  const shown = isWhole ? lines : lines.slice(0, fewLines)
  return (
    <section aria-label={path} className="pb-4" data-testid="found-file">
      <h2 className="flex items-center gap-3 font-mono text-[12px]">
        <Link href={paths.file(path)} className="hover:underline">
          {path}
        </Link>
        <span className="tabular text-muted">{count}</span>
        <Button look="link" disabled={isBusy} onClick={onReplace}>
          {t('find.replaceHere')}
        </Button>
      </h2>
      {shown.map(({ line, text }) => (
        <Link
          key={line}
          href={paths.file(path, line)}
          className="flex gap-3 rounded-sm px-1 py-0.5 font-mono text-[12px] hover:bg-soft"
        >
          <span className="tabular w-10 shrink-0 text-right text-muted">{line}</span>
          <span className="min-w-0 truncate">{clipLine(text)}</span>
        </Link>
      ))}
      {lines.length > shown.length && (
        <Button look="link" className="pl-14!" onClick={() => setIsWhole(true)}>
          {t('history.more')}
        </Button>
      )}
    </section>
  )
}

interface ReplaceInput {
  readonly text: string
  readonly replacement: string
  readonly isPattern: boolean
  readonly matchCase: boolean
  readonly paths: string[]
}

function useReplace(agent: string) {
  const { t } = useTranslation()
  const undo = async (changes: readonly ReplacedFile[]) => {
    for (const { path, patch } of changes) await client.workspace.undo({ agent, path, patch })
  }
  return useMutation({
    mutationFn: (input: ReplaceInput) => client.workspace.replace({ agent, ...input }),
    onSuccess: ({ changes }) => {
      const count = changes.reduce((sum, change) => sum + change.count, 0)
      tellDone(t('find.replaced', { count, files: changes.length }), () => undo(changes))
    },
  })
}
