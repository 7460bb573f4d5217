import { useState, type ReactNode } from 'react'
import { t } from 'i18next'
import { FileText, Film, Image, LayoutDashboard, Music } from 'lucide-react'
import { formatShort } from '#lib/i18n/format.ts'
import { useLongTermPath } from '#lib/notes/use-vault-settings.ts'
import { NoteMark, NotIndexedBadge } from '#lib/notes/note-marks.tsx'
import { ActionItem, ActionSeparator, Button, DotsMenu } from '#lib/ui/elements.tsx'
import { NavRow, PromptDialog } from '#lib/ui/frames.tsx'
import { navigate, fileAt, paths, useEncodedPath } from '#lib/router/paths.ts'
import { attachmentOrCanvasKind } from '../attachments.ts'
import type { TreeFile } from '../rows.ts'
import type { MovePlan } from '#shared/contract/index.ts'
import { client } from '#lib/api/client.ts'
import { useAgent } from '#lib/agents/current-agent.ts'
import { showChange } from '#lib/feedback/change-toast.ts'
import { runWithErrorToast, showSuccess } from '#lib/feedback/toast.ts'
import { PlanDialog } from '../links.tsx'
import { download } from '#lib/util/download.ts'

export const hiddenByMenu =
  'group-focus-within/row:opacity-0 group-hover/row:opacity-0 group-has-[[data-popup-open]]/row:opacity-0'

export function FileRow({ file, name }: { file: TreeFile; name: ReactNode }) {
  const { id: agent } = useAgent()
  const { path } = file
  const longTermPath = useLongTermPath(agent)
  const isOpen = fileAt(useEncodedPath()) === path
  const details = 'tokens' in file ? file : undefined
  const privacy = details?.privacy
  const duplicate = async () => navigate(paths.file((await client.workspace.duplicate({ agent, path })).path))
  const remove = async () => {
    const { change } = await client.workspace.remove({ agent, path })
    showChange(t('file.deleted', { path }), agent, change, { look: 'plain' })
    if (isOpen) navigate(paths.file(longTermPath))
  }
  return (
    <div className="group/row relative">
      <NavRow
        href={paths.file(path)}
        isCurrent={isOpen}
        aside={
          <span className="tabular flex items-center gap-1.5">
            {privacy && <NoteMark privacy={privacy} className={hiddenByMenu} />}
            {file.unsearched && <NotIndexedBadge unsearched={file.unsearched} />}
            <span className={hiddenByMenu}>{details && t('file.tokens', { tokens: formatShort(details.tokens) })}</span>
          </span>
        }
      >
        {name}
      </NavRow>
      <PathMenu path={path}>
        <ActionItem onClick={() => void runWithErrorToast(duplicate())}>{t('file.duplicate')}</ActionItem>
        <ActionItem onClick={() => revealFile(agent, path, false)}>{t('file.reveal')}</ActionItem>
        <ActionItem onClick={() => revealFile(agent, path, true)}>{t('file.openOutside')}</ActionItem>
        <ActionItem onClick={() => void exportNote(agent, path)}>{t('file.export')}</ActionItem>
        {details && privacy?.rule === undefined && (
          <ActionItem onClick={() => void setPrivate(agent, path, !privacy?.isWhole)}>
            {t(privacy?.isWhole ? 'private.openThis' : 'private.lockThis')}
          </ActionItem>
        )}
        <ActionSeparator />
        <ActionItem onClick={() => void runWithErrorToast(remove())}>{t('file.delete')}</ActionItem>
      </PathMenu>
    </div>
  )
}

const icons = { image: Image, audio: Music, video: Film, document: FileText, canvas: LayoutDashboard } as const

export function AttachmentRow({ path, name }: { path: string; name: ReactNode }) {
  const isCurrent = fileAt(useEncodedPath()) === path
  const { id: agent } = useAgent()
  const kind = attachmentOrCanvasKind(path) ?? 'document'
  const Icon = icons[kind]
  return (
    <div className="group/row relative">
      <NavRow
        href={paths.file(path)}
        isCurrent={isCurrent}
        icon={<Icon size={13} role="img" aria-label={t(`other.${kind}`)} />}
      >
        {name}
      </NavRow>
      <PathMenu path={path}>
        <ActionItem onClick={() => revealFile(agent, path, false)}>{t('file.reveal')}</ActionItem>
        {kind !== 'canvas' && (
          <ActionItem onClick={() => revealFile(agent, path, true)}>{t('file.openOutside')}</ActionItem>
        )}
      </PathMenu>
    </div>
  )
}

