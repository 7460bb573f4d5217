import { useQuery } from '@tanstack/react-query'
import { Command, defaultFilter } from 'cmdk'
import i18next from 'i18next'
import { useLayoutEffect, useMemo, useState, type ReactNode } from 'react'
import { useTranslation } from 'react-i18next'
import { useLocation } from 'wouter'
import type { Agent } from '#shared/contract/index.ts'
import { api } from '#lib/api/client.ts'
import { NoteMark, PrivateMark } from '#lib/notes/private-mark.tsx'
import { clipLine } from '#lib/util/clip.ts'
import { hasWords } from '#lib/util/has-words.ts'
import { formatBoundKeys } from '#lib/util/shortcuts.ts'
import { backdropLook } from '#lib/ui/modal.tsx'
import { paths } from '#lib/router/paths.ts'
import { sections } from '../settings/setting-sections.ts'
import { settingNames, useSettingNames } from '../settings/setting-name.ts'
import { useSettingsSearch } from '../settings/use-settings-search.ts'
import { usePinyin, type PinyinOf } from '#lib/util/pinyin-match.ts'
import { useModelCommands, type Command as AppCommand } from './app-commands.ts'

interface CommandPaletteProps {
  readonly agent: Agent
  readonly commands: readonly AppCommand[]
  readonly mode: 'closed' | 'all' | 'files'
  readonly onClose: () => void
}

const maxShown = 50
/** Maximum rows of a kind for an empty query, so that the palette opens at once. */
const maxBeforeTyping = 12
/** Above this number of rows, rows must contain the words of the query: scattered letters would match nearly all rows. */
const maxFuzzy = 300
const maxSettings = 12

type GoTo = (path: string) => () => void

export function CommandPalette({ agent, commands, mode, onClose }: CommandPaletteProps) {
  const { t } = useTranslation()
  useRestoreFocus(mode !== 'closed')
  return (
    <Command.Dialog
      open={mode !== 'closed'}
      onOpenChange={(open) => !open && onClose()}
      label={t('nav.palette')}
      filter={score}
      overlayClassName={backdropLook}
      contentClassName="fixed top-[14vh] left-1/2 z-50 w-[min(600px,92vw)] -translate-x-1/2 overflow-hidden rounded-lg border border-line bg-raised shadow-float"
    >
      <PaletteBody agent={agent} commands={commands} mode={mode} onClose={onClose} />
    </Command.Dialog>
  )
}

/** Returns the focus to the element that had it, unless the chosen command has moved it. */
function useRestoreFocus(isOpen: boolean): void {
  // Runs before the palette takes the focus.
  useLayoutEffect(() => {
    if (!isOpen) return undefined
    const { activeElement: previous } = document
    return () => {
      requestAnimationFrame(() => {
        if (document.activeElement === document.body && previous instanceof HTMLElement) previous.focus()
      })
    }
  }, [isOpen])
}

