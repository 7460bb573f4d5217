/** Everything that can be done or gone to, by typing a part of its name. */
import { useQuery } from '@tanstack/react-query'
import { Command } from 'cmdk'
import { useState, type ReactNode } from 'react'
import { useTranslation } from 'react-i18next'
import { toast } from 'sonner'
import { useLocation } from 'wouter'
import { commandKeys } from '../command-keys.ts'
import { locales } from '../i18n/index.ts'
import type { Agent } from '../../shared/contract/index.ts'
import { api, client } from '../api/index.ts'
import { attempt } from '../feedback/index.ts'
import { showKeys } from '../ui/keys.ts'
import { backdropLook } from '../ui/modal.tsx'
import { paths } from '../navigate.ts'

interface CommandPaletteProps {
  readonly agent: Agent
  readonly session: string | undefined
  readonly mode: 'closed' | 'all' | 'files'
  readonly onClose: () => void
  readonly onCapture: () => void
}

/** Rows of one kind that are shown at once; typing narrows them down. */
const maxShown = 300

export function CommandPalette({ agent, session, mode, onClose, onCapture }: CommandPaletteProps) {
  const { t } = useTranslation()
  return (
    <Command.Dialog
      open={mode !== 'closed'}
      onOpenChange={(open) => !open && onClose()}
      label={t('nav.palette')}
      overlayClassName={backdropLook}
      contentClassName="fixed top-[14vh] left-1/2 z-50 w-[min(600px,92vw)] -translate-x-1/2 overflow-hidden rounded-lg border border-line bg-raised shadow-float"
    >
      <PaletteBody agent={agent} session={session} mode={mode} onClose={onClose} onCapture={onCapture} />
    </Command.Dialog>
  )
}

