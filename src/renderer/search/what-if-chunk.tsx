import { useMutation } from '@tanstack/react-query'
import { useTranslation } from 'react-i18next'
import type { ChunkSize, Rechunk } from '#shared/contract/index.ts'
import { api, client } from '#lib/api/client.ts'
import { showSuccess } from '#lib/feedback/toast.ts'
import { formatNumber } from '#lib/i18n/format.ts'
import { Button } from '#lib/ui/button.tsx'
import { Slider } from '#lib/ui/slider.tsx'

interface WhatIfChunkProps {
  readonly agent: string
  readonly inForce: ChunkSize
  readonly tried: ChunkSize | undefined
  /** Result for the size being tried; undefined until it is loaded. */
  readonly outcome: Rechunk | undefined
  /** @param chunk undefined restores the current size */
  readonly onTry: (chunk: ChunkSize | undefined) => void
}

export function WhatIfChunk({ agent, inForce, tried, outcome, onTry }: WhatIfChunkProps) {
  const { t } = useTranslation()
  const { tokens, overlap } = tried ?? inForce
  const save = useMutation(
    api.search.setChunk.mutationOptions({
      onSuccess: (before) => {
        onTry(undefined)
        showSuccess(t('whatIf.chunkApplied'), () => client.search.setChunk({ agent, chunk: before }))
      },
    }),
  )
  return (
    <section aria-label={t('whatIf.chunk')} className="flex flex-col gap-3 border-t border-line pt-4">
      <Slider
        label={t('whatIf.chunk')}
        shown={t('whatIf.tokens', { tokens: formatNumber(tokens) })}
        value={tokens}
        min={50}
        max={1500}
        step={25}
        onChange={(value) => onTry({ tokens: value, overlap: Math.min(overlap, Math.floor(value / 2)) })}
      />
      <Slider
        label={t('whatIf.overlap')}
        shown={t('whatIf.tokens', { tokens: formatNumber(overlap) })}
        value={overlap}
        max={Math.floor(tokens / 2)}
        step={5}
        onChange={(value) => onTry({ tokens, overlap: value })}
      />
      {tried && (
        <>
          <p role="status" className="text-[12px] text-muted" data-testid="rechunked">
            {outcome &&
              t('whatIf.rechunked', {
                files: formatNumber(outcome.files),
                of: formatNumber(outcome.of),
                before: formatNumber(outcome.before.chunks),
                after: formatNumber(outcome.after.chunks),
              })}
          </p>
          <div className="flex gap-2">
            <Button disabled={save.isPending} onClick={() => save.mutate({ agent, chunk: tried })}>
              {t('whatIf.applyChunk')}
            </Button>
            <Button look="quiet" onClick={() => onTry(undefined)}>
              {t('whatIf.reset')}
            </Button>
          </div>
        </>
      )}
    </section>
  )
}
