import { useQuery, skipToken } from '@tanstack/react-query'
import { ArrowUp, ChevronDown, Plus, Search, Square, TriangleAlert, X } from 'lucide-react'
import {
  lazy,
  Suspense,
  useImperativeHandle,
  useLayoutEffect,
  useRef,
  useState,
  useEffect,
  useMemo,
  type ClipboardEvent,
  type KeyboardEvent,
  type Ref,
} from 'react'
import { t } from 'i18next'
import type { Attachment, Draft } from '#shared/contract/index.ts'
import { commands, parseCommand, unknownCommand } from '#shared/chat/messages.ts'
import { offlineModelId } from '#shared/util/providers.ts'
import { useAgent } from '#lib/agents/current-agent.ts'
import { api, queryClient } from '#lib/api/client.ts'
import { explainCode } from '#shared/i18n/explain.ts'
import { Button, IconButton } from '#lib/ui/elements.tsx'
import { useChineseNames } from '#lib/util/name-match.ts'
import { isMac } from '#lib/util/shortcuts.ts'
import { AgentModelPicker, useModel } from '../models/model-picker.tsx'
import { toAttachment, withUniqueName, AttachmentChip } from './attachments.tsx'
import { commandName, completionsAt, commandNames, mentionAt, type Completion } from './completion.ts'
import { useTypedSearch } from '../../search/use-typed-search.ts'
import { joinDrafts, useDraft } from '#lib/drafts.ts'
import { ResultRow } from '../../search/results.tsx'
import { formatShort } from '#lib/i18n/format.ts'
import { estimateTokens } from '#shared/util/tokens.ts'
import { useDebounced } from '#lib/util/hooks.ts'

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
  prepend(text: string, attachments?: readonly Attachment[]): void
}

interface ComposerProps {
  readonly ref?: Ref<ComposerHandle>
  readonly session: string | undefined
  readonly isPrivate: boolean
  readonly isRunning: boolean
  /** @returns the draft to put back into the field if the message was not accepted */
  readonly onSend: (message: OutgoingMessage) => Promise<Draft | undefined>
  readonly onStop: () => void
  readonly onEditLast: () => void
  /** Set at the start of a chat: searches for the text instead. */
  readonly onSearch?: (text: string) => void
}

