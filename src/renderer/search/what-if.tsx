import { t } from 'i18next'
import type { SearchSettings, Explanation, CheckedQuestion } from '#shared/contract/index.ts'
import { formatNumber, formatScore } from '#lib/i18n/format.ts'
import { navigate, paths, parsePlace } from '#lib/router/paths.ts'
import { SearchMode, useSaveSearch } from '#lib/search/search-mode.tsx'
import { Button, TextLink, Slider, Checkbox, TextInput } from '#lib/ui/elements.tsx'
import { SidePanel } from '#lib/ui/frames.tsx'
import { Link } from 'wouter'
import { NotIndexedNote } from '#lib/notes/note-marks.tsx'
import { useMutation, useQuery } from '@tanstack/react-query'
import { Check } from 'lucide-react'
import { toast } from 'sonner'
import { useAgent } from '#lib/agents/current-agent.ts'
import { api } from '#lib/api/client.ts'
import { useId, type ComponentProps } from 'react'

interface WhatIfProps {
  readonly current: SearchSettings
  readonly settings: SearchSettings
  /** @param settings undefined restores the current settings */
  readonly onPreview: (settings: SearchSettings | undefined) => void
  /** False if there are no embeddings; only words count then. */
  readonly hasVectors: boolean
  readonly onClose: () => void
}

const initialHalfLifeDays = 30

const limits = [
  { key: 'maxResults', name: 'whatIf.results', min: 1, max: 50, step: 1 },
  { key: 'maxCharacters', name: 'whatIf.characters', min: 100, max: 6000, step: 100 },
] as const

export function WhatIf({ current, settings, hasVectors, onPreview, onClose }: WhatIfProps) {
  const { id: agent } = useAgent()
  const save = useSaveSearch(() => onPreview(undefined))
  const isChanged = JSON.stringify(settings) !== JSON.stringify(current)
  const isRebuilt = JSON.stringify(settings.chunking) !== JSON.stringify(current.chunking)
  const { weights, minScore, recencyHalfLifeDays } = settings
  const change = (changes: Partial<SearchSettings>) => onPreview({ ...settings, ...changes })
  return (
    <SidePanel title={t('whatIf.title')} closing={t('whatIf.close')} onClose={onClose}>
      <div className="flex flex-col gap-4 px-4 py-4">
        <SearchMode agent={agent} settings={settings} onChoose={onPreview} />
        {weights !== 'auto' && (
          <>
            {hasVectors && (
              <Slider
                label={t('whatIf.weight')}
                shown={t('whatIf.weights', { vector: weights.vector.toFixed(2), words: weights.text.toFixed(2) })}
                value={weights.vector}
                max={1}
                step={0.05}
                onChange={(vector) => change({ weights: { vector, text: Math.round((1 - vector) * 100) / 100 } })}
              />
            )}
            <Slider
              label={t('whatIf.threshold')}
              shown={formatScore(minScore)}
              value={minScore}
              max={1}
              step={0.01}
              onChange={(value) => change({ minScore: value })}
            />
          </>
        )}
        {!hasVectors && (
          <p className="text-[12px] text-muted">
            {t('whatIf.noVectors')} <TextLink href={paths.settings('memory.embedding')}>{t('whatIf.turnOn')}</TextLink>
          </p>
        )}
        {limits.map(({ key, name, ...range }) => (
          <Slider
            key={key}
            label={t(name)}
            shown={formatNumber(settings[key])}
            value={settings[key]}
            {...range}
            onChange={(value) => change({ [key]: value })}
          />
        ))}
        {weights === 'auto' && (
          <div className="flex flex-col gap-1">
            <Checkbox
              title={t('whatIf.recencyHint')}
              checked={recencyHalfLifeDays !== null}
              onChange={(isChecked) => change({ recencyHalfLifeDays: isChecked ? initialHalfLifeDays : null })}
            >
              {t('whatIf.recency')}
            </Checkbox>
            {recencyHalfLifeDays !== null && (
              <Slider
                label={t('whatIf.halfLife')}
                shown={t('whatIf.days', { count: recencyHalfLifeDays })}
                value={recencyHalfLifeDays}
                min={1}
                max={365}
                step={1}
                onChange={(days) => change({ recencyHalfLifeDays: days })}
              />
            )}
          </div>
        )}
        <div className="flex gap-2">
          <Button
            look="primary"
            disabled={!isChanged || save.isPending}
            onClick={() => save.mutate({ agent, settings })}
          >
            {t('whatIf.apply')}
          </Button>
          <Button disabled={!isChanged} onClick={() => onPreview(undefined)}>
            {t('whatIf.reset')}
          </Button>
        </div>
        <p className="text-[12px] text-muted">{t(isRebuilt ? 'whatIf.rebuild' : 'whatIf.hint')}</p>
      </div>
    </SidePanel>
  )
}

interface ExplainMissingProps {
  /** Text of the field: `path:line`. */
  readonly place: string
  readonly onPlace: (place: string) => void
  readonly hasQuery: boolean
  readonly explanation: Explanation | undefined
  readonly onTry: (change: Partial<SearchSettings>) => void
}