function PaletteBody({ agent, commands, mode, onClose }: CommandPaletteProps) {
  const allCommands = [...commands, ...useModelCommands(agent)]
  const { t, i18n } = useTranslation()
  const [query, setQuery] = useState('')
  const [, navigate] = useLocation()
  const files = useQuery(api.workspace.list.queryOptions({ input: { agent: agent.id } }))
  const sessions = useQuery(api.sessions.list.queryOptions({ input: { agent: agent.id } }))
  // Matches Chinese names by pinyin, which a query in Chinese does not need. The spellings are part of each row's value,
  // because cmdk ignores keywords that change later. If the interface is Chinese, the dictionary loads at once.
  const spell = usePinyin(i18n.language.startsWith('zh') || /[a-z]/i.test(query))
  // Titles and aliases of the notes.
  const notes = useQuery(api.links.files.queryOptions({ input: { agent: agent.id }, staleTime: 60_000 })).data
  const names = useMemo(() => new Map(notes?.flatMap(({ path, names: list }) => (list ? [[path, list]] : []))), [notes])
  // cmdk shows a group whose rows begin to match only when it is mounted anew.
  const [spellFirst] = useState(() => spell)
  const wordsOf = (path: string) => [path, ...spell(path), ...(names.get(path) ?? [])]
  const goTo: GoTo = (path) => () => {
    onClose()
    navigate(path)
  }
  return (
    <>
      <Command.Input
        value={query}
        onValueChange={setQuery}
        placeholder={t('palette.placeholder')}
        className="w-full border-b border-line bg-transparent px-4 py-3 text-[14px] outline-none placeholder:text-muted"
      />
      <Command.List key={spell === spellFirst ? 'first' : 'spelled'} className="max-h-[46vh] overflow-y-auto p-1.5">
        <Command.Empty className="px-3 py-6 text-center text-muted">{t('palette.empty')}</Command.Empty>
        {mode === 'all' && (
          <Group heading={t('palette.commands')}>
            {allCommands.map(({ id, label, keywords, keys, run }) => (
              <Row
                key={id}
                value={[label, id, ...spell(label)].join(' ')}
                keywords={keywords}
                onSelect={() => {
                  onClose()
                  run()
                }}
                keys={keys}
              >
                {label}
              </Row>
            ))}
          </Group>
        )}
        {mode === 'all' && <SettingRows agent={agent} query={query.trim()} spell={spell} goTo={goTo} />}
        <Group heading={t('palette.files')}>
          {limitRows(files.data ?? [], query, ({ path }) => wordsOf(path)).map(({ path, privacy }) => (
            <Row key={path} value={wordsOf(path).join(' ')} onSelect={goTo(paths.file(path))}>
              <span className="font-mono text-[12px]">{path}</span>
              {privacy && (
                <span className="pl-2">
                  <NoteMark privacy={privacy} />
                </span>
              )}
              {names.has(path) && (
                <span className="pl-2 text-muted">{clipLine(names.get(path)?.join(', ') ?? '', 80)}</span>
              )}
            </Row>
          ))}
        </Group>
        {mode === 'all' && (
          <Group heading={t('palette.chats')}>
            {limitRows(sessions.data ?? [], query, ({ title }) => [title, ...spell(title)]).map(
              ({ id, title, isPrivate }) => (
                <Row key={id} value={[title, id, ...spell(title)].join(' ')} onSelect={goTo(paths.chat(id))}>
                  {title || t('nav.untitled')}
                  {isPrivate && (
                    <span className="pl-2">
                      <PrivateMark label={t('session.private')} />
                    </span>
                  )}
                </Row>
              ),
            )}
          </Group>
        )}
        {query.trim() !== '' && mode === 'all' && (
          <Command.Item forceMount value={`search ${query}`} onSelect={goTo(paths.search(query))} className={rowLook}>
            {t('palette.searchFor', { query })}
          </Command.Item>
        )}
      </Command.List>
    </>
  )
}

function SettingRows({ agent, query, spell, goTo }: { agent: Agent; query: string; spell: PinyinOf; goTo: GoTo }) {
  const { t } = useTranslation()
  const { nameOf } = useSettingNames()
  const { list, panels } = useSettingsSearch(agent, query)
  const rows = [
    ...panels
      .filter(({ id }) => sections.every((section) => section.id !== id))
      .map(({ id, title, section }) => ({ id, title, section, keywords: [id] })),
    ...list.map(({ row: { path }, section }) => {
      const id = path.join('.')
      return { id, title: nameOf(path), section, keywords: [id, settingNames(i18next.getFixedT('en')).nameOf(path)] }
    }),
  ]
  if (rows.length === 0) return null
  return (
    <Group heading={t('settings.title')}>
      {rows.slice(0, maxSettings).map(({ id, title, section, keywords }) => (
        <Row
          key={id}
          value={[title, `setting/${id}`, ...spell(title)].join(' ')}
          keywords={keywords}
          onSelect={goTo(paths.settings(id))}
        >
          {title} <span className="text-muted">· {t(`settings.section.${section}`)}</span>
        </Row>
      ))}
    </Group>
  )
}

/** Scores a row: fuzzy matches count, but rows that contain every word of the query rank higher. */
function score(value: string, query: string, keywords: readonly string[] = []): number {
  return defaultFilter(value, query, [...keywords]) + (hasWords([value, ...keywords], query) ? 1 : 0)
}

/** Returns the best rows, so that cmdk does not have to sort thousands. */
function limitRows<T>(rows: readonly T[], query: string, textsOf: (row: T) => string[]): T[] {
  if (query.trim() === '') return rows.slice(0, maxBeforeTyping)
  if (rows.length <= maxShown) return [...rows]
  return rows
    .filter((row) => rows.length <= maxFuzzy || hasWords(textsOf(row), query))
    .map((row) => ({ row, score: score(textsOf(row).join(' '), query) }))
    .toSorted((one, other) => other.score - one.score)
    .slice(0, maxShown)
    .map(({ row }) => row)
}

const rowLook = 'flex min-h-8 items-center gap-2 rounded-sm px-2.5 data-[selected=true]:bg-selected'

const noKeywords: readonly string[] = []

interface RowProps {
  readonly onSelect: () => void
  readonly keys?: string | undefined
  readonly value: string
  readonly keywords?: readonly string[]
  readonly children: ReactNode
}

function Row({ onSelect, keys, value, keywords = noKeywords, children }: RowProps) {
  return (
    <Command.Item onSelect={onSelect} keywords={[...keywords]} className={rowLook} value={value}>
      <span className="min-w-0 flex-1 truncate">{children}</span>
      {keys && <kbd className="font-sans text-[11px] text-muted">{formatBoundKeys(keys)}</kbd>}
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
