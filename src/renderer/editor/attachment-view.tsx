import { ExternalLink, FolderOpen, LayoutDashboard } from 'lucide-react'
import { useAgent } from '#lib/agents/current-agent.ts'
import { t } from 'i18next'
import { IconButton, ErrorBoundary, EmptyState } from '#lib/ui/elements.tsx'
import { clipLine } from '#lib/util/clip.ts'
import { ViewHeader } from '#lib/ui/frames.tsx'
import { AttachmentView } from '../markdown/preview/embed.tsx'
import { revealFile } from './tree/file-row.tsx'
import { attachmentOrCanvasKind } from './attachments.ts'

export default function AttachmentPage({ path }: { path: string }) {
  const { id: agent } = useAgent()
  const isCanvas = attachmentOrCanvasKind(path) === 'canvas'
  const name = path.slice(path.lastIndexOf('/') + 1)
  return (
    <section className="flex min-w-0 flex-1 flex-col">
      <ViewHeader title={<span className="font-mono text-[13px]">{clipLine(path)}</span>}>
        {!isCanvas && (
          <IconButton icon={ExternalLink} label={t('file.openOutside')} onClick={() => revealFile(agent, path, true)} />
        )}
        <IconButton icon={FolderOpen} label={t('file.reveal')} onClick={() => revealFile(agent, path, false)} />
      </ViewHeader>
      <div className="prose reading reading-wide" data-testid="other" tabIndex={0}>
        {isCanvas ? (
          <EmptyState title={name} hint={t('other.canvasHint')}>
            <LayoutDashboard aria-hidden className="text-muted" />
          </EmptyState>
        ) : (
          <ErrorBoundary piece="preview" resetKey={path}>
            <AttachmentView path={path} alt={name} width={undefined} />
          </ErrorBoundary>
        )}
      </div>
    </section>
  )
}