export function ExplainMissing({ place, onPlace, hasQuery, explanation, onTry }: ExplainMissingProps) {
  return (
    <section
      aria-label={t('why.title')}
      className="mx-5 mb-3 flex flex-col gap-2 rounded-lg border border-line bg-side px-4 py-3"
    >
      <label className="flex items-center gap-3">
        <span className="shrink-0 text-muted">{t('why.line')}</span>
        <FileLinesField
          autoFocus
          value={place}
          placeholder="memory/2026-01-20.md:12"
          className="flex-1"
          onChange={onPlace}
        />
      </label>
      <div role="status">
        {parsePlace(place) === undefined || !hasQuery ? (
          <p className="text-muted">{t('why.hint')}</p>
        ) : (
          <Answer explanation={explanation} onTry={onTry} />
        )}
      </div>
    </section>
  )
}

const highestLimits = { results: 100, characters: 100_000 }

function Answer({ explanation, onTry }: Pick<ExplainMissingProps, 'explanation' | 'onTry'>) {
  const why = explanation?.why
  if (!why) return null
  const { candidate, rank, reason, path, line } = why
  const { weights, minScore, maxResults, maxCharacters, terms } = explanation
  const matchedTerms = new Set(candidate?.text?.terms.map(({ term }) => term))
  const missing = terms.map(({ term }) => term).filter((term) => !matchedTerms.has(term))
  // Rounded down, so that a threshold with two digits lets the line pass.
  const passingScore = Math.floor((candidate?.score ?? 0) * 100) / 100
  const verdict = candidate?.verdict
  const failedFilters = verdict?.kind === 'outsideFilter' ? verdict.by.join(' ') : ''
  const result = verdict?.kind === 'joined' || verdict?.kind === 'duplicate' ? verdict.rank : 0
  const text = reason === 'weak' && weights ? 'belowThreshold' : reason
  return (
    <div className="flex flex-col gap-2" data-testid="why" data-reason={reason}>
      <div>
        {candidate && (
          <strong className="tabular pr-2 font-semibold">
            {formatScore(candidate.score, minScore)}
            {rank !== null && ` · #${rank}`}
          </strong>
        )}
        {why.unsearched ? (
          <NotIndexedNote unsearched={why.unsearched} />
        ) : (
          t(`why.${text}`, {
            minScore: formatScore(minScore),
            maxResults: formatNumber(maxResults),
            maxCharacters: formatNumber(maxCharacters),
            rank: result,
            place: `${path}:${line}`,
            by: failedFilters,
          })
        )}{' '}
        {candidate && missing.length > 0 && reason !== 'returned' && (
          <span className="text-muted">{t('why.missing', { terms: missing.join(' · ') })}</span>
        )}
      </div>
      <p className="flex flex-wrap gap-2">
        {text === 'belowThreshold' && passingScore > 0 && (
          <Button onClick={() => onTry({ minScore: passingScore })}>
            {t('why.lower', { minScore: formatScore(passingScore) })}
          </Button>
        )}
        {reason === 'overLimit' && (
          <Button
            onClick={() =>
              onTry({
                maxResults: Math.min(maxResults * 2, highestLimits.results),
                maxCharacters: Math.min(maxCharacters * 2, highestLimits.characters),
              })
            }
          >
            {t('why.more')}
          </Button>
        )}
        <Link
          href={paths.source(path, line)}
          className="inline-flex min-h-7 items-center rounded-sm border border-line bg-raised px-2.5 hover:bg-soft"
        >
          {t('why.edit')}
        </Link>
        <AddCheck query={explanation.query} lines={{ path, startLine: line, endLine: line }} />
      </p>
    </div>
  )
}

export function AddCheck({ query, lines }: { query: string; lines: CheckedQuestion['relevant'][number] }) {
  const { path, startLine, endLine } = lines
  const { id: agent } = useAgent()
  const add = useMutation(
    api.savedSearches.add.mutationOptions({
      onSuccess: () =>
        toast.success(t('savedSearches.added'), {
          action: { label: t('savedSearches.show'), onClick: () => navigate(paths.checks()) },
        }),
    }),
  )
  const question = { query, relevant: [{ path, startLine, endLine }] }
  return (
    <Button icon={Check} onClick={() => add.mutate({ agent, question })} disabled={query.trim() === ''}>
      {t('savedSearches.add')}
    </Button>
  )
}

export function FileLinesField({ className, ...field }: ComponentProps<typeof TextInput>) {
  const { id: agent } = useAgent()
  const files = useQuery(api.workspace.list.queryOptions({ input: { agent } }))
  const listId = useId()
  return (
    <>
      <TextInput
        list={listId}
        spellCheck={false}
        className={`min-h-7 min-w-0 px-2 font-mono text-[12px] ${className}`}
        {...field}
      />
      <datalist id={listId}>
        {(files.data ?? []).map(({ path }) => (
          <option key={path} value={`${path}:1`} />
        ))}
      </datalist>
    </>
  )
}
