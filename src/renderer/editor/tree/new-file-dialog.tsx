import { t } from 'i18next'
import { useLocation } from 'wouter'
import { client } from '#lib/api/client.ts'
import { errorTextOf } from '#lib/feedback/toast.ts'
import { paths } from '#lib/router/paths.ts'
import { PromptDialog } from '#lib/ui/prompt-dialog.tsx'
import { useNewNoteFolder } from '#lib/notes/use-vault-settings.ts'

export function NewFileDialog({ agent, onClose }: { agent: string; onClose: () => void }) {
  const [, navigate] = useLocation()
  const folder = useNewNoteFolder(agent)
  const create = async (name: string) => {
    const path = /\.(md|markdown)$/i.test(name) ? name : `${name}.md`
    const errorText = await errorTextOf(client.workspace.write({ agent, path, text: '', expectedHash: null }))
    if (errorText === undefined) navigate(paths.file(path))
    return errorText
  }
  return (
    <PromptDialog
      title={t('file.newTitle')}
      label={t('file.path')}
      initial={`${folder}${t('file.newName')}.md`}
      action={t('file.createNow')}
      isPath
      onClose={onClose}
      onSubmit={create}
    />
  )
}
