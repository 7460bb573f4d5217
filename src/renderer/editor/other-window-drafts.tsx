import { t } from 'i18next'
import { formatMoment } from '#lib/i18n/format.ts'
import { Button } from '#lib/ui/button.tsx'
import { Notice } from './notice.tsx'
import type { OpenFile, OtherDraft } from './open-file.ts'

interface OtherDraftsProps {
  readonly file: OpenFile
  readonly compared: OtherDraft | undefined
  readonly onCompare: (draft: OtherDraft | undefined) => void
}

export function OtherDrafts({ file: { otherDrafts, loadDraft, discardDraft }, compared, onCompare }: OtherDraftsProps) {
  return otherDrafts.map((draft) => (
    <Notice key={draft.writer} text={t('draft.ofFile', { when: formatMoment(draft.at) })}>
      <Button aria-pressed={compared === draft} onClick={() => onCompare(compared === draft ? undefined : draft)}>
        {t(compared === draft ? 'draft.hide' : 'draft.show')}
      </Button>
      <Button
        onClick={() => {
          onCompare(undefined)
          loadDraft(draft)
        }}
      >
        {t('draft.take')}
      </Button>
      <Button onClick={() => discardDraft(draft)}>{t('draft.discard')}</Button>
    </Notice>
  ))
}
