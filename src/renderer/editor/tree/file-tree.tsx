import { useMutation, useQuery } from '@tanstack/react-query'
import { FilePlus2, Paperclip } from 'lucide-react'
import { memo, useDeferredValue, useEffect, useMemo, useState, type DragEvent } from 'react'
import { t } from 'i18next'
import { useTranslation } from 'react-i18next'
import { toast } from 'sonner'
import type { FileEntry } from '#shared/contract/index.ts'
import { api, client, queryClient } from '#lib/api/client.ts'
import { useAgent } from '#lib/agents/current-agent.ts'
import { runWithErrorToast } from '#lib/feedback/toast.ts'
import { ActionItem, Button, Chevron, IconButton, TextLink, FilterField, Skeleton } from '#lib/ui/elements.tsx'
import { SidebarSection, NavRow, PromptDialog } from '#lib/ui/frames.tsx'
import { NoteMark } from '#lib/notes/note-marks.tsx'
import { VirtualRows } from '#lib/ui/virtual-rows.tsx'
import { formatNoteDay } from '#lib/i18n/format.ts'
import { navigate, fileAt, paths, useEncodedPath } from '#lib/router/paths.ts'
import { bestMatches, nameRanker, useChineseNames } from '#lib/util/name-match.ts'
import { createNote, setFolderPrivate, AttachmentRow, FileRow, PathMenu, hiddenByMenu } from './file-row.tsx'
import { parentFolders, treeOf, treeRows, type TreeFile, type TreeRow } from '../rows.ts'
import { useDailyPath, useNewNoteFolder, useToday, useVaultSettings, vaultLine } from '#lib/notes/use-vault-settings.ts'
import { useAttachmentList } from '../attachments.ts'

const maxWithoutFilter = 12
const maxMatches = 50

export function FileTree() {
  const { id: agent } = useAgent()
  const [isNaming, setIsNaming] = useState(false)
  const [filter, setFilter] = useState('')
  const files = useQuery(api.workspace.list.queryOptions({ input: { agent: agent } }))
  const isLoaded = files.data !== undefined
  const names = useQuery(api.workspace.names.queryOptions({ input: { agent: agent }, enabled: !isLoaded }))
  const drop = useMarkdownDrop(agent)
  const { paths: attachments, count: attachmentCount, isShown, toggle } = useAttachmentList(agent)
  // The list of names loads first; the files with details follow.
  const allFiles = files.data ?? names.data ?? []
  const query = useDeferredValue(filter.trim())
  return (
    <SidebarSection
      title={t('nav.notes')}
      drop={drop}
      aside={
        <>
          {attachmentCount > 0 && (
            <IconButton
              icon={Paperclip}
              label={t('nav.others', { count: attachmentCount })}
              aria-pressed={isShown}
              className={`size-6! ${isShown ? 'text-text!' : ''}`}
              onClick={toggle}
            />
          )}
          <IconButton icon={FilePlus2} label={t('nav.newFile')} className="size-6!" onClick={() => setIsNaming(true)} />
        </>
      }
    >
      <div>
        <VaultSettingsLine />
        {isLoaded && <OutsideFiles />}
        {allFiles.length > maxWithoutFilter && (
          <FilterField
            label={t('nav.filterFiles')}
            value={filter}
            onChange={setFilter}
            className="mx-0.5 mb-1 w-[calc(100%-4px)]"
          />
        )}
        {!isLoaded && <RecoveryNotice />}
        {files.isPending && names.isPending ? (
          <div aria-busy aria-label={t('nav.opening')} role="group">
            <Skeleton lines={6} />
          </div>
        ) : query === '' ? (
          <>
            <FirstFiles files={allFiles} />
            <FolderTree files={allFiles} attachments={attachments} />
          </>
        ) : (
          <FilterResults query={query} files={allFiles} attachments={attachments} />
        )}
        {isNaming && <NewFileDialog onClose={() => setIsNaming(false)} />}
      </div>
    </SidebarSection>
  )
}

/** MEMORY.md and today's log. The log may not exist yet. */
function FirstFiles({ files }: { files: readonly TreeFile[] }) {
  const { id: agent } = useAgent()
  const shown = fileAt(useEncodedPath())
  const today = useToday()
  const path = useDailyPath(agent)(today)
  return (
    <>
      {files
        .filter(({ kind }) => kind === 'memory')
        .map((file) => (
          <FileRow key={file.path} file={file} name={baseName(file.path)} />
        ))}
      <NavRow href={paths.file(path)} isCurrent={shown === path}>
        {t('nav.todaysLog', { day: formatNoteDay(today) })}
      </NavRow>
    </>
  )
}

export function AssistantFiles() {
  const { id: agent } = useAgent()
  useTranslation()
  const files = useQuery(api.workspace.list.queryOptions({ input: { agent: agent } })).data ?? []
  const projectFiles = files.filter(({ kind }) => kind === 'project')
  if (projectFiles.length === 0) return null
  return (
    <SidebarSection title={t('nav.assistantFiles')}>
      {projectFiles.map((file) => (
        <FileRow key={file.path} file={file} name={baseName(file.path)} />
      ))}
    </SidebarSection>
  )
}

