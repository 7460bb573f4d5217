import { useQuery } from '@tanstack/react-query'
import { useMemo, useState } from 'react'
import { attachmentKind } from '#shared/util/attachments.ts'
import { api } from '#lib/api/client.ts'
import { isCanvas } from './file-kind.ts'

const many = 300

const storageKey = (agent: string) => `commonplace.others.${agent}`

export interface AttachmentList {
  /** Sorted paths; empty while hidden. */
  readonly shown: readonly string[]
  readonly count: number
  readonly isShown: boolean
  readonly toggle: () => void
}

/** Lists the files of a memory that are not notes, if the user shows them. */
export function useAttachmentList(agent: string): AttachmentList {
  const status = useQuery(api.search.status.queryOptions({ input: { agent } })).data
  // Listing the files reads all notes, so it waits until the index is ready.
  const isIdle = status !== undefined && status.state !== 'starting' && status.state !== 'rebuilding'
  const files = useQuery(api.links.files.queryOptions({ input: { agent }, staleTime: 60_000, enabled: isIdle })).data
  const all = useMemo(
    () => (files ?? []).map(({ path }) => path).filter((path) => attachmentKind(path) !== undefined || isCanvas(path)),
    [files],
  )
  const [chosen, setChosen] = useState<string | null>(() => localStorage.getItem(storageKey(agent)))
  const isShown = chosen === null ? all.length <= many : chosen === 'yes'
  return {
    shown: useMemo(() => (isShown ? all : []), [isShown, all]),
    count: all.length,
    isShown,
    toggle() {
      const next = isShown ? 'no' : 'yes'
      localStorage.setItem(storageKey(agent), next)
      setChosen(next)
    },
  }
}
