import type { ReactNode } from 'react'
import { t } from 'i18next'
import { useLocation } from 'wouter'
import { formatShort } from '#lib/i18n/format.ts'
import { ActionItem, ActionSeparator } from '#lib/ui/action-menu.tsx'
import { NavRow } from '#lib/ui/nav-row.tsx'
import { isFileAt, paths, useEncodedPath } from '#lib/router/paths.ts'
import { PrivacyBadge, LockButton } from '../privacy/privacy-badge.tsx'
import { NotIndexedBadge } from '../privacy/not-indexed.tsx'
import type { FileActions } from './file-actions.ts'
import { PathMenu } from './path-menu.tsx'
import type { TreeFile } from './tree-rows.ts'

interface FileRowProps {
  readonly file: TreeFile
  readonly name: ReactNode
  /** Encoded path of the current page. */
  readonly current: string
  readonly actions: FileActions
}

export function FileRow({ file, name, current, actions }: FileRowProps) {
  const details = 'tokens' in file ? file : undefined
  return (
    <div className="group/row relative">
      <NavRow
        href={paths.file(file.path)}
        isCurrent={isFileAt(current, file.path)}
        aside={
          <span className="tabular flex items-center gap-1.5">
            {details?.local && (
              <span className="flex group-focus-within/row:opacity-0 group-hover/row:opacity-0">
                <PrivacyBadge local={details.local} />
              </span>
            )}
            {file.unsearched && <NotIndexedBadge unsearched={file.unsearched} />}
            <span className="group-focus-within/row:opacity-0 group-hover/row:opacity-0">
              {details && t('file.tokens', { tokens: formatShort(details.tokens) })}
            </span>
          </span>
        }
      >
        {name}
      </NavRow>
      <span className="absolute top-0 right-0 opacity-0 group-focus-within/row:opacity-100 group-hover/row:opacity-100 has-[[data-popup-open]]:opacity-100">
        <span className="flex">
          {details && (
            <LockButton
              path={file.path}
              local={details.local}
              onChange={(isLocal) => void actions.setLocal(file.path, isLocal)}
            />
          )}
          <FileMenu file={file} actions={actions} />
        </span>
      </span>
    </div>
  )
}

function FileMenu({ file, actions }: { file: TreeFile; actions: FileActions }) {
  const [, navigate] = useLocation()
  const location = useEncodedPath()
  const { path } = file
  const local = 'tokens' in file ? file.local : undefined
  const isOpen = isFileAt(location, path)
  const remove = async () => {
    if ((await actions.remove(path)) && isOpen) navigate(paths.chat())
  }
  return (
    <PathMenu agent={actions.agent} path={path} onMoved={(to) => isOpen && navigate(paths.file(to))}>
      <ActionItem onClick={() => void actions.duplicate(path).then((copy) => copy && navigate(paths.file(copy)))}>
        {t('file.duplicate')}
      </ActionItem>
      <ActionItem onClick={() => actions.reveal(path, false)}>{t('file.reveal')}</ActionItem>
      <ActionItem onClick={() => actions.reveal(path, true)}>{t('file.openOutside')}</ActionItem>
      <ActionItem onClick={() => void actions.exportNote(path)}>{t('file.export')}</ActionItem>
      {'tokens' in file && local?.rule === undefined && (
        <ActionItem onClick={() => void actions.setLocal(path, !local?.isWhole)}>
          {t(local?.isWhole ? 'local.openThis' : 'local.lockThis')}
        </ActionItem>
      )}
      <ActionSeparator />
      <ActionItem onClick={() => void remove()}>{t('file.delete')}</ActionItem>
    </PathMenu>
  )
}
