import { useMutation } from '@tanstack/react-query'
import { ExternalLink, FileText, Film, FolderOpen, Music, Play } from 'lucide-react'
import { useState } from 'react'
import { useTranslation } from 'react-i18next'
import { attachmentKind } from '#shared/util/attachments.ts'
import { api } from '#lib/api/client.ts'
import { explainError } from '#lib/feedback/explain.ts'
import { IconButton } from '#lib/ui/button.tsx'
import { clipLine } from '#lib/util/clip.ts'
import { useNote } from './note-context.ts'
import { useAttachment } from './pictures.ts'

const icons = { audio: Music, video: Film, document: FileText, image: FileText } as const

export function AttachmentCard({ path, label }: { path: string; label: string }) {
  const { t } = useTranslation()
  const { agent } = useNote()
  const [isPlaying, setIsPlaying] = useState(false)
  const reveal = useMutation(api.workspace.reveal.mutationOptions())
  const kind = attachmentKind(path) ?? 'document'
  const shown = useAttachment(agent, path, isPlaying)
  const Icon = icons[kind]
  const url = isPlaying && shown.state === 'there' ? shown.attachment.url : undefined
  return (
    <span className="attachment">
      <span className="flex items-center gap-2">
        <Icon size={15} aria-hidden className="shrink-0 text-muted" />
        <span className="min-w-0 flex-1 truncate" title={path}>
          {clipLine(label || path.slice(path.lastIndexOf('/') + 1), 120)}
        </span>
        {kind !== 'document' && !isPlaying && (
          <IconButton label={t('reading.play')} onClick={() => setIsPlaying(true)}>
            <Play size={14} />
          </IconButton>
        )}
        <IconButton label={t('file.openOutside')} onClick={() => reveal.mutate({ agent, path, open: true })}>
          <ExternalLink size={14} />
        </IconButton>
        <IconButton label={t('file.reveal')} onClick={() => reveal.mutate({ agent, path, open: false })}>
          <FolderOpen size={14} />
        </IconButton>
      </span>
      {isPlaying && shown.state === 'failed' && <span className="text-muted">{explainError(shown.error)}</span>}
      {url !== undefined && kind === 'audio' && <audio controls autoPlay src={url} className="mt-2 w-full" />}
      {url !== undefined && kind === 'video' && <video controls autoPlay src={url} className="mt-2 max-h-96 w-full" />}
    </span>
  )
}
