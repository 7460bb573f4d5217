/** A file of the tree, with what can be done with it. */
import { useTranslation } from 'react-i18next'
import { useLocation } from 'wouter'
import type { FileEntry } from '../../shared/contract/index.ts'
import { formatShort } from '../i18n/format.ts'
import { ActionItem, ActionSeparator } from '../ui/action-menu.tsx'
import { NavRow } from '../ui/nav-row.tsx'
import { isFileAt, paths, usePlace } from '../navigate.ts'
import { LocalMark, LockButton } from '../scope/local.tsx'
import { UnsearchedMark } from '../scope/unsearched.tsx'
import type { FileActions } from './file-actions.ts'
import { PathMenu } from './path-menu.tsx'

interface FileRowProps {
  readonly file: FileEntry
  readonly name: string
  readonly current: string
  readonly actions: FileActions
}

export function FileRow({ file, name, current, actions }: FileRowProps) {
  const { t } = useTranslation()
  return (
    <div className="group/row relative">
      <NavRow
        href={paths.file(file.path)}
        isCurrent={isFileAt(current, file.path)}
        aside={
          <span className="tabular flex items-center gap-1.5">
            {file.local && (
              <span className="flex group-focus-within/row:opacity-0 group-hover/row:opacity-0">
                <LocalMark local={file.local} />
              </span>
            )}
            {file.unsearched && <UnsearchedMark unsearched={file.unsearched} />}
            <span className="group-focus-within/row:opacity-0 group-hover/row:opacity-0">
              {t('file.tokens', { tokens: formatShort(file.tokens) })}
            </span>
          </span>
        }
      >
        {name}
      </NavRow>
      <span className="absolute top-0 right-0 opacity-0 group-focus-within/row:opacity-100 group-hover/row:opacity-100 has-[[data-popup-open]]:opacity-100">
        <span className="flex">
          <LockButton
            path={file.path}
            local={file.local}
            onChange={(isLocal) => void actions.setLocal(file.path, isLocal)}
          />
          <FileMenu file={file} actions={actions} />
        </span>
      </span>
    </div>
  )
}

function FileMenu({ file: { path, local }, actions }: { file: FileEntry; actions: FileActions }) {
  const { t } = useTranslation()
  const [, navigate] = useLocation()
  const location = usePlace()
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
      {local?.rule === undefined && (
        <ActionItem onClick={() => void actions.setLocal(path, !local?.isWhole)}>
          {t(local?.isWhole ? 'local.openThis' : 'local.lockThis')}
        </ActionItem>
      )}
      <ActionSeparator />
      <ActionItem onClick={() => void remove()}>{t('file.delete')}</ActionItem>
    </PathMenu>
  )
}
