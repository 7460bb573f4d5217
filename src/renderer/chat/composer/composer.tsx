import { useQuery } from '@tanstack/react-query'
import { ArrowUp, ChevronDown, Plus, Search, Square } from 'lucide-react'
import {
  lazy,
  Suspense,
  useImperativeHandle,
  useLayoutEffect,
  useRef,
  useState,
  type ClipboardEvent,
  type KeyboardEvent,
  type Ref,
} from 'react'
import { t } from 'i18next'
import type { Agent, Attachment, Draft } from '#shared/contract/index.ts'
import { commands, parseCommand, unknownCommand } from '#shared/chat/commands.ts'
import { offlineModelId } from '#shared/util/providers.ts'
import { api } from '#lib/api/client.ts'
import { explainCode } from '#lib/feedback/explain.ts'
import { Button, IconButton } from '#lib/ui/elements.tsx'
import { useChineseNames } from '#lib/util/name-match.ts'
import { isMac } from '#lib/util/shortcuts.ts'
import { AgentModelPicker } from '../models/model-picker.tsx'
import { readAttachment, withUniqueName, AttachmentChip } from './attachments.tsx'
import { CompletionMenu } from './completion-menu.tsx'
import { completionsAt, mentionAt, type Completion } from './completion.ts'
import { DraftNotes } from './draft-notes.tsx'
import { useTypedSearch } from '../../search/use-typed-search.ts'
import { joinDrafts, useDraft } from '#lib/drafts.ts'

const NoteRemarks = lazy(async () => ({ default: (await import('#lib/notes/note-remarks.tsx')).NoteRemarks }))

export interface OutgoingMessage {
  readonly text: string
  readonly attachments: readonly Attachment[]
  readonly delivery: 'next' | 'after'
  /** True for a text that is no command, even if it begins like one. */
  readonly isMessage?: boolean | undefined
}

export interface ComposerHandle {
  focus(): void
  attach(files: readonly File[]): void
  /** Inserts text and attachments before the current draft. */
  prepend(text: string, attachments?: readonly Attachment[]): void
}

interface ComposerProps {
  readonly ref?: Ref<ComposerHandle>
  readonly agent: Agent
  readonly session: string | undefined
  readonly isPrivate: boolean
  readonly isRunning: boolean
  /** @returns the draft to put back into the field if the message was not accepted */
  readonly onSend: (message: OutgoingMessage) => Promise<Draft | undefined>
  readonly onStop: () => void
  readonly onEditLast: () => void
  /** Set at the start of a conversation: searches for the text instead. */
  readonly onSearch?: (text: string) => void
}

