import { t } from 'i18next'
import { useQuery } from '@tanstack/react-query'
import { Command } from 'cmdk'
import { useLayoutEffect, useMemo, useRef, useState, type ReactNode } from 'react'
import type { Candidate } from '#shared/contract/index.ts'
import { openSecretsIn } from '#shared/markdown/visibility-edit.ts'
import { api } from '#lib/api/client.ts'
import { useAgent } from '#lib/agents/current-agent.ts'
import { NoteMark, PrivateMark } from '#lib/notes/note-marks.tsx'
import { clipLine } from '#lib/util/clip.ts'
import { useTextField } from '#lib/ui/elements.tsx'
import { beginsWords, bestMatches, nameRanker, pinyinRank, useChineseNames } from '#lib/util/name-match.ts'
import { backdropLook, Keys } from '#lib/ui/frames.tsx'
import { navigate, useEncodedPath, paths } from '#lib/router/paths.ts'
import { sections } from '../settings/setting-rows.ts'
import { settingNames } from '../settings/setting-row.tsx'
import { useSettingsSearch } from '../settings/panels.tsx'
import { candidateKey, resultGroups } from '../search/candidates.ts'
import { ResultPreview, groupLook, ResultGroup } from '../search/results.tsx'
import { useTypedSearch } from '../search/use-typed-search.ts'
import { useModelCommands, type Command as AppCommand } from './app-commands.ts'

interface CommandPaletteProps {
  readonly commands: readonly AppCommand[]
  readonly mode: 'all' | 'files'
  readonly initialText: string
  readonly onClose: () => void
}

const maxShown = 50
/** For an empty query, so that the palette opens at once. */
const maxBeforeTyping = 12
const maxSettings = 12
/** Typed commands must not reach a remote embedding model. */
const searchHere = { options: { staysHere: true } }
const maxResults = 6
/** With fewer notes, weak matches are shown too: a word that is half typed is a weak match. */
const minNotes = 3

export function CommandPalette(props: CommandPaletteProps) {
  const [selected, setSelected] = useState('')
  useRestoreFocus()
  return (
    <Command.Dialog
      open
      onOpenChange={(open) => !open && props.onClose()}
      label={t('shortcut.palette')}
      shouldFilter={false}
      value={selected}
      onValueChange={setSelected}
      overlayClassName={backdropLook}
      contentClassName="fixed top-[14vh] left-1/2 z-50 w-[min(600px,92vw)] -translate-x-1/2 overflow-hidden rounded-lg border border-line bg-raised shadow-float"
    >
      <PaletteBody {...props} selected={selected} onSelect={setSelected} />
    </Command.Dialog>
  )
}

/** Returns the focus to the element that had it, unless the chosen command has moved it or opened another view. */
function useRestoreFocus(): void {
  // Runs before the palette takes the focus.
  useLayoutEffect(() => {
    const { activeElement: previous } = document
    const { href } = location
    return () => {
      requestAnimationFrame(() => {
        const isFree = document.activeElement === document.body && location.href === href
        if (isFree && previous instanceof HTMLElement) previous.focus()
      })
    }
  }, [])
}

interface PaletteBodyProps extends CommandPaletteProps {
  readonly selected: string
  readonly onSelect: (value: string) => void
}

