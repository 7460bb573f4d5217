/** The workspace in the sidebar: what is always read, and folders that open; the days' logs have a calendar. */
import { useQuery } from '@tanstack/react-query'
import { ChevronRight, FilePlus2 } from 'lucide-react'
import { useEffect, useState, type DragEvent } from 'react'
import { useTranslation } from 'react-i18next'
import { toast } from 'sonner'
import { useLocation } from 'wouter'
import type { Agent, FileEntry } from '../../shared/contract/index.ts'
import { api } from '../api/index.ts'
import { attempt } from '../feedback/index.ts'
import { Button, IconButton } from '../ui/button.tsx'
import { ErrorBoundary } from '../ui/error-boundary.tsx'
import { SidebarSection } from '../ui/sidebar-section.tsx'
import { fileAt, isFileAt, paths } from '../navigate.ts'
import { FilterField } from '../ui/search-field.tsx'
import { useFileActions, type FileActions } from './file-actions.ts'
import { hintPlace } from '../onboarding/tour.tsx'
import { NewFileDialog } from './new-file-dialog.tsx'
import { FileRow } from './file-row.tsx'
import { PathMenu } from './path-menu.tsx'

interface TreeProps {
  readonly agent: Agent
  readonly current: string
}

/** More files than this can be narrowed down by name. */
const manyFiles = 12

/** Rows of a folder drawn at first, and with each further step. */
const page = 300

export function FileTree({ agent, current }: TreeProps) {
  const { t } = useTranslation()
  const [isNaming, setIsNaming] = useState(false)
  const [filter, setFilter] = useState('')
  const files = useQuery(api.workspace.list.queryOptions({ input: { agent: agent.id } }))
  const actions = useFileActions(agent.id)
  const drop = useDropMarkdown(actions)
  const all = files.data ?? []
  const typed = filter.trim().toLowerCase()
  const named = typed === '' ? [] : all.filter(({ path }) => path.toLowerCase().includes(typed)).slice(0, 50)
  return (
    <SidebarSection
      id="files"
      title={t('nav.memory')}
      drop={drop}
      className="min-h-32 flex-1 [@media(max-height:620px)]:shrink-0"
      aside={
        <>
          <span>{files.data ? t('nav.files', { count: all.length }) : ''}</span>
          <IconButton label={t('nav.newFile')} className="size-6!" onClick={() => setIsNaming(true)}>
            <FilePlus2 size={13} />
          </IconButton>
        </>
      }
    >
      <div {...hintPlace('files')}>
        {all.length > manyFiles && (
          <FilterField
            label={t('nav.filterFiles')}
            value={filter}
            onChange={setFilter}
            className="mx-0.5 mb-1 w-[calc(100%-4px)]"
          />
        )}
        {typed === '' ? (
          <Everything agent={agent} current={current} files={all} actions={actions} />
        ) : named.length === 0 ? (
          <p className="px-2 py-1 text-muted">{t('nav.noFiles')}</p>
        ) : (
          named.map((file) => (
            <FileRow key={file.path} file={file} name={file.path} current={current} actions={actions} />
          ))
        )}
        {isNaming && <NewFileDialog agent={agent.id} onClose={() => setIsNaming(false)} />}
      </div>
    </SidebarSection>
  )
}

interface EverythingProps extends TreeProps {
  readonly files: readonly FileEntry[]
  readonly actions: FileActions
}

function Everything({ current, files, actions }: EverythingProps) {
  const pinned = [...files.filter(({ kind }) => kind === 'memory'), ...files.filter(({ kind }) => kind === 'project')]
  return (
    <>
      {pinned.map((file) => (
        <FileRow key={file.path} file={file} name={file.path} current={current} actions={actions} />
      ))}
      <Inside files={files.filter(({ kind }) => kind === 'note')} prefix="" current={current} actions={actions} />
    </>
  )
}

interface InsideProps {
  readonly files: readonly FileEntry[]
  readonly prefix: string
  readonly current: string
  readonly actions: FileActions
}

