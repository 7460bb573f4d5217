/** Takes back at once what changed many notes at once, and says so. */
import i18next from 'i18next'
import { toast } from 'sonner'
import { api, client, queryClient } from '#lib/api/client.ts'

export async function takeBackMove(agent: string, undo: string, path: string): Promise<void> {
  try {
    await client.links.undoMove({ agent, undo })
    toast(i18next.t('changes.movedBack', { path }))
  } finally {
    await queryClient.invalidateQueries({ queryKey: api.links.moves.key() })
  }
}

export async function takeBackRename(agent: string, undo: string, tag: string): Promise<void> {
  try {
    await client.tags.undoRename({ agent, undo })
    toast(i18next.t('changes.renamedBack', { tag }))
  } finally {
    await queryClient.invalidateQueries({ queryKey: api.tags.renames.key() })
  }
}

export async function takeBackReplacement(agent: string, undo: string): Promise<void> {
  try {
    for await (const end of await client.find.undo({ agent, undo })) {
      if (end.type !== 'done') continue
      toast(i18next.t('find.takenBack', { count: end.files }))
      if (end.left.length > 0)
        toast.warning(i18next.t('changes.replacedLeft', { count: end.left.length }), {
          description: end.left.map(({ path }) => path).join(', '),
        })
    }
  } finally {
    await queryClient.invalidateQueries({ queryKey: api.find.past.key() })
  }
}
