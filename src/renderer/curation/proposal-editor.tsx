import { useState } from 'react'
import { useTranslation } from 'react-i18next'
import type { Proposal } from '#shared/contract/index.ts'
import { Button } from '#lib/ui/button.tsx'
import { describeKeys, showKeys } from '#lib/util/shortcuts.ts'

interface ProposalEditorProps {
  readonly proposal: Proposal
  readonly isBusy: boolean
  readonly onCancel: () => void
  readonly onDone: (after: string[][]) => void
}

export function ProposalEditor({ proposal, isBusy, onCancel, onDone }: ProposalEditorProps) {
  const { t } = useTranslation()
  const edits = proposal.files.flatMap(({ path, edits }) => edits.map((edit) => ({ ...edit, path })))
  const [texts, setTexts] = useState(() => edits.map(({ after }) => after.join('\n')))
  const done = () => onDone(texts.map((text) => (text === '' ? [] : text.split('\n'))))
  return (
    <form
      className="flex flex-col gap-3"
      onSubmit={(event) => {
        event.preventDefault()
        done()
      }}
      onKeyDown={(event) => {
        event.stopPropagation()
        const keys = describeKeys(event.nativeEvent)
        if (keys === 'Escape') onCancel()
        if (keys === 'Mod+Enter') done()
      }}
    >
      {edits.map(({ path, line, before }, index) => (
        <label key={index} className="flex flex-col gap-1">
          <span className="font-mono text-[12px] text-muted">
            {path}:{line}
          </span>
          {before.length > 0 && (
            <span className="rounded-sm bg-removed-wash px-2.5 py-1 font-mono text-[12px] whitespace-pre-wrap text-bad">
              {before.join('\n')}
            </span>
          )}
          <textarea
            autoFocus={index === 0}
            value={texts[index]}
            rows={Math.min(16, Math.max(2, (texts[index] ?? '').split('\n').length + 1))}
            placeholder={t('upkeep.removesLines')}
            onChange={(event) => setTexts(texts.map((text, at) => (at === index ? event.target.value : text)))}
            className="rounded-sm border border-line bg-raised px-2.5 py-1.5 font-mono text-[12px] outline-none focus:border-accent"
          />
        </label>
      ))}
      <div className="flex flex-wrap gap-2">
        <Button type="submit" look="primary" disabled={isBusy} title={showKeys('Mod+Enter')}>
          {t('upkeep.acceptEdited')}
        </Button>
        <Button onClick={onCancel}>{t('common.cancel')}</Button>
      </div>
    </form>
  )
}
