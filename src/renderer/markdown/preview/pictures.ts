import { useQuery } from '@tanstack/react-query'
import { useEffect, useMemo } from 'react'
import { attachmentKind } from '#shared/util/attachments.ts'
import { client } from '#lib/api/client.ts'

/** Larger images load on request. Audio and video always load on request, since they are rarely played. */
const maxAutoLoadBytes = 12 * 1024 * 1024
/** Older files are loaded again, since they may change on disk. Files that are not shown are kept as long. */
const freshMs = 30_000
/** Limit of parallel downloads: a page of images must not block other requests. */
const maxParallel = 3

let runningDownloads = 0
const waitingDownloads: (() => void)[] = []

/**
 * Loads an attachment while the component is mounted.
 * @param isRequested loads it even if it is large
 * @returns the address of its content once it is loaded, or its size in bytes if it is over the limit
 */
export function useAttachment(agent: string, path: string, isRequested: boolean) {
  const { data, error } = useQuery({
    queryKey: ['attachment', agent, path, isRequested],
    queryFn: async () => {
      if (runningDownloads >= maxParallel) await new Promise<void>((resolve) => waitingDownloads.push(resolve))
      runningDownloads += 1
      try {
        return await load(agent, path, isRequested)
      } finally {
        runningDownloads -= 1
        waitingDownloads.shift()?.()
      }
    },
    enabled: attachmentKind(path) === 'image' || isRequested,
    staleTime: freshMs,
    gcTime: freshMs,
  })
  const url = useMemo(() => (data instanceof Blob ? URL.createObjectURL(data) : undefined), [data])
  useEffect(() => () => URL.revokeObjectURL(url ?? ''), [url])
  return { url, error, largeSize: typeof data === 'number' ? data : undefined }
}

/** Returns the content, or the size in bytes if it is over the limit. */
async function load(agent: string, path: string, isRequested: boolean): Promise<Blob | number> {
  for (;;) {
    const first = await client.workspace.attachment({ agent, path })
    if (first.size > maxAutoLoadBytes && !isRequested) return first.size
    const parts = [Uint8Array.fromBase64(first.data)]
    let from = parts[0]?.length ?? 0
    let isSame = true
    while (from < first.size && isSame) {
      const { data, modifiedAt } = await client.workspace.attachment({ agent, path, from })
      const part = Uint8Array.fromBase64(data)
      isSame = modifiedAt === first.modifiedAt && part.length > 0
      parts.push(part)
      from += part.length
    }
    // The file changed during the download: start over.
    if (isSame) return new Blob(parts, { type: first.type })
  }
}
