import { useQuery } from '@tanstack/react-query'
import { useEffect, useState } from 'react'
import { dailyNotePath, defaultDailyNotes } from '#shared/markdown/daily-notes.ts'
import { longTermName } from '#shared/util/agent-files.ts'
import { api } from '../api/client.ts'
import { fileAt, paths, useEncodedPath } from '../router/paths.ts'
import { isoDate } from '../i18n/format.ts'
import { t } from 'i18next'
import type { VaultConventions } from '#shared/contract/index.ts'

export function useVaultSettings(agent: string) {
  return useQuery(api.conventions.of.queryOptions({ input: { agent } })).data
}

/** Returns a function from a date (`YYYY-MM-DD`) to the path of its daily note. */
export function useDailyPath(agent: string): (date: string) => string {
  const daily = useVaultSettings(agent)?.daily ?? defaultDailyNotes
  return (date) => dailyNotePath(daily, date)
}

/** Returns the folder of new notes with a trailing slash, or an empty string for the root. */
export function useNewNoteFolder(agent: string): string {
  const vault = useVaultSettings(agent)
  // Commonplace's own folders use `memory/`; a vault uses the folder set in its program.
  if (!vault || (vault.own === '' && (vault.kind === 'plain' || vault.kind === 'openclaw'))) return 'memory/'
  return vault.newNotes === 'beside' || vault.newNotes.path === '' ? '' : `${vault.newNotes.path}/`
}

export function useLongTermPath(agent: string): string {
  const { own = '', longTermFiles: [name = longTermName] = [] } = useVaultSettings(agent) ?? {}
  return own === '' ? name : `${own}/${name}`
}

/** Returns the day on which the component was mounted, `YYYY-MM-DD`. */
export function useToday(): string {
  return useState(() => isoDate(new Date()))[0]
}

/** The file that was shown last, by agent. */
const lastFiles = new Map<string, string>()

/** Returns the address of the Notes place: the file that was shown last, else today's log, else MEMORY.md. */
export function useNotesPath(agent: string): string {
  const shown = fileAt(useEncodedPath())
  const todaysLog = useDailyPath(agent)(useToday())
  const longTermPath = useLongTermPath(agent)
  const files = useQuery(api.workspace.list.queryOptions({ input: { agent } })).data
  const exists = (path: string) => files?.some((file) => file.path === path) ?? false
  useEffect(() => {
    if (shown !== undefined) lastFiles.set(agent, shown)
  }, [agent, shown])
  const lastFile = shown ?? lastFiles.get(agent)
  if (lastFile !== undefined && exists(lastFile)) return paths.file(lastFile)
  return paths.file(exists(todaysLog) || !exists(longTermPath) ? todaysLog : longTermPath)
}

export function describeVault({ kind, daily }: VaultConventions, count: number): string {
  const notes = t('vault.notes', { count })
  return t('vault.found', { kind: t(`vault.kind.${kind}`), notes, daily: dailyPattern(daily) })
}

export function vaultLine({ kind, daily }: VaultConventions): string {
  return t('vault.line', { kind: t(`vault.kind.${kind}`), daily: dailyPattern(daily) })
}

/** Returns the path pattern of daily notes, such as `journals/YYYY_MM_DD`. */
function dailyPattern({ folder, format }: VaultConventions['daily']): string {
  return folder === '' ? format : `${folder}/${format}`
}
