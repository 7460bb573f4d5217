/** A change that a crash had interrupted was completed: told over every view until somebody has dealt with it. */
import type { TFunction } from 'i18next'
import { useQuery } from '@tanstack/react-query'
import { useEffect } from 'react'
import { useTranslation } from 'react-i18next'
import { useLocation } from 'wouter'
import type { EndedChange } from '#shared/contract/index.ts'
import { api, client, queryClient } from '#lib/api/client.ts'
import { attempt, forgetTold, tellUntilSeen } from '#lib/feedback/toast.ts'
import { shownNames, takeBackBatch } from '../editor/history/revert-change.ts'
import { paths } from '#lib/router/paths.ts'

export function EndedNotice({ agent }: { agent: string }) {
  const { t } = useTranslation()
  const [, navigate] = useLocation()
  const ended = useQuery(api.health.ended.queryOptions({ input: { agent } })).data
  useEffect(() => {
    // What goes by itself was not dealt with.
    let isShown = true
    for (const one of ended ?? []) {
      const { id, kind, notes, undo } = one
      tellUntilSeen(notes === 0 ? t('ended.moveAlone') : t(`ended.${kind}`, { count: notes }), {
        id,
        description: wordsOf(one, t),
        undo: undo === null ? undefined : () => takeBackBatch(agent, undo, one),
        onward: { label: t('changes.title'), go: () => navigate(paths.changes()) },
        onSeen: () => void (isShown && attempt(see(agent, id))),
      })
    }
    // Another window has dealt with it, or another agent is shown.
    return () => {
      isShown = false
      for (const { id } of ended ?? []) forgetTold(id)
    }
  }, [agent, ended, navigate, t])
  return null
}

function wordsOf(one: EndedChange, t: TFunction): string {
  const { from, to } = shownNames(one)
  return [
    ...(one.from === '' ? [] : [`${from} → ${to}`]),
    ...(one.left > 0 ? [t('changes.replacedLeft', { count: one.left })] : []),
  ].join(' · ')
}

async function see(agent: string, id: string): Promise<void> {
  await client.health.endedSeen({ agent, id })
  await queryClient.invalidateQueries({ queryKey: api.health.ended.key() })
}