const baseName = (path: string) => path.slice(path.lastIndexOf('/') + 1)

function VaultSettingsLine() {
  const { id: agent } = useAgent()
  const conventions = useVaultSettings(agent)
  if (!conventions || conventions.kind === 'plain') return null
  const line = vaultLine(conventions)
  return (
    <p data-testid="vault-line" className="flex gap-2 px-2 pb-1 text-[11px] text-muted">
      <span className="min-w-0 truncate" title={line}>
        {line}
      </span>
      <TextLink href={paths.settings('vault')} className="shrink-0">
        {t('vault.change')}
      </TextLink>
    </p>
  )
}

export function NewFileDialog({ onClose }: { onClose: () => void }) {
  const { id: agent } = useAgent()
  const folder = useNewNoteFolder(agent)
  const create = async (name: string) => {
    const path = /\.(md|markdown)$/i.test(name) ? name : `${name}.md`
    await client.workspace.write({ agent, path, text: '', expectedHash: null })
    navigate(paths.file(path))
  }
  return (
    <PromptDialog
      title={t('nav.newFile')}
      label={t('file.path')}
      initial={`${folder}${t('file.newName')}.md`}
      action={t('file.createNow')}
      isPath
      onClose={onClose}
      onSubmit={create}
    />
  )
}

interface FolderTreeProps {
  readonly files: readonly TreeFile[]
  readonly attachments: readonly string[]
}

const FilterResults = memo(function FilterResults(props: FolderTreeProps & { readonly query: string }) {
  const { query, files, attachments } = props
  useTranslation()
  const rankOf = nameRanker(query, useChineseNames(query))
  const matchingFiles = bestMatches(files, rankOf, ({ path }) => path).slice(0, maxMatches)
  const unused = maxMatches - matchingFiles.length
  const matchingAttachments = bestMatches(attachments, rankOf, (path) => path).slice(0, unused)
  if (matchingFiles.length + matchingAttachments.length === 0)
    return <p className="px-2 py-1 text-muted">{t('nav.noFiles')}</p>
  return (
    <>
      {matchingFiles.map((file) => (
        <FileRow key={file.path} file={file} name={<FileResultName path={file.path} />} />
      ))}
      {matchingAttachments.map((path) => (
        <AttachmentRow key={path} path={path} name={<FileResultName path={path} />} />
      ))}
    </>
  )
})

function FileResultName({ path }: { path: string }) {
  const slash = path.lastIndexOf('/')
  return (
    <span title={path} className="flex flex-wrap items-baseline gap-x-2 whitespace-normal">
      <span data-testid="found-name" className="min-w-0 wrap-anywhere">
        {path.slice(slash + 1)}
      </span>
      {slash > 0 && (
        <span className="min-w-0 flex-[1_1_5rem] truncate text-[12px] text-muted">{path.slice(0, slash)}</span>
      )}
    </span>
  )
}

const changeKinds = ['move', 'tag', 'replacement'] as const

function RecoveryNotice() {
  const { id: agent } = useAgent()
  const { data = [] } = useQuery(api.health.problems.queryOptions({ input: { agent } }))
  const kind = changeKinds.find((candidate) => data.some(({ code }) => code === `${candidate}_ending`))
  return <div role="status">{kind && <p className="px-2 py-1 text-muted">{t(`nav.ending.${kind}`)}</p>}</div>
}

const foldersByAgent = new Map<string, ReadonlyMap<string, boolean>>()

function FolderTree({ files, attachments }: FolderTreeProps) {
  const { id: agent } = useAgent()
  const [folders, setFolders] = useState<ReadonlyMap<string, boolean>>(() => foldersByAgent.get(agent) ?? new Map())
  const [expandedFor, setExpandedFor] = useState<string>()
  const openPath = fileAt(useEncodedPath())
  if (expandedFor !== openPath) {
    setExpandedFor(openPath)
    if (openPath !== undefined)
      setFolders(new Map([...folders, ...parentFolders(openPath).map((path) => [path, true] as const)]))
  }
  useEffect(() => {
    foldersByAgent.set(agent, folders)
  }, [agent, folders])
  const tree = useMemo(() => treeOf(files, attachments), [files, attachments])
  const rows = useMemo(() => treeRows(tree, (path) => folders.get(path) ?? false), [tree, folders])
  const toggle = (path: string, isOpen: boolean) => setFolders(new Map([...folders, [path, isOpen]]))
  const handleKey = (key: string, row: TreeRow, index: number) => {
    const isOpen = row.kind === 'folder' && row.isOpen
    if (key === 'ArrowRight' && isOpen) return index + 1
    if (row.kind === 'folder' && key === (isOpen ? 'ArrowLeft' : 'ArrowRight')) {
      toggle(row.path, !isOpen)
      return true
    }
    if (key !== 'ArrowLeft') return undefined
    const parent = rows.slice(0, index).findLastIndex(({ kind, depth }) => kind === 'folder' && depth === row.depth - 1)
    return parent < 0 ? true : parent
  }
  return (
    <VirtualRows
      label={t('nav.notes')}
      rows={rows}
      keyOf={rowKey}
      estimateHeight={estimateHeight}
      levelOf={levelOf}
      scrollToKey={openPath}
      onKey={handleKey}
    >
      {(row) => (
        <div style={{ paddingLeft: (row.depth - 1) * indent }}>
          {row.kind === 'file' && <FileRow file={row.file} name={row.name} />}
          {row.kind === 'attachment' && <AttachmentRow path={row.path} name={row.name} />}
          {row.kind === 'folder' && <FolderRow row={row} onToggle={toggle} />}
        </div>
      )}
    </VirtualRows>
  )
}

