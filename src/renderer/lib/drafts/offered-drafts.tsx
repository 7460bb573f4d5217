/** What was typed in other windows into the same place: it can be taken, or thrown away; until then it stays. */
import { useTranslation } from 'react-i18next'
import { formatMoment } from '../i18n/format.ts'
import { Button } from '../ui/button.tsx'
import { clipLine } from '../util/clip.ts'
import type { DraftField } from './use-draft.ts'

export function OfferedDrafts({ field: { offered, take, discard } }: { field: DraftField }) {
  const { t } = useTranslation()
  return offered.map((offer) => (
    <div
      key={offer.writer}
      role="note"
      data-testid="offered-draft"
      className="mb-2 flex flex-wrap items-center gap-x-3 rounded-md border border-line bg-side px-3 py-1 text-[12px] text-muted"
    >
      <span className="min-w-0 flex-1 truncate" title={offer.draft.text}>
        {t('draft.offered', { when: formatMoment(offer.at) })} {clipLine(offer.draft.text)}
      </span>
      <Button look="link" onClick={() => take(offer)}>
        {t('draft.take')}
      </Button>
      <Button look="link" onClick={() => discard(offer)}>
        {t('draft.discard')}
      </Button>
    </div>
  ))
}
