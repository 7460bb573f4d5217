import { useQueries } from '@tanstack/react-query'
import { useTranslation } from 'react-i18next'
import type { EmbeddingModel } from '#shared/contract/index.ts'
import { api } from '#lib/api/client.ts'
import { explainError } from '#lib/feedback/explain.ts'
import { Button } from '#lib/ui/button.tsx'
import { Modal, ModalTitle } from '#lib/ui/modal.tsx'
import { useSettingWords } from './setting-name.ts'

interface EmbeddingConsentProps {
  /** Whose memories they are. */
  readonly agents: readonly string[]
  readonly of: EmbeddingModel
  readonly onAgree: () => void
  readonly onClose: () => void
}

export function EmbeddingConsent({ agents, of, onAgree, onClose }: EmbeddingConsentProps) {
  const { t } = useTranslation()
  const { nameOf, valueNameOf } = useSettingWords()
  const { provider, model, baseUrl } = of
  const hasAddress = provider !== 'openai-compatible' || baseUrl !== undefined
  const counts = useQueries({
    queries: agents.map((agent) => api.search.meaning.queryOptions({ input: { agent, of }, enabled: hasAddress })),
  })
  const failed = counts.find(({ error }) => error !== null)?.error
  const isCounted = counts.every(({ data }) => data !== undefined)
  const sum = (of: 'texts' | 'tokens') =>
    counts.reduce((total, { data }) => total + (data ? data.unsent[of] + data.questions[of] : 0), 0)
  const name = valueNameOf(['memory', 'embedding', 'provider'], provider)
  return (
    <Modal
      className="top-[22vh] left-1/2 w-[min(460px,92vw)] -translate-x-1/2 rounded-lg border border-line bg-raised p-4 shadow-float"
      onClose={onClose}
    >
      <div className="flex flex-col gap-3">
        <ModalTitle>{t('meaning.consent')}</ModalTitle>
        {!hasAddress ? (
          <p role="alert">{t('meaning.noAddress', { setting: nameOf(['memory', 'embedding', 'baseUrl']) })}</p>
        ) : isCounted ? (
          <p role="status">{t('meaning.toSend', { count: sum('texts'), tokens: sum('tokens') })}</p>
        ) : failed ? (
          <p role="alert" className="text-bad">
            {explainError(failed)}
          </p>
        ) : (
          <p role="status" className="text-muted">
            {t('meaning.counting')}
          </p>
        )}
        {hasAddress && <p className="text-muted">{t('meaning.consentLead', { model, place: baseUrl ?? name })}</p>}
        <div className="flex justify-end gap-2">
          <Button look="quiet" onClick={onClose}>
            {t('common.cancel')}
          </Button>
          {hasAddress && (
            <Button look="primary" disabled={!isCounted && !failed} onClick={onAgree}>
              {t('meaning.send')}
            </Button>
          )}
        </div>
      </div>
    </Modal>
  )
}