const indent = 14
const rowKey = (row: TreeRow) =>
  row.kind === 'file' ? row.file.path : row.kind === 'attachment' ? row.path : `${row.path}/`
const levelOf = ({ depth }: TreeRow) => depth
const estimateHeight = () => 27

interface FolderRowProps {
  readonly row: Extract<TreeRow, { kind: 'folder' }>
  readonly onToggle: (path: string, isOpen: boolean) => void
}

function FolderRow({ row: { path, name, count, isOpen }, onToggle }: FolderRowProps) {
  const { id: agent } = useAgent()
  const { data: files } = useQuery(api.workspace.list.queryOptions({ input: { agent } }))
  const hasRule = ({ path: file, privacy }: FileEntry) =>
    privacy?.rule?.replace(/\/+$/, '') === path && file.startsWith(`${path}/`)
  const isPrivate = files?.some(hasRule) ?? false
  return (
    <div className="group/row relative">
      <button
        type="button"
        aria-expanded={isOpen}
        onClick={() => onToggle(path, !isOpen)}
        className="flex min-h-[27px] w-full items-center gap-1 rounded-sm px-2 text-left text-muted transition-colors hover:bg-soft"
      >
        <Chevron isOpen={isOpen} />
        <span className="min-w-0 flex-1 truncate">{name}</span>
        {isPrivate && <NoteMark privacy={{ isWhole: true, rule: path }} />}
        <span className={`tabular text-[11px] text-muted ${hiddenByMenu}`}>{t('nav.files', { count })}</span>
      </button>
      <PathMenu path={path}>
        <ActionItem onClick={() => void setFolderPrivate(agent, path, !isPrivate)}>
          {t(isPrivate ? 'private.openThis' : 'private.lockThis')}
        </ActionItem>
      </PathMenu>
    </div>
  )
}

function useMarkdownDrop(agent: string) {
  const folder = useNewNoteFolder(agent)
  return {
    onDragOver: (event: DragEvent) => event.dataTransfer.types.includes('Files') && event.preventDefault(),
    onDrop: (event: DragEvent) => {
      const files = [...event.dataTransfer.files]
      if (files.length === 0) return
      event.preventDefault()
      const createNotes = async () => {
        let createdCount = 0
        for (const file of files) {
          if (!/\.(md|markdown)$/i.test(file.name)) toast.error(t('file.notMarkdown', { name: file.name }))
          else if (await createNote(agent, folder + file.name, await file.text())) createdCount += 1
        }
        if (createdCount > 0) toast.success(t('file.dropped', { count: createdCount }))
      }
      void runWithErrorToast(createNotes())
    },
  }
}

const maxOutsideFiles = 200

/** The files that other programs added, until the user accepts them. */
function OutsideFiles() {
  const { id: agent } = useAgent()
  const { data: files = [] } = useQuery(api.workspace.outside.queryOptions({ input: { agent } }))
  const refetch = () => queryClient.invalidateQueries({ queryKey: api.workspace.outside.key() })
  const accept = useMutation(api.workspace.accept.mutationOptions({ onSuccess: refetch }))
  if (files.length === 0) return null
  return (
    <div role="status" data-testid="outside-files" className="mx-2 mb-1 rounded-sm bg-soft px-2 py-1.5 text-[12px]">
      {t('outside.added', { count: files.length })}{' '}
      <Button look="link" disabled={accept.isPending} onClick={() => accept.mutate({ agent, paths: files })}>
        {t('outside.accept')}
      </Button>
      <details>
        <summary className="cursor-pointer text-muted">{t('outside.show')}</summary>
        <p className="text-muted">{t('outside.why')}</p>
        <ul className="max-h-48 overflow-y-auto">
          {files.slice(0, maxOutsideFiles).map((path) => (
            <li key={path} className="break-all">
              <TextLink href={paths.file(path)}>{path}</TextLink>
            </li>
          ))}
        </ul>
      </details>
    </div>
  )
}
