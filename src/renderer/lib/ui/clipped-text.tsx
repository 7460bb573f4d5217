import { t } from 'i18next'
import { useState } from 'react'
import { formatNumber } from '../i18n/format.ts'
import { Button } from './button.tsx'
import { clipPassage, limitCombiningMarks } from '../util/clip.ts'
import { LongText } from './long-text.tsx'
import { Sheet } from './sheet.tsx'

/** Shows the beginning of a text and, if it is long, a button that opens the rest. The parent provides the frame. */
export function ClippedText({ text, className }: { text: string; className: string }) {
  const clipped = clipPassage(text)
  return (
    <>
      <pre tabIndex={0} className={className}>
        {limitCombiningMarks(clipped)}
      </pre>
      {clipped.length < text.length && <ShowAll text={text} />}
    </>
  )
}

export function ShowAll({ text }: { text: string }) {
  const [isOpen, setIsOpen] = useState(false)
  return (
    <>
      <Button look="link" className="text-[12px]" onClick={() => setIsOpen(true)}>
        {t('plain.showAll', { characters: formatNumber(text.length) })}
      </Button>
      {isOpen && (
        <Sheet title={t('plain.whole')} onClose={() => setIsOpen(false)}>
          <LongText text={text} label={t('plain.whole')} />
        </Sheet>
      )}
    </>
  )
}
