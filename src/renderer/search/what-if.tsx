import { t } from 'i18next'
import type { SearchSettings } from '#shared/contract/index.ts'
import { formatNumber, formatScore } from '#lib/i18n/format.ts'
import { paths } from '#lib/router/paths.ts'
import { SearchMode, useSaveSearch } from '#lib/search/search-mode.tsx'
import { Button, TextLink } from '#lib/ui/button.tsx'
import { SidePanel } from '#lib/ui/dialog.tsx'
import { Slider, Checkbox } from '#lib/ui/choice.tsx'

interface WhatIfProps {
  readonly agent: string
  readonly current: SearchSettings
  readonly settings: SearchSettings
  /** @param settings undefined restores the current settings */
  readonly onPreview: (settings: SearchSettings | undefined) => void
  /** False if there are no embeddings; only words count then. */
  readonly hasVectors: boolean
  readonly onClose: () => void
}

/** Initial half-life, in days, when temporal decay is turned on. */
const initialHalfLifeDays = 30

const limits = [
  { key: 'maxResults', name: 'whatIf.results', min: 1, max: 50, step: 1 },
  { key: 'maxCharacters', name: 'whatIf.characters', min: 100, max: 6000, step: 100 },
] as const

export function WhatIf({ agent, current, settings, hasVectors, onPreview, onClose }: WhatIfProps) {
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