export function Composer({
  ref,
  agent,
  session,
  isPrivate,
  isRunning,
  onSend,
  onStop,
  onEditLast,
  onSearch,
}: ComposerProps) {
  const [caret, setCaret] = useState(0)
  const [selected, setSelected] = useState(0)
  const [isComposing, setIsComposing] = useState(false)
  const [problems, setProblems] = useState<readonly string[]>([])
  const [refusedCommand, setRefusedCommand] = useState<string>()
  const container = useRef<HTMLDivElement>(null)
  const field = useRef<HTMLTextAreaElement>(null)
  const { draft, change, clear } = useDraft(agent.id, session)
  const filePicker = useRef<HTMLInputElement>(null)
  const fileList = useQuery(api.workspace.list.queryOptions({ input: { agent: agent.id } }))
  const filePaths = (fileList.data ?? []).map(({ path }) => path)
  const chinese = useChineseNames(/[@＠]/.test(draft.text) ? draft.text : '')
  const typed = isComposing ? '' : draft.text
  const search = useTypedSearch(agent.id, mentionAt(typed, caret) ?? '', {
    options: { staysHere: true, hasPrivate: isPrivate },
  })
  const notes = (search.explanation?.candidates ?? []).filter(
    ({ source, verdict }) => source === 'memory' && verdict.kind === 'returned',
  )
  const completions = completionsAt(typed, caret, filePaths, chinese, notes)
  const { items } = completions
  const selectedItem = items[Math.min(selected, items.length - 1)]
  const command = parseCommand(draft.text)
  const note = command?.name === 'remember' && !isPrivate ? command.argument : ''
  const isEmpty = draft.text.trim() === '' && draft.attachments.length === 0

  const addFiles = async (files: readonly File[]) => {
    const errors: string[] = []
    for (const file of files) {
      const result = await readAttachment(file)
      if (typeof result === 'string') errors.push(t(`attach.${result}`, { name: file.name }))
      else change((before) => ({ ...before, attachments: withUniqueName(before.attachments, result) }))
    }
    setProblems([...new Set(errors)])
    field.current?.focus()
  }
  useImperativeHandle(ref, () => ({
    focus: () => field.current?.focus(),
    attach: (files) => void addFiles(files),
    prepend: (text, attachments = []) => {
      change((before) => joinDrafts({ text, attachments: [...attachments] }, before))
      requestAnimationFrame(() => {
        field.current?.focus()
        field.current?.setSelectionRange(text.length, text.length)
      })
    },
  }))
  // Takes the focus before the first paint, so that no key is lost, and puts the caret after the draft.
  useLayoutEffect(() => {
    const { current: textarea } = field
    textarea?.focus()
    textarea?.setSelectionRange(textarea.value.length, textarea.value.length)
  }, [])

  // Publishes the composer's height as `--composer`, so that toasts appear above it.
  useLayoutEffect(() => {
    const { current: element } = container
    if (!element) return undefined
    const { style } = document.documentElement
    const sizeObserver = new ResizeObserver(() => style.setProperty('--composer', `${element.offsetHeight}px`))
    sizeObserver.observe(element)
    return () => {
      sizeObserver.disconnect()
      style.removeProperty('--composer')
    }
  }, [])

  const choose = ({ insert }: Completion) => {
    const { from } = completions
    const text = draft.text.slice(0, from) + insert + draft.text.slice(caret)
    change((before) => ({ ...before, text }))
    setSelected(0)
    const newCaret = from + insert.length
    setCaret(newCaret)
    requestAnimationFrame(() => field.current?.setSelectionRange(newCaret, newCaret))
  }
  const send = async (delivery: 'next' | 'after', isMessage = false) => {
    if (isEmpty) return
    const { text, attachments } = draft
    const unknown = isMessage || attachments.length > 0 ? undefined : unknownCommand(text)
    setRefusedCommand(unknown)
    if (unknown !== undefined) return
    // Cleared at once, so that further typing starts the next message. A rejected message is put before that text.
    clear()
    setProblems([])
    const rejected = await onSend({ text: text.trim(), attachments, delivery, isMessage })
    if (rejected) change((newDraft) => joinDrafts(rejected, newDraft))
  }
  const onKeyDown = (event: KeyboardEvent) => {
    if (selectedItem) {
      const step = event.key === 'ArrowDown' ? 1 : event.key === 'ArrowUp' ? -1 : 0
      if (step !== 0) {
        event.preventDefault()
        return setSelected((selected + step + items.length) % items.length)
      }
      // Enter sends a complete command and completes a partial one, as Tab does.
      const isComplete = selectedItem.kind === 'command' && draft.text.slice(1) === selectedItem.label
      if (event.key === 'Tab' || (event.key === 'Enter' && !isComplete)) {
        event.preventDefault()
        return choose(selectedItem)
      }
      if (event.key === 'Escape') return setCaret(-1)
    }
    if (event.key === 'ArrowUp' && draft.text === '') {
      event.preventDefault()
      return onEditLast()
    }
    if (event.key !== 'Enter' || event.shiftKey) return
    event.preventDefault()
    void send((isMac ? event.metaKey : event.ctrlKey) ? 'after' : 'next')
  }
  const onPaste = (event: ClipboardEvent) => {
    const pasted = [...event.clipboardData.files]
    if (pasted.length === 0) return
    event.preventDefault()
    void addFiles(pasted)
  }
  return (
    <div ref={container} data-composer className="mx-auto w-full max-w-[740px] px-5 pb-4">
      <CompletionMenu
        agent={agent.id}
        items={items}
        selected={Math.min(selected, Math.max(0, items.length - 1))}
        onChoose={choose}
      />
      <div className="rounded-lg border border-line bg-raised px-3.5 pt-2.5 pb-2 shadow-float focus-within:border-accent">
        <DraftNotes agent={agent} session={session} draft={draft} problems={problems} onClose={() => setProblems([])} />
        {note !== '' && (
          <Suspense fallback={null}>
            <NoteRemarks
              text={note}
              onChange={(marked) => change((before) => ({ ...before, text: `/remember ${marked}` }))}
            />
          </Suspense>
        )}
        {refusedCommand !== undefined && (
          <div role="alert" className="flex flex-wrap items-baseline gap-x-3 pb-2 text-[12px] text-warning">
            <span>{explainCode('unknown_command', { command: refusedCommand, commands: commandList })}</span>
            <Button look="link" onClick={() => void send('next', true)}>
              {t('chat.sendAsMessage')}
            </Button>
          </div>
        )}
        {draft.attachments.length > 0 && (
          <div className="flex flex-wrap gap-1.5 pb-2">
            {draft.attachments.map((attachment, index) => (
              <AttachmentChip
                key={index}
                name={attachment.name}
                picture={
                  attachment.type === 'image' ? `data:${attachment.mimeType};base64,${attachment.data}` : undefined
                }
                onRemove={() =>
                  change((before) => ({ ...before, attachments: before.attachments.filter((_, i) => i !== index) }))
                }
              />
            ))}
          </div>
        )}
        <textarea
          ref={field}
          value={draft.text}
          rows={1}
          aria-label={t('chat.composer')}
          aria-autocomplete="list"
          aria-controls={items.length > 0 ? 'completions' : undefined}
          aria-activedescendant={selectedItem ? `completion-${Math.min(selected, items.length - 1)}` : undefined}
          placeholder={t(isRunning ? 'chat.placeholderRunning' : 'chat.placeholder', { agent: agent.name })}
          onChange={(event) => {
            const { value, selectionStart } = event.target
            setCaret(selectionStart)
            setSelected(0)
            setRefusedCommand(undefined)
            change((before) => ({ ...before, text: value }))
          }}
          onSelect={(event) => setCaret(event.currentTarget.selectionStart)}
          onKeyDown={onKeyDown}
          onCompositionStart={() => setIsComposing(true)}
          onCompositionEnd={() => setIsComposing(false)}
          onPaste={onPaste}
          className="block max-h-[40vh] min-h-7 w-full resize-none bg-transparent text-[14px] leading-relaxed outline-none [field-sizing:content] placeholder:text-muted"
        />
        <div className="flex items-center gap-2 pt-1.5">
          <input
            ref={filePicker}
            type="file"
            multiple
            hidden
            onChange={(event) => {
              void addFiles([...(event.target.files ?? [])])
              event.target.value = ''
            }}
          />
          <IconButton
            icon={Plus}
            label={t('chat.attach')}
            className="-ml-1.5"
            onClick={() => filePicker.current?.click()}
          />
          <span className="min-w-0 flex-1 truncate text-[12px] text-muted max-sm:hidden">
            {isRunning && !isEmpty ? t('chat.deliveryHint') : t('chat.hint')}
          </span>
          <AgentModelButton agent={agent} />
          <span className="flex-1 sm:hidden" />
          {isRunning && (
            <Button look="plain" className="shrink-0 whitespace-nowrap" onClick={onStop}>
              <Square size={11} aria-hidden /> {t('chat.stop')}
            </Button>
          )}
          {onSearch && !isRunning && (
            <Button
              className="shrink-0 whitespace-nowrap"
              disabled={draft.text.trim() === ''}
              onClick={() => {
                clear()
                onSearch(draft.text.trim())
              }}
            >
              <Search size={13} aria-hidden /> {t('chat.searchInstead')}
            </Button>
          )}
          {(!isRunning || !isEmpty) && (
            <Button
              look="primary"
              className="shrink-0 whitespace-nowrap"
              disabled={isEmpty}
              onClick={() => void send('next')}
            >
              {t('chat.send')} <ArrowUp size={13} aria-hidden />
            </Button>
          )}
        </div>
      </div>
    </div>
  )
}

const commandList = commands.map(({ name }) => `/${name}`).join(', ')

function AgentModelButton({ agent }: { agent: Agent }) {
  const name = agent.model === offlineModelId ? t('status.noModel') : agent.model.slice(agent.model.indexOf('/') + 1)
  return (
    <AgentModelPicker
      agent={agent}
      trigger={
        <button
          type="button"
          aria-label={t('chat.model', { model: name })}
          className="flex min-h-7 max-w-56 min-w-8 items-center gap-1 rounded-sm px-1.5 text-[12px] text-muted hover:bg-soft hover:text-text"
        >
          <span className="truncate">{name}</span>
          <ChevronDown size={12} aria-hidden className="shrink-0" />
        </button>
      }
    />
  )
}
