/** Asks what a new note is to be called, and opens it. It starts among the notes, with nothing but its name selected. */
import { useTranslation } from 'react-i18next'
import { useLocation } from 'wouter'
import { paths } from '../navigate.ts'
import { PromptDialog } from '../ui/prompt-dialog.tsx'
import { useFileActions } from './file-actions.ts'

export function NewFileDialog({ agent, onClose }: { agent: string; onClose: () => void }) {
  const { t } = useTranslation()
  const [, navigate] = useLocation()
  const actions = useFileActions(agent)
  const create = async (typed: string) => {
    const path = /\.(md|markdown)$/i.test(typed) ? typed : `${typed}.md`
    if (await actions.create(path)) navigate(paths.file(path))
  }
  return (
    <PromptDialog
      title={t('file.newTitle')}
      label={t('file.path')}
      initial={`memory/${t('file.newName')}.md`}
      action={t('file.createNow')}
      isPath
      onClose={onClose}
      onSubmit={(typed) => void create(typed)}
    />
  )
}
