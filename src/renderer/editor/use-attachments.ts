import { useQuery } from '@tanstack/react-query'
import { useMemo, useState } from 'react'
import { attachmentKind, type AttachmentKind } from '#shared/util/attachments.ts'
import { api } from '#lib/api/client.ts'

/** More files than this are hidden until the user shows them. */
const maxShownByDefault = 300

const storageKey = (agent: string) => `commonplace.others.${agent}`

/** Lists the files of a memory that are not notes, if the user shows them. */
export function useAttachmentList(agent: string) {
  const status = useQuery(api.search.status.queryOptions({ input: { agent } })).data
  // Listing the files reads all notes, so it waits until the index is ready.
  const isReady = status !== undefined && status.state !== 'starting' && status.state !== 'rebuilding'
  const files = useQuery(api.links.files.queryOptions({ input: { agent }, staleTime: 60_000, enabled: isReady })).data
  const allPaths = useMemo(
    () => (files ?? []).map(({ path }) => path).filter((path) => attachmentOrCanvasKind(path) !== undefined),
    [files],
  )
  const [choice, setChoice] = useState<string | null>(() => localStorage.getItem(storageKey(agent)))
  const isShown = choice === null ? allPaths.length <= maxShownByDefault : choice === 'yes'
  return {
    /** Sorted; empty while hidden. */
    paths: useMemo(() => (isShown ? allPaths : []), [isShown, allPaths]),
    count: allPaths.length,
    isShown,
    toggle() {
      const next = isShown ? 'no' : 'yes'
      localStorage.setItem(storageKey(agent), next)
      setChoice(next)
    },
  }
}

/** Returns the kind of an attachment or canvas, or undefined for a note or an unsupported file. */
export function attachmentOrCanvasKind(path: string): AttachmentKind | 'canvas' | undefined {
  return /\.canvas$/i.test(path) ? 'canvas' : attachmentKind(path)
}
