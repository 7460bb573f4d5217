import { t } from 'i18next'
import { ClippedText } from '#lib/ui/clipped-text.tsx'
import type { PlainReason } from './split-markdown.ts'

export function PlainPassage({ text, reason }: { text: string; reason: PlainReason }) {
  return (
    <figure className="my-3 overflow-hidden rounded-sm border border-line" data-testid="plain">
      <figcaption className="border-b border-line bg-side px-3 py-1 text-[12px] text-muted">
        {t(`plain.${reason}`)}
      </figcaption>
      <div className="px-3 py-2">
        <ClippedText
          text={text}
          className="max-h-80 overflow-auto border-0! bg-transparent! p-0! font-mono text-[12.5px] leading-[1.55] break-words whitespace-pre-wrap"
        />
      </div>
    </figure>
  )
}
