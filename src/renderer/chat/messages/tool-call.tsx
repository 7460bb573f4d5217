import type { ReactNode } from 'react'
import { useDisclosure } from '#lib/util/hooks.ts'
import { t } from 'i18next'
import { isSuggestedChange, messageText } from '#shared/chat/messages.ts'
import { paths } from '#lib/router/paths.ts'
import { Chevron, TextLink } from '#lib/ui/elements.tsx'
import { clipLine } from '#lib/util/clip.ts'
import { formatPercent } from '#lib/i18n/format.ts'
import { useLive } from '../live-turn.ts'
import { useChatActions } from '../chat-actions.ts'
import { searchOf, type ToolStep } from '../turns.ts'
import { Link } from 'wouter'
import type { RecordedSearch } from '#shared/contract/index.ts'
import type { WrongArgument } from '#shared/chat/message-schemas.ts'
import { parseLines } from '#shared/util/file-lines.ts'
import { isRecord, parseJson } from '#shared/util/json.ts'
import { Result } from '../../search/results.tsx'
import { PlaceLink } from '../../markdown/citations.tsx'
import { ClippedText } from '#lib/ui/long-text.tsx'

const knownTools = ['memory_search', 'memory_get', 'read', 'write', 'edit', 'list'] as const

export function ToolLine({ step, isRunning }: { step: ToolStep; isRunning: boolean }) {
  const { isOpen, button } = useDisclosure()
  const { call, result } = step
  const knownTool = knownTools.find((tool) => tool === call.name)
  const recall = searchOf(step)
  const isProposed = result !== undefined && isSuggestedChange(result)
  return (
    <div className="text-muted">
      <button
        {...button}
        className="inline-flex min-h-6 max-w-full flex-wrap items-center gap-x-2 rounded-sm text-left hover:text-text"
      >
        <Chevron isOpen={isOpen} />
        <span className="shrink-0">{knownTool ? t(`tool.${knownTool}`) : clipLine(toolLabel(call.name), 80)}</span>
        <CallSubject call={call} />
        {recall && (
          <span className="tabular shrink-0">
            · {t('tool.found', { returned: recall.results.length, candidates: recall.candidates })}
          </span>
        )}
        {isProposed && <span className="shrink-0">· {t('tool.proposed')}</span>}
        {result?.isError && !isProposed && <span className="shrink-0 text-bad">· {t('tool.failed')}</span>}
        {!result && (isRunning ? <Progress call={call.id} /> : <span>· {t('tool.interrupted')}</span>)}
      </button>
      {isProposed && (
        <TextLink href={paths.inbox()} className="ml-2">
          {t('tool.openInbox')} →
        </TextLink>
      )}
      {isOpen && (
        <div className="mt-1 ml-5 flex flex-col gap-2 text-[12px]" data-testid="tool-story">
          {recall ? <SearchDetails recall={recall} /> : <CallDetails step={step} />}
          <RawCall step={step} />
        </div>
      )}
    </div>
  )
}

export function toolLabel(tool: string): string {
  return tool.replace(/^mcp__(.+?)__/, '$1: ')
}

function Progress({ call }: { call: string }) {
  const { session } = useChatActions()
  const progress = useLive(session, (turn) => turn.progress.find((candidate) => candidate.call === call))
  const share = progress?.share ?? null
  return (
    <span className="tabular flex shrink-0 items-center gap-2">
      · {progress?.note || t('tool.running')}
      {share !== null && (
        <>
          <progress max={1} value={share} className="h-1 w-24 accent-accent" />
          {formatPercent(share)}
        </>
      )}
    </span>
  )
}

function CallSubject({ call }: { call: ToolStep['call'] }) {
  const { query, path } = call.arguments
  if (typeof query === 'string') return <span className="truncate text-text">“{clipLine(query)}”</span>
  if (typeof path !== 'string' || path === '') return null
  return <span className="truncate font-mono text-[12px]">{clipLine(path)}</span>
}

export function SearchDetails({ recall }: { recall: RecordedSearch }) {
  const { query, results, candidates, provider } = recall
  const omittedCount = candidates - results.length
  const method = t(provider === 'none' ? 'tool.byWords' : 'tool.byBoth')
  return (
    <>
      <p>{t('tool.lookedFor', { query: clipLine(query), by: method })}</p>
      {results.length > 0 && (
        <ul className="my-2 flex flex-col gap-3 border-l border-line pl-4">
          {results.map((result) => (
            <li key={`${result.path}:${result.startLine}`}>
              <Result result={result} query={query} />
            </li>
          ))}
        </ul>
      )}
      <p>
        {results.length === 0 && `${t('tool.foundNothing')} `}
        {omittedCount > 0 && `${t('tool.leftOut', { count: omittedCount })} `}
        <TextLink href={paths.found(query)}>{t('details.openInSearch')} →</TextLink>
      </p>
    </>
  )
}