/** @param path a file, or a folder without a trailing `/` */
export function PathMenu({ path, children }: { path: string; children: ReactNode }) {
  const [isMoving, setIsMoving] = useState(false)
  return (
    <span className="absolute top-0 right-0 opacity-0 group-focus-within/row:opacity-100 group-hover/row:opacity-100 has-[[data-popup-open]]:opacity-100">
      <DotsMenu label={t('file.menu', { path })}>
        <ActionItem onClick={() => setIsMoving(true)}>{t('file.rename')}</ActionItem>
        {children}
      </DotsMenu>
      {isMoving && <MoveDialog from={path} onClose={() => setIsMoving(false)} />}
    </span>
  )
}

export function MoveDialog({ from, onClose }: { from: string; onClose: () => void }) {
  const { id: agent } = useAgent()
  const [planned, setPlanned] = useState<{ to: string; plan: MovePlan & { staysPrivate: boolean } }>()
  const move = async (to: string, plan: MovePlan | undefined) => {
    const { links, notes, staysPrivate, change } = await client.links.move({ agent, from, to, plan: plan?.id })
    const moved = links > 0 ? t('links.movedWith', { path: to, count: links, notes }) : t('file.moved', { path: to })
    const message = staysPrivate ? `${moved} ${t('links.staysPrivate')}` : moved
    showChange(message, agent, change, { look: 'plain' })
    const shown = fileAt(location.pathname)
    if (shown === from || shown?.startsWith(`${from}/`)) navigate(paths.file(to + shown.slice(from.length)))
  }
  const closeAndMove = async (to: string, plan: MovePlan | undefined) => {
    // Closes first, since the dialog would cover the progress and its cancel button in the corner.
    onClose()
    await runWithErrorToast(move(to, plan))
  }
  const planMove = async (to: string) => {
    const plan = to === from ? undefined : await client.links.planMove({ agent, from, to })
    if (!plan) return undefined
    if (plan.links === 0 && plan.left.length === 0) return move(to, undefined)
    setPlanned({ to, plan })
    return 'next' as const
  }
  if (!planned)
    return (
      <PromptDialog
        title={t('file.rename')}
        label={t('file.path')}
        initial={from}
        action={t('file.move')}
        isPath
        onClose={onClose}
        onSubmit={(to) => planMove(to.replace(/\/+$/, ''))}
      />
    )
  const { to, plan } = planned
  return (
    <PlanDialog
      plan={plan}
      title={t('links.willUpdate', { count: plan.links, notes: t('links.inNotes', { count: plan.notes }) })}
      hint={plan.staysPrivate ? t('links.staysPrivate') : undefined}
      skippedTitle={t('links.leftBehind', { count: plan.left.length })}
      action={t('links.update')}
      aside={<Button onClick={() => void closeAndMove(to, undefined)}>{t('links.onlyMove')}</Button>}
      onSubmit={() => closeAndMove(to, plan)}
      onClose={onClose}
    />
  )
}

export async function createNote(agent: string, path: string, text: string): Promise<boolean> {
  return (await runWithErrorToast(client.workspace.write({ agent, path, text, expectedHash: null }))) !== undefined
}

async function setPrivate(agent: string, path: string, isPrivate: boolean): Promise<void> {
  const result = await runWithErrorToast(client.workspace.setVisibility({ agent, path, isPrivate }))
  const text = t(isPrivate ? 'private.locked' : 'private.opened', { path })
  if (result) showChange(text, agent, result.value.change, { look: 'plain' })
}

export async function setFolderPrivate(agent: string, path: string, isPrivate: boolean): Promise<void> {
  if (!(await runWithErrorToast(client.workspace.setFolderVisibility({ agent, path, isPrivate })))) return
  const undo = () => client.workspace.setFolderVisibility({ agent, path, isPrivate: !isPrivate })
  showSuccess(t(isPrivate ? 'private.locked' : 'private.opened', { path }), undo, { look: 'plain' })
}

async function exportNote(agent: string, path: string): Promise<void> {
  const archive = await runWithErrorToast(client.import.packNote({ agent, path }))
  const name = path.slice(path.lastIndexOf('/') + 1).replace(/\.[^.]*$/, '')
  if (archive) download(`${name}.zip`, archive.value)
}

export function revealFile(agent: string, path: string, shouldOpen: boolean): void {
  void runWithErrorToast(client.workspace.reveal({ agent, path, open: shouldOpen }))
}
