/** The app's commands with their keys; other ones can be pressed in their place. */
import { useMutation, useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { useTranslation } from 'react-i18next'
import { commandKeys } from '#lib/router/command-keys.ts'
import { api } from '#lib/api/client.ts'
import { Button } from '#lib/ui/button.tsx'
import { describeKeys, writeKeys } from '#lib/util/shortcuts.ts'

export function ShortcutList() {
  const { t } = useTranslation()
  const [waiting, setWaiting] = useState<string>()
  const others = useQuery(api.settings.get.queryOptions()).data?.shortcuts ?? {}
  const setting = useMutation(api.settings.set.mutationOptions())
  const set = (keys: string, value: string | undefined) => {
    setWaiting(undefined)
    const path = ['shortcuts', keys]
    setting.mutate(value === undefined ? { path, reset: true } : { path, value })
  }
  return (
    <ul className="flex flex-col">
      {Object.entries(commandKeys).map(([command, keys]) => {
        const own = others[keys] ?? keys
        return (
          <li key={command} data-testid="shortcut" className="flex min-h-9 items-center gap-3 border-b border-soft">
            <span className="flex-1">{t(`shortcut.${command as keyof typeof commandKeys}`)}</span>
            {own !== keys && (
              <Button look="link" onClick={() => set(keys, undefined)}>
                {t('shortcut.asBefore', { keys: writeKeys(keys) })}
              </Button>
            )}
            <Button
              aria-label={t('shortcut.change', { keys: writeKeys(own) })}
              onClick={() => setWaiting(command)}
              onBlur={() => setWaiting(undefined)}
              onKeyDown={(event) => {
                if (waiting !== command || event.key === 'Tab') return
                event.preventDefault()
                event.stopPropagation()
                if (event.key === 'Escape') return setWaiting(undefined)
                const pressed = describeKeys(event.nativeEvent)
                if (/\+[^+]+$/.test(pressed) && !/(Control|Meta|Shift|Alt)$/.test(pressed)) set(keys, pressed)
              }}
              data-takes-keys={waiting === command ? true : undefined}
              className="min-w-28 justify-center"
            >
              {waiting === command ? t('shortcut.press') : writeKeys(own)}
            </Button>
          </li>
        )
      })}
    </ul>
  )
}
