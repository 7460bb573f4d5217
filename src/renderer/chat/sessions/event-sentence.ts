import { t } from 'i18next'
import type { SessionEvent } from '#shared/contract/index.ts'
import { explainCode } from '#lib/feedback/explain.ts'
import { formatShort } from '#lib/i18n/format.ts'

export function eventSentence(event: Exclude<SessionEvent, { type: 'command' }>): string {
  switch (event.type) {
    case 'flush':
      return t(`kept.flush.${event.status}`, { count: event.changes.length })
    case 'compaction':
      return t(event.leftOut ? 'kept.leftOut' : 'kept.compacted', {
        before: formatShort(event.before),
        after: formatShort(event.after),
      })
    case 'prune':
      return t('kept.pruned', { count: event.results, characters: formatShort(event.before - event.after) })
    case 'privateMatches':
      return t('chat.privateMatches', { count: event.count })
    case 'notice':
      return `${t(`kept.${event.kind}`, event.data)} ${event.code === '' ? '' : explainCode(event.code, event.data)}`.trim()
  }
}
