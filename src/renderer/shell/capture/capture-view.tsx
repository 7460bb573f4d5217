/** The capture window; in a browser, a page of its own. `?text=` brings a note from another program. */
import type { Agent } from '#shared/contract/index.ts'
import { useParameters } from '#lib/router/paths.ts'
import { CaptureCard } from './capture-card.tsx'

export function CaptureView({ agents }: { agents: readonly Agent[] }) {
  const given = useParameters().get('text') ?? undefined
  return (
    <main className="flex h-full items-center justify-center p-0 sm:p-4">
      <div className="w-full max-w-[520px]">
        <CaptureCard agents={agents} given={given} isAsked={given !== undefined} onClose={() => window.close()} />
      </div>
    </main>
  )
}