function PaletteBody({ commands, mode, initialText, onClose, selected, onSelect }: PaletteBodyProps) {
  const { id: agent } = useAgent()
  const allCommands = [...commands, ...useModelCommands()]
  const [typed, setTyped] = useState(initialText)
  const field = useTextField(typed, setTyped)
  const query = typed.trim()
  const place = useEncodedPath()
  const files = useQuery(api.workspace.list.queryOptions({ input: { agent: agent } }))
  const sessions = useQuery(api.chats.list.queryOptions({ input: { agent: agent } }))
  const chinese = useChineseNames(query)
  const rankOf = nameRanker(query, chinese)
  const search = useTypedSearch(mode === 'all' ? query : '', searchHere)
  const mayShowPrivate = /^\/(?:file|search)\b/.test(place)
  const isShown = ({ heading, snippet, isPrivate }: Candidate) => {
    const holds = nameRanker(query)(`${heading}\n${snippet}`) !== undefined
    return holds && (mayShowPrivate || (isPrivate !== true && openSecretsIn(snippet).length === 0))
  }
  const isOpenChat = ({ title, isPrivate }: { title: string; isPrivate: boolean }) =>
    mayShowPrivate || (!isPrivate && openSecretsIn(title).length === 0)
  const groups = query === '' ? [] : resultGroups(search.explanation?.candidates.filter(isShown) ?? [])
  const resultsOf = (name: 'notes' | 'chats' | 'weak', limit = maxResults) =>
    groups.find((group) => group.name === name)?.candidates.slice(0, limit) ?? []
  const weak = resultsOf('weak', Math.max(0, minNotes - resultsOf('notes').length))
  const [isPreviewOpen, setIsPreviewOpen] = useState(false)
  const previewed = [...resultsOf('notes'), ...resultsOf('chats'), ...weak].find(
    (one) => candidateKey(one) === selected,
  )
  const list = useRef<HTMLDivElement>(null)
  const firstShown = useRef('')
  // cmdk keeps the selected row when rows are loaded above it.
  useLayoutEffect(() => {
    const first = list.current?.querySelector('[role=option]')?.getAttribute('data-value') ?? ''
    if (first !== firstShown.current) onSelect(first)
    firstShown.current = first
  })
  // Titles and aliases of the notes.
  const notes = useQuery(api.links.files.queryOptions({ input: { agent: agent }, staleTime: 60_000 })).data
  const names = useMemo(() => new Map(notes?.flatMap(({ path, names: list }) => (list ? [[path, list]] : []))), [notes])
  const closeThen = (action: () => void) => () => {
    onClose()
    action()
  }
  const goTo = (path: string) => closeThen(() => navigate(path))
  const openResult = ({ path, startLine, endLine, matched }: Candidate) =>
    closeThen(() => navigate(paths.source(path, startLine, endLine), { state: { words: matched } }))()
  const recentFiles = useMemo(
    () => files.data?.toSorted((one, other) => other.modifiedAt - one.modifiedAt),
    [files.data],
  )
  const rowsOf = <T,>(rows: readonly T[], nameOf: (row: T) => string) =>
    query === '' ? rows.slice(0, maxBeforeTyping) : bestMatches(rows, rankOf, nameOf).slice(0, maxShown)
  const nameOfCommand = ({ label, id, keywords }: AppCommand) => [label, id, ...keywords].join('\n')
  const ranked = query === '' ? allCommands : bestMatches(allCommands, rankOf, nameOfCommand)
  const isTyped = (one: AppCommand) => query.length > 1 && beginsWords(nameOfCommand(one), query)
  const matching = ranked.toSorted((one, other) => Number(isTyped(other)) - Number(isTyped(one)))
  const commandRows = mode === 'all' && (
    <Group heading={t('palette.commands')}>
      {matching.map(({ id, label, keys, run }) => (
        <Row key={id} value={`command/${id}`} onSelect={closeThen(run)} keys={keys}>
          {label}
        </Row>
      ))}
    </Group>
  )
  // A name typed in pinyin can match a command by chance: Enter must not run it.
  const isCommandMeant = matching.slice(0, 1).some((best) => rankOf(nameOfCommand(best)) !== pinyinRank)
  const isCommandTyped = matching.slice(0, 1).some(isTyped)
  return (
    <>
      <Command.Input
        autoFocus
        value={field.value}
        onInput={field.onChange}
        onCompositionEnd={field.onCompositionEnd}
        onKeyDown={(event) => {
          if (event.key !== 'Tab' || event.shiftKey || !previewed) return
          event.preventDefault()
          setIsPreviewOpen(!isPreviewOpen)
        }}
        placeholder={t('palette.placeholder')}
        className="w-full border-b border-line bg-transparent px-4 py-3 text-[14px] outline-none placeholder:text-muted"
      />
      <Command.List
        label={t('palette.list')}
        ref={list}
        aria-busy={mode === 'all' && (search.isBusy || search.query !== query)}
        className="max-h-[46vh] overflow-y-auto p-1.5"
      >
        <Command.Empty className="px-3 py-6 text-center text-muted">{t('palette.empty')}</Command.Empty>
        {isCommandTyped && commandRows}
        <ResultGroup name="notes" candidates={resultsOf('notes')} onOpen={openResult} />
        <Group heading={t('palette.files')}>
          {rowsOf(recentFiles ?? [], ({ path }) => [path, ...(names.get(path) ?? [])].join('\n')).map(
            ({ path, privacy }) => (
              <Row key={path} value={`file/${path}`} onSelect={goTo(paths.file(path))}>
                <span className="font-mono text-[12px]">{path}</span>
                {privacy && <NoteMark privacy={privacy} className="pl-2" />}
                {names.has(path) && (
                  <span className="pl-2 text-muted">{clipLine(names.get(path)?.join(', ') ?? '', 80)}</span>
                )}
              </Row>
            ),
          )}
        </Group>
        {mode === 'all' && (
          <ResultGroup name="chats" candidates={resultsOf('chats')} onOpen={openResult}>
            {rowsOf(sessions.data?.filter(isOpenChat) ?? [], ({ title }) => title).map(({ id, title, isPrivate }) => (
              <Row key={id} value={`chat/${id}`} onSelect={goTo(paths.chat(id))}>
                {title || t('nav.untitled')}
                {isPrivate && <PrivateMark label={t('chats.private')} className="pl-2" />}
              </Row>
            ))}
          </ResultGroup>
        )}
        {isCommandMeant && !isCommandTyped && commandRows}
        {query !== '' && mode === 'all' && (
          <Command.Item value={`search/${query}`} onSelect={goTo(paths.search(query))} className={rowLook}>
            {t('palette.searchFor', { query })}
          </Command.Item>
        )}
        <ResultGroup name="weak" candidates={weak} onOpen={openResult} />
        {!isCommandMeant && !isCommandTyped && commandRows}
        {mode === 'all' && <SettingRows query={query} goTo={goTo} />}
      </Command.List>
      {isPreviewOpen && previewed && (
        <div className="max-h-[36vh] overflow-y-auto border-t border-line">
          <ResultPreview key={candidateKey(previewed)} query={query} candidate={previewed} />
        </div>
      )}
    </>
  )
}