/** Folders that open, then the files beside them. */
function Inside({ files, prefix, current, actions }: InsideProps) {
  const { t } = useTranslation()
  const [shown, setShown] = useState(page)
  const beside = files.filter(({ path }) => !path.slice(prefix.length).includes('/'))
  const folders = Map.groupBy(
    files.filter(({ path }) => path.slice(prefix.length).includes('/')),
    ({ path }) => path.slice(prefix.length).split('/', 1)[0] ?? '',
  )
  return (
    <>
      {[...folders].slice(0, shown).map(([name, inside]) => (
        <Folder
          key={name}
          name={name}
          files={inside}
          prefix={`${prefix}${name}/`}
          current={current}
          actions={actions}
        />
      ))}
      {beside.slice(0, shown).map((file) => (
        <ErrorBoundary key={file.path} piece="row" of={file}>
          <FileRow file={file} name={file.path.slice(prefix.length)} current={current} actions={actions} />
        </ErrorBoundary>
      ))}
      {Math.max(folders.size, beside.length) > shown && (
        <Button look="link" className="px-2!" onClick={() => setShown(shown + page)}>
          {t('history.more')}
        </Button>
      )}
    </>
  )
}

/** Folders that were open or closed, by agent and path: one whose last file went and came back is as it was. */
const seenFolders = new Map<string, boolean>()

function Folder({ name, files, prefix, current, actions }: InsideProps & { readonly name: string }) {
  const { t } = useTranslation()
  const key = `${actions.agent}/${prefix}`
  const holds = files.some(({ path }) => isFileAt(current, path))
  const [isOpen, setIsOpen] = useState(() => seenFolders.get(key) || holds)
  const [shownAt, setShownAt] = useState(current)
  // Where one went to is in sight.
  if (shownAt !== current) {
    setShownAt(current)
    if (holds) setIsOpen(true)
  }
  useEffect(() => {
    seenFolders.set(key, isOpen)
  }, [key, isOpen])
  return (
    <div>
      <div className="group/row relative">
        <button
          type="button"
          aria-expanded={isOpen}
          onClick={() => setIsOpen(!isOpen)}
          className="flex min-h-[26px] w-full items-center gap-1 rounded-sm px-2 text-left text-muted transition-colors hover:bg-soft"
        >
          <ChevronRight size={12} aria-hidden className={`transition-transform ${isOpen ? 'rotate-90' : ''}`} />
          <span className="min-w-0 flex-1 truncate">{name}</span>
          <span className="tabular text-[11px] text-muted group-focus-within/row:opacity-0 group-hover/row:opacity-0">
            {t('nav.files', { count: files.length })}
          </span>
        </button>
        <span className="absolute top-0 right-0 opacity-0 group-focus-within/row:opacity-100 group-hover/row:opacity-100 has-[[data-popup-open]]:opacity-100">
          <FolderMenu agent={actions.agent} path={prefix.slice(0, -1)} current={current} />
        </span>
      </div>
      {isOpen && (
        <div className="ml-3 border-l border-soft pl-1">
          <Inside files={files} prefix={prefix} current={current} actions={actions} />
        </div>
      )}
    </div>
  )
}

function FolderMenu({ agent, path, current }: { agent: string; path: string; current: string }) {
  const [, navigate] = useLocation()
  const follow = (to: string) => {
    const open = fileAt(current)
    if (open?.startsWith(`${path}/`)) navigate(paths.file(to + open.slice(path.length)))
  }
  return <PathMenu agent={agent} path={path} onMoved={follow} />
}

/** Markdown files that are dropped here become files of the workspace; none is ever replaced. */
function useDropMarkdown(actions: FileActions) {
  const { t } = useTranslation()
  return {
    onDragOver: (event: DragEvent) => event.dataTransfer.types.includes('Files') && event.preventDefault(),
    onDrop: (event: DragEvent) => {
      const dropped = [...event.dataTransfer.files]
      if (dropped.length === 0) return
      event.preventDefault()
      const take = async () => {
        let added = 0
        for (const file of dropped) {
          if (!/\.(md|markdown)$/i.test(file.name)) toast.error(t('file.notMarkdown', { name: file.name }))
          else if (await actions.create(`memory/${file.name}`, await file.text())) added += 1
        }
        if (added > 0) toast.success(t('file.dropped', { count: added }))
      }
      void attempt(take())
    },
  }
}
