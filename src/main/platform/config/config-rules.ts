import { modelProviders } from '#shared/util/providers.ts'
import type { ConfigRule } from '#shared/contract/index.ts'

export const rules: Readonly<Record<ConfigRule, string>> = {
  duration: 'a duration such as 90s, 5m or 2h, of at most 24d',
  model: `offline or ${modelProviders.map((name) => `${name}/<model>`).join(', ')}`,
  weights: 'at least one weight above 0',
  color: 'a colour such as #3f5bd9',
  toolServer: 'either command or url',
  toolServerName: 'a name of letters, digits, - and _',
  keys: 'keys such as Mod+Shift+K',
  accelerator: 'keys such as CommandOrControl+Shift+Space, or empty to disable the shortcut',
  folder: 'a folder inside the workspace, such as notes/daily',
  ownFolder: 'empty for the top folder, .commonplace, or a folder that is not hidden',
  dailyFormat: 'a format with year, month and day, such as YYYY-MM-DD',
  schedule:
    'off, daily 04:00, monday 09:00, weekdays 18:30, monthly, or a cron expression of five fields such as 0 4 * * 1',
  ids: 'a list of agents with unique ids',
}