export function Composer(props: ComposerProps) {
  const { ref, session, isPrivate, isRunning, onSend, onStop, onEditLast, onSearch } = props
  const agent = useAgent()
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
  const search = useTypedSearch(mentionAt(typed, caret) ?? '', {
    options: { staysHere: true, hasPrivate: isPrivate },
  })
  const notes = (search.explanation?.candidates ?? []).filter(
    ({ source, verdict }) => source === 'memory' && verdict.kind === 'returned',
  )
  const completions = completionsAt(typed, caret, filePaths, chinese, notes)
  const { items } = completions
  const selectedIndex = Math.min(selected, items.length - 1)
  const selectedItem = items[selectedIndex]
  const command = parseCommand(draft.text)
  const note = command?.name === 'remember' && !isPrivate ? command.argument : ''
  const isEmpty = draft.text.trim() === '' && draft.attachments.length === 0

  const addFiles = async (files: readonly File[]) => {
    const errors: string[] = []
    for (const file of files) {
      const result = await toAttachment(file)
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
      <CompletionMenu items={items} selected={selectedIndex} onChoose={choose} />
      <div className="rounded-lg border border-line bg-raised px-3.5 pt-2.5 pb-2 shadow-float focus-within:border-accent">
        <DraftNotes session={session} draft={draft} problems={problems} onClose={() => setProblems([])} />
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
            <span>
              {explainCode('unknown_command', {
                command: refusedCommand,
                commands: commands.map((one) => `/${commandName(one)}`).join(t('common.comma')),
              })}
            </span>
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
          aria-activedescendant={selectedItem ? `completion-${selectedIndex}` : undefined}
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
          <AgentModelButton />
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

function AgentModelButton() {
  const { model } = useAgent()
  const name = model === offlineModelId ? t('status.noModel') : model.slice(model.indexOf('/') + 1)
  return (
    <AgentModelPicker
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

interface CompletionMenuProps {
  readonly items: readonly Completion[]
  readonly selected: number
  readonly onChoose: (item: Completion) => void
}

function CompletionMenu({ items, selected, onChoose }: CompletionMenuProps) {
  if (items.length === 0) return null
  return (
    <ul
      role="listbox"
      aria-label={t(items[0]?.kind === 'command' ? 'palette.commands' : 'palette.files')}
      id="completions"
      className="mb-2 rounded-md border border-line bg-raised p-1 shadow-float"
    >
      {items.map((item, index) => (
        <li
          key={item.label}
          role="option"
          id={`completion-${index}`}
          aria-selected={index === selected}
          onMouseDown={(event) => {
            event.preventDefault()
            onChoose(item)
          }}
          className="flex min-h-7 items-center gap-3 rounded-sm px-2 aria-selected:bg-selected"
        >
          {item.note ? (
            <ResultRow candidate={item.note} />
          ) : item.kind === 'command' ? (
            <CommandRow name={item.label} />
          ) : (
            <FileRow path={item.label} />
          )}
        </li>
      ))}
    </ul>
  )
}

function CommandRow({ name }: { name: string }) {
  const command = commands.find((candidate) => commandNames(candidate).includes(name))
  if (!command) return null
  return (
    <>
      <span className="font-mono text-[12px]">
        /{name} {command.argument && <span className="text-muted">{t(`command.argument.${command.argument}`)}</span>}
      </span>
      <span className="min-w-0 flex-1 truncate text-right text-[12px] text-muted">
        {t(`command.about.${command.name}`)}
      </span>
    </>
  )
}

function FileRow({ path }: { path: string }) {
  const nameStart = path.lastIndexOf('/') + 1
  return (
    <span className="truncate font-mono text-[12px]">
      <span className="text-muted">{path.slice(0, nameStart)}</span>
      {path.slice(nameStart)}
    </span>
  )
}

interface DraftNotesProps {
  readonly session: string | undefined
  readonly draft: Draft
  readonly problems: readonly string[]
  readonly onClose: () => void
}

function DraftNotes({ session, draft, problems, onClose }: DraftNotesProps) {
  const notes = [useImageNote(draft), useSizeNote(session, draft), ...problems]
  const shownNotes = notes.filter((note) => note !== undefined)
  if (shownNotes.length === 0) return null
  return (
    <div role="alert" data-testid="draft-notes" className="flex flex-col gap-1 pb-2 text-[12px] text-warning">
      {shownNotes.map((note) => (
        <p key={note} className="flex gap-1.5">
          <TriangleAlert size={12} aria-hidden className="mt-1 shrink-0" />
          <span className="min-w-0 break-words">{note}</span>
        </p>
      ))}
      {problems.length > 0 && (
        <button
          type="button"
          onClick={onClose}
          className="flex min-h-6 items-center gap-1 self-start rounded-sm text-muted hover:text-text"
        >
          <X size={12} aria-hidden /> {t('common.close')}
        </button>
      )}
    </div>
  )
}

function useImageNote({ attachments }: Draft): string | undefined {
  const hasImages = attachments.some(({ type }) => type === 'image')
  const model = useModel(hasImages)
  if (!hasImages || !model || model.images) return undefined
  return explainCode('images_unsupported', { model: model.id })
}

/** Debounce of the count, in ms: counting a long text on each key would be noticeable. */
const pauseMs = 300

const keyOf = (agent: string, session: string | undefined) => ['draft tokens', agent, session ?? null]

/** Publishes the estimated tokens for `usePublishedDraftTokens`. Images do not count. */
function useSizeNote(session: string | undefined, draft: Draft): string | undefined {
  const { id: agent } = useAgent()
  const { text, attachments } = useDebounced(draft, pauseMs)
  const tokens = useMemo(
    () =>
      estimateTokens(text) +
      attachments.reduce((sum, file) => sum + (file.type === 'file' ? estimateTokens(file.text) : 0), 0),
    [text, attachments],
  )
  useEffect(() => {
    queryClient.setQueryData(keyOf(agent, session), tokens)
    return () => void queryClient.setQueryData(keyOf(agent, session), 0)
  }, [agent, session, tokens])
  const report = useQuery(api.context.report.queryOptions({ input: { agent, session } })).data
  if (!report || tokens === 0) return undefined
  const { contextWindow, reserveTokens } = report
  const counts = { tokens: formatShort(tokens), window: formatShort(contextWindow) }
  if (tokens > contextWindow - reserveTokens) return t('chat.draftTooLong', counts)
  return tokens > contextWindow / 2 ? t('chat.draftLong', counts) : undefined
}

/** Returns the estimated tokens of the draft in this chat, 0 if there is none. */
export function usePublishedDraftTokens(agent: string, session: string | undefined): number {
  return useQuery<number>({ queryKey: keyOf(agent, session), queryFn: skipToken }).data ?? 0
}