function SettingRows({ query, goTo }: { query: string; goTo: (path: string) => () => void }) {
  const { nameOf } = settingNames(t)
  const { list, panels } = useSettingsSearch(query)
  const rows = [
    ...panels.filter(({ id }) => sections.every((section) => section.id !== id)),
    ...list.map(({ row: { path }, section }) => ({ id: path.join('.'), title: nameOf(path), section })),
  ]
  return (
    <Group heading={t('settings.title')}>
      {rows.slice(0, maxSettings).map(({ id, title, section }) => (
        <Row key={id} value={`setting/${id}`} onSelect={goTo(paths.settings(id))}>
          {title} <span className="text-muted">· {t(`settings.section.${section}`)}</span>
        </Row>
      ))}
    </Group>
  )
}

const rowLook = 'flex min-h-8 items-center gap-2 rounded-sm px-2.5 data-[selected=true]:bg-selected'

interface RowProps {
  readonly onSelect: () => void
  readonly keys?: string | undefined
  readonly value: string
  readonly children: ReactNode
}

function Row({ keys, children, ...item }: RowProps) {
  return (
    <Command.Item className={rowLook} {...item}>
      <span className="min-w-0 flex-1 truncate">{children}</span>
      {keys && <Keys keys={keys} />}
    </Command.Item>
  )
}

function Group({ heading, children }: { heading: string; children: readonly ReactNode[] }) {
  if (children.length === 0) return null
  return (
    <Command.Group heading={heading} className={groupLook}>
      {children}
    </Command.Group>
  )
}