function CallDetails({ step: { call, result } }: { step: ToolStep }) {
  const text = result ? messageText(result) : ''
  const { path: named, from } = call.arguments
  const lines = typeof named === 'string' ? parseLines(named) : undefined
  const path = lines?.path ?? named
  const startLine = typeof from === 'number' ? from : (lines?.startLine ?? 1)
  if (result?.details?.kind === 'wrongArguments') return <WrongArguments problems={result.details.problems} />
  if (result && isSuggestedChange(result)) return <p>{t('tool.proposedHint')}</p>
  if (result?.isError) return <p className="text-bad">{t('tool.saidNo', { reason: clipLine(text, 2000) })}</p>
  if (call.name === 'list') return <FileList text={text} />
  if ((call.name === 'memory_get' || call.name === 'read') && typeof path === 'string') {
    const noteText = noteTextOf(text)
    const endLine = startLine + Math.max(1, noteText.split('\n').length) - 1
    return (
      <ResultText sentence={t('tool.readLines', { count: endLine - startLine + 1 })} text={noteText}>
        <PlaceLink path={path} startLine={startLine} endLine={endLine} className="text-text" />
      </ResultText>
    )
  }
  if (!result) return null
  return (
    <>
      <dl className="grid grid-cols-[auto_1fr] gap-x-3">
        {Object.entries(call.arguments).map(([name, value]) => (
          <div key={name} className="contents">
            <dt>{clipLine(name, 60)}</dt>
            <dd className="min-w-0 break-words text-text">
              {clipLine(typeof value === 'string' ? value : JSON.stringify(value), 500)}
            </dd>
          </div>
        ))}
      </dl>
      {text !== '' && <ResultText sentence={t('tool.cameBack')} text={text} />}
    </>
  )
}

function WrongArguments({ problems }: { problems: readonly WrongArgument[] }) {
  return (
    <div className="text-text">
      <p>{t('wrongArguments.title')}</p>
      <ul className="list-disc pl-5">
        {problems.map(({ field, fault, expected }) => (
          <li key={`${field} ${fault}`} className="break-words">
            {t(`wrongArguments.${fault}`, { field: field || t('wrongArguments.whole'), expected })}
          </li>
        ))}
      </ul>
    </div>
  )
}

function FileList({ text }: { text: string }) {
  const files = text.split('\n').flatMap((line) => /^(.+\.(?:md|markdown)) \(\d+ bytes\)$/i.exec(line)?.[1] ?? [])
  return (
    <>
      <p>{t('tool.listed', { count: files.length })}</p>
      <ul className="max-h-60 overflow-y-auto font-mono">
        {files.map((path) => (
          <li key={path}>
            <Link href={paths.file(path)} className="hover:underline">
              {path}
            </Link>
          </li>
        ))}
      </ul>
    </>
  )
}

function ResultText({ sentence, text, children }: { sentence: string; text: string; children?: ReactNode }) {
  return (
    <section>
      <p className="pb-1">
        {sentence} {children}
      </p>
      <ClippedText text={text} className={textClass} />
    </section>
  )
}

const textClass =
  'max-h-72 overflow-auto rounded-sm border border-line bg-side p-2 font-mono break-words whitespace-pre-wrap text-text'

function RawCall({ step: { call, result } }: { step: ToolStep }) {
  return (
    <details>
      <summary className="w-fit cursor-pointer rounded-sm hover:text-text">{t('tool.raw')}</summary>
      <h4 className="pt-1 text-[11px]">{t('tool.arguments')}</h4>
      <ClippedText text={JSON.stringify(call.arguments, null, 2)} className={textClass} />
      {result && (
        <>
          <h4 className="pt-1 text-[11px]">{t('tool.result')}</h4>
          <ClippedText text={formatJson(messageText(result))} className={textClass} />
        </>
      )}
    </details>
  )
}

/** Longer results are shown as they are, in characters. */
const maxFormattedLength = 200_000

function parseShortJson(text: string): unknown {
  return text.length > maxFormattedLength ? undefined : parseJson(text)
}

function noteTextOf(result: string): string {
  const value = parseShortJson(result)
  return isRecord(value) && typeof value['text'] === 'string' ? value['text'] : result
}

function formatJson(text: string): string {
  const value = parseShortJson(text)
  return value === undefined ? text : JSON.stringify(value, null, 2)
}
