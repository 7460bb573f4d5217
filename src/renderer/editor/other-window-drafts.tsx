import { useTranslation } from 'react-i18next'
import { formatMoment } from '#lib/i18n/format.ts'
import { Button } from '#lib/ui/button.tsx'
import { Notice } from './notice.tsx'
import type { OpenFile, OtherDraft } from './open-file.ts'

interface OtherDraftsProps {
  readonly file: OpenFile
  readonly compared: OtherDraft | undefined
  readonly onCompare: (other: OtherDraft | undefined) => void
}

export function OtherDrafts({ file: { others, loadDraft, discardDraft }, compared, onCompare }: OtherDraftsProps) {
  const { t } = useTranslation()
  return others.map((other) => (
    <Notice key={other.writer} text={t('draft.ofFile', { when: formatMoment(other.at) })}>
      <Button aria-pressed={compared === other} onClick={() => onCompare(compared === other ? undefined : other)}>
        {t(compared === other ? 'draft.hide' : 'draft.show')}
      </Button>
      <Button
        onClick={() => {
          onCompare(undefined)
          loadDraft(other)
        }}
      >
        {t('draft.take')}
      </Button>
      <Button onClick={() => discardDraft(other)}>{t('draft.discard')}</Button>
    </Notice>
  ))
}
