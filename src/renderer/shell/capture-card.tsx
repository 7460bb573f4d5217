import { t } from 'i18next'
import { useMutation, useQuery } from '@tanstack/react-query'
import { Suspense, useEffect, useRef, useState, type KeyboardEvent } from 'react'
import type { Agent } from '#shared/contract/index.ts'
import { withoutMarks } from '#shared/markdown/visibility.ts'
import { sectionsOf } from '#shared/markdown/sections.ts'
import { api, client } from '#lib/api/client.ts'
import { useDraft } from '#lib/drafts.ts'
import { useLongTermPath } from '#lib/notes/use-vault-settings.ts'
import { Button, Form, Select } from '#lib/ui/elements.tsx'
import { isMac } from '#lib/util/shortcuts.ts'
import { lazyView } from './views.tsx'

const NoteRemarks = lazyView(async () => (await import('#lib/notes/note-remarks.tsx')).NoteRemarks)

interface CaptureCardProps {
  readonly agents: readonly Agent[]
  /** Initial text. The user's own draft stays stored. */
  readonly initialText: string | undefined
  /** The chat that the text comes from. */
  readonly chat?: { readonly agent: string; readonly session: string } | undefined
  /** True if another program supplied the text: it is saved only after the user confirms. */
  readonly isExternal?: boolean
  readonly onClose: () => void
}

export function CaptureCard({ agents: allAgents, initialText, chat, isExternal = false, onClose }: CaptureCardProps) {
  const agents = allAgents.filter(({ archived }) => !archived)
  const [chosenId, setChosenId] = useState<string>()
  const agent = agents.find(({ id }) => id === chosenId) ?? agents[0]
  const agentId = agent?.id ?? 'main'
  const [section, setSection] = useState('')
  const draftName = initialText === undefined ? 'quick-capture' : 'quick-capture-given'
  const { draft, change, clear } = useDraft(agentId, draftName, initialText)
  const field = useRef<HTMLTextAreaElement>(null)
  const longTerm = useLongTermPath(agentId)
  const memory = useQuery(api.workspace.read.queryOptions({ input: { agent: agentId, path: longTerm } }))
  const sections = sectionsOf((memory.data?.text ?? '').split('\n')).filter(({ level }) => level > 1)
  const titles = new Set(sections.map(({ title }) => title))
  useEffect(() => field.current?.focus(), [])
  const text = draft.text.trim()
  const remember = useMutation({
    mutationFn: async (keepsOpen: boolean) => {
      const session = chat?.agent === agentId ? chat.session : undefined
      await client.workspace.remember({ agent: agentId, text, session, ...(section === '' ? {} : { section }) })
      clear()
      if (!keepsOpen) onClose()
    },
  })
  const save = (keepsOpen: boolean) => {
    if (text !== '' && !remember.isPending) remember.mutate(keepsOpen)
  }
  const onKeyDown = (event: KeyboardEvent) => {
    if (event.key !== 'Enter' || event.shiftKey) return
    event.preventDefault()
    save(isMac ? event.metaKey : event.ctrlKey)
  }
  return (
    <Form
      aria-label={t('shortcut.capture')}
      onSubmit={() => save(false)}
      onKeyDown={(event) => event.key === 'Escape' && onClose()}
      className="flex min-h-[160px] w-full flex-col gap-3 rounded-lg border border-line bg-raised px-4 py-3.5 shadow-float"
      data-testid="capture"
    >
      {isExternal && <p className="text-warning">{t('capture.ask')}</p>}
      <textarea
        ref={field}
        value={draft.text}
        rows={2}
        aria-label={t('shortcut.capture')}
        placeholder={t('capture.placeholder')}
        onChange={(event) => change((before) => ({ ...before, text: event.target.value }))}
        onKeyDown={onKeyDown}
        className="max-h-64 min-h-14 flex-1 resize-none bg-transparent text-[15px] leading-relaxed outline-none [field-sizing:content] placeholder:text-muted"
      />
      {/* The rules of privacy marks are too large for the first page. */}
      <Suspense fallback={null}>
        <NoteRemarks text={draft.text} onChange={(marked) => change((before) => ({ ...before, text: marked }))} />
      </Suspense>
      <div className="flex flex-wrap items-center gap-2 text-[12px]">
        <span aria-hidden className="size-2.5 shrink-0 rounded-full" style={{ background: agent?.color }} />
        {agents.length > 1 ? (
          <Select
            label={t('nav.agent')}
            value={agentId}
            options={agents.map(({ id, name }) => ({ value: id, name }))}
            onChoose={setChosenId}
          />
        ) : (
          <span className="text-muted">{agent?.name ?? agentId}</span>
        )}
        <Select
          label={t('capture.target')}
          value={section}
          options={[
            { value: '', name: t('start.today') },
            ...Array.from(titles, (value) => ({
              value,
              name: `${longTerm.split('/').at(-1)} › ${withoutMarks(value)}`,
            })),
          ]}
          onChoose={setSection}
          className="min-h-7 min-w-0 max-w-44 px-1.5"
        />
      </div>
      <div className="flex items-center gap-3 text-[12px]">
        <span className="min-w-0 flex-1 truncate text-muted">{t('capture.keepOpen')}</span>
        <Button
          type="submit"
          look="primary"
          disabled={text === '' || remember.isPending}
          className="shrink-0 whitespace-nowrap"
        >
          {t('capture.remember')} ⏎
        </Button>
      </div>
    </Form>
  )
}
