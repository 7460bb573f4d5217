import { ArrowUp, Square } from 'lucide-react'
import { useEffect, useRef, useState, type KeyboardEvent } from 'react'
import { useTranslation } from 'react-i18next'
import { Button } from '../ui/button.tsx'
import { CommandMenu, matchingCommands } from './command-menu.tsx'

interface ComposerProps {
  readonly agentName: string
  readonly model: string
  readonly isRunning: boolean
  /** @returns false when the message was not taken; it stays in the field then */
  readonly onSend: (text: string) => Promise<boolean>
  readonly onStop: () => void
}

export function Composer({ agentName, model, isRunning, onSend, onStop }: ComposerProps) {
  const { t } = useTranslation()
  const [draft, setDraft] = useState('')
  const [isSending, setIsSending] = useState(false)
  const [selected, setSelected] = useState(0)
  const matches = matchingCommands(draft)
  const choose = (name: string) => {
    setDraft(`/${name} `)
    setSelected(0)
  }
  const field = useRef<HTMLTextAreaElement>(null)
  useEffect(() => field.current?.focus(), [])
  const send = async () => {
    const message = draft.trim()
    if (message === '' || isRunning || isSending) return
    setIsSending(true)
    const taken = await onSend(message)
    setIsSending(false)
    if (taken) setDraft('')
  }
  const onKeyDown = (event: KeyboardEvent) => {
    const match = matches[Math.min(selected, matches.length - 1)]
    if (match && !event.nativeEvent.isComposing) {
      const step = event.key === 'ArrowDown' ? 1 : event.key === 'ArrowUp' ? -1 : 0
      if (step !== 0) {
        event.preventDefault()
        return setSelected((selected + step + matches.length) % matches.length)
      }
      // Enter on a whole command sends it; on the beginning of one it completes, as Tab does.
      if (event.key === 'Tab' || (event.key === 'Enter' && draft !== `/${match.name}`)) {
        event.preventDefault()
        return choose(match.name)
      }
    }
    // Enter that chooses a candidate of an input method belongs to it, not to us.
    if (event.key !== 'Enter' || event.shiftKey || event.nativeEvent.isComposing || event.keyCode === 229) return
    event.preventDefault()
    void send()
  }
  return (
    <div className="mx-auto w-full max-w-[740px] px-5 pb-4">
      <CommandMenu draft={draft} selected={Math.min(selected, Math.max(0, matches.length - 1))} onChoose={choose} />
      <div className="rounded-lg border border-line bg-raised px-3.5 pt-2.5 pb-2 shadow-float focus-within:border-accent">
        <textarea
          ref={field}
          value={draft}
          rows={1}
          aria-label={t('chat.composer')}
          placeholder={t('chat.placeholder', { agent: agentName })}
          onChange={(event) => setDraft(event.target.value)}
          onKeyDown={onKeyDown}
          className="block max-h-[40vh] min-h-7 w-full resize-none bg-transparent text-[14px] leading-relaxed outline-none [field-sizing:content] placeholder:text-muted"
        />
        <div className="flex items-center gap-3 pt-1.5">
          <span className="min-w-0 flex-1 truncate text-[12px] text-muted">
            {model === 'offline' ? t('status.noModel') : model}
          </span>
          {isRunning ? (
            <Button look="plain" onClick={onStop}>
              <Square size={11} aria-hidden /> {t('chat.stop')}
            </Button>
          ) : (
            <Button look="primary" disabled={draft.trim() === '' || isSending} onClick={() => void send()}>
              {t('chat.send')} <ArrowUp size={13} aria-hidden />
            </Button>
          )}
        </div>
      </div>
    </div>
  )
}
