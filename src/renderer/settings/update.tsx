import { t } from 'i18next'
import { useEffect, useState } from 'react'
import { Link } from 'wouter'
import type { UpdateAction, UpdateState } from '#shared/contract/update-state.ts'
import { formatBytes, formatPercent } from '#lib/i18n/format.ts'
import { paths } from '#lib/router/paths.ts'
import { Button } from '#lib/ui/button.tsx'

const act = (action: UpdateAction) => window.commonplaceDesktop?.actOnUpdate(action)

function useUpdate(): UpdateState & { title: string } {
  const [state, setState] = useState<UpdateState>({ stage: 'off' })
  useEffect(() => window.commonplaceDesktop?.followUpdates(setState), [])
  const { stage, version, share = 0, isEarlier } = state
  if (stage === 'off' || stage === 'none') return { ...state, title: '' }
  const values = { version, share: formatPercent(share), ...(isEarlier && { context: 'earlier' }) }
  return { ...state, title: t(`update.${stage}`, values) }
}

/** In the status bar until the user chooses *Later*. */
export function UpdateNotice() {
  const { title, stage, isHidden } = useUpdate()
  if (title === '' || stage === 'current' || isHidden) return null
  const color = stage === 'failed' ? 'text-warning' : 'text-accent'
  return (
    <Link href={paths.settings('version')} className={`min-w-0 truncate rounded-sm px-1 hover:bg-soft ${color}`}>
      {title}
    </Link>
  )
}

export function UpdatePanel() {
  const { title, stage, notes = '', bytes = 0, reason, isHidden } = useUpdate()
  if (stage === 'off') return null
  const hint = stage === 'ready' ? t('update.readyHint') : stage === 'failed' && t('update.failedHint', { reason })
  return (
    <div className="mt-2 flex flex-col gap-2">
      <p role="status" className="font-medium">
        {title}
      </p>
      {hint && <p className="break-words">{hint}</p>}
      {notes !== '' && (
        <section aria-label={t('update.notes')} tabIndex={0} className="max-h-64 overflow-y-auto">
          <p className="break-words whitespace-pre-wrap">{notes}</p>
        </section>
      )}
      <p className="flex flex-wrap gap-2">
        {stage === 'available' && (
          <Button look="primary" onClick={() => act('download')}>
            {t('update.download', { size: formatBytes(bytes) })}
          </Button>
        )}
        {stage === 'ready' && (
          <Button look="primary" onClick={() => act('restart')}>
            {t('update.restart')}
          </Button>
        )}
        {title !== '' && stage !== 'current' && !isHidden && (
          <Button onClick={() => act('hide')}>{t('update.later')}</Button>
        )}
        {stage !== 'downloading' && stage !== 'ready' && (
          <>
            <Button onClick={() => act('check')}>{t('update.check')}</Button>
            <Button onClick={() => act('goBack')}>{t('update.goBack')}</Button>
          </>
        )}
      </p>
    </div>
  )
}