function PaletteBody({ agent, session, mode, onClose, onCapture }: CommandPaletteProps) {
  const { t } = useTranslation()
  const [query, setQuery] = useState('')
  const [, navigate] = useLocation()
  const files = useQuery(api.workspace.list.queryOptions({ input: { agent: agent.id } }))
  const sessions = useQuery(api.sessions.list.queryOptions({ input: { agent: agent.id } }))
  const models = useQuery(api.chat.models.queryOptions({ input: { agent: agent.id } }))
  const go = (path: string) => () => {
    onClose()
    navigate(path)
  }
  const run = (work: () => Promise<unknown>) => () => {
    onClose()
    void attempt(work())
  }
  const reindex = () => {
    onClose()
    const stop = new AbortController()
    toast.promise(client.search.reindex({ agent: agent.id }, { signal: stop.signal }), {
      loading: t('palette.reindexing'),
      success: t('palette.reindexed'),
      error: () => (stop.signal.aborted ? t('palette.reindexCancelled') : t('error.index_unavailable')),
      cancel: { label: t('common.cancel'), onClick: () => stop.abort() },
    })
  }
  return (
    <>
      <Command.Input
        value={query}
        onValueChange={setQuery}
        placeholder={t('palette.placeholder')}
        className="w-full border-b border-line bg-transparent px-4 py-3 text-[14px] outline-none placeholder:text-muted"
      />
      <Command.List className="max-h-[46vh] overflow-y-auto p-1.5">
        <Command.Empty className="px-3 py-6 text-center text-muted">{t('palette.empty')}</Command.Empty>
        {mode === 'all' && (
          <Group heading={t('palette.commands')}>
            <Row onSelect={go(paths.chat())} keys={commandKeys.newChat}>
              {t('nav.newChat')}
            </Row>
            <Row
              onSelect={() => {
                onClose()
                onCapture()
              }}
              keys={commandKeys.capture}
            >
              {t('capture.open')}
            </Row>
            <Row onSelect={go(paths.search())} keys={commandKeys.search}>
              {t('palette.goSearch')}
            </Row>
            <Row onSelect={go(paths.context(session))} keys={commandKeys.context}>
              {t('palette.goContext')}
            </Row>
            <Row onSelect={go(paths.settings())} keys={commandKeys.settings}>
              {t('settings.title')}
            </Row>
            {session !== undefined && (
              <Row onSelect={run(() => client.chat.stop({ agent: agent.id, session }))} keys={commandKeys.stop}>
                {t('palette.stop')}
              </Row>
            )}
            <Row onSelect={reindex}>{t('palette.reindex')}</Row>
            {(['system', 'light', 'dark'] as const).map((theme) => (
              <Row key={theme} onSelect={run(() => client.settings.setAppearance({ theme }))}>
                {t('palette.theme', { theme: t(`theme.${theme}`) })}
              </Row>
            ))}
            {(['system', ...locales] as const).map((locale) => (
              <Row key={locale} onSelect={run(() => client.settings.setAppearance({ locale }))}>
                {t('palette.language', { language: t(`locale.${locale}`) })}
              </Row>
            ))}
            {(['leave', 'delay', 'off'] as const).map((autosave) => (
              <Row key={autosave} onSelect={run(() => client.settings.setAppearance({ autosave }))}>
                {t('palette.autosave', { when: t(`autosave.${autosave}`) })}
              </Row>
            ))}
            <Row onSelect={go(paths.find())} keys={commandKeys.findInFiles}>
              {t('find.title')}
            </Row>
            <Row onSelect={go(paths.settings('import'))}>{t('import.title')}</Row>
            <Row onSelect={go(paths.changes())}>{t('changes.title')}</Row>
            {(models.data?.models ?? [])
              .filter(({ available }) => available)
              .map(({ id }) => (
                <Row key={id} onSelect={run(() => client.settings.setModel({ agent: agent.id, model: id }))}>
                  {t('palette.model', { model: id })}
                </Row>
              ))}
          </Group>
        )}
        <Group heading={t('palette.files')}>
          {narrow(files.data ?? [], query, ({ path }) => path).map(({ path }) => (
            <Row key={path} onSelect={go(paths.file(path))}>
              <span className="font-mono text-[12px]">{path}</span>
            </Row>
          ))}
        </Group>
        {mode === 'all' && (
          <Group heading={t('palette.chats')}>
            {narrow(sessions.data ?? [], query, ({ title }) => title).map(({ id, title }) => (
              <Row key={id} value={`${title} ${id}`} onSelect={go(paths.chat(id))}>
                {title || t('nav.untitled')}
              </Row>
            ))}
          </Group>
        )}
        {query.trim() !== '' && mode === 'all' && (
          <Command.Item forceMount value={`search ${query}`} onSelect={go(paths.search(query))} className={rowLook}>
            {t('palette.searchFor', { query })}
          </Command.Item>
        )}
      </Command.List>
    </>
  )
}

/** The palette scores what it is given; of thousands it is given those that have every word of the query. */
function narrow<T>(rows: readonly T[], query: string, textOf: (row: T) => string): T[] {
  if (rows.length <= maxShown) return [...rows]
  const words = query.toLowerCase().split(/\s+/).filter(Boolean)
  return rows.filter((row) => words.every((word) => textOf(row).toLowerCase().includes(word))).slice(0, maxShown)
}

const rowLook = 'flex min-h-8 items-center gap-2 rounded-sm px-2.5 data-[selected=true]:bg-selected'

function Row({
  onSelect,
  keys,
  value,
  children,
}: {
  onSelect: () => void
  keys?: string
  value?: string
  children: ReactNode
}) {
  return (
    <Command.Item onSelect={onSelect} className={rowLook} {...(value === undefined ? {} : { value })}>
      <span className="min-w-0 flex-1 truncate">{children}</span>
      {keys && <kbd className="font-sans text-[11px] text-muted">{showKeys(keys)}</kbd>}
    </Command.Item>
  )
}

function Group({ heading, children }: { heading: string; children: ReactNode }) {
  return (
    <Command.Group
      heading={heading}
      className="[&_[cmdk-group-heading]]:px-2.5 [&_[cmdk-group-heading]]:pt-2 [&_[cmdk-group-heading]]:pb-1 [&_[cmdk-group-heading]]:text-[11px] [&_[cmdk-group-heading]]:text-muted"
    >
      {children}
    </Command.Group>
  )
}
