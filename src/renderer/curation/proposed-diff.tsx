import { useTranslation } from 'react-i18next'
import { Link } from 'wouter'
import { Patch } from '#lib/diff-view/patch.tsx'
import { PlaceMark } from '#lib/notes/private-mark.tsx'
import { paths } from '#lib/router/paths.ts'

interface ProposedDiffProps {
  readonly agent: string
  readonly path: string
  readonly patch: string
  readonly isNew: boolean
  readonly isSmall?: boolean
}

export function ProposedDiff({ agent, path, patch, isNew, isSmall = false }: ProposedDiffProps) {
  const { t } = useTranslation()
  return (
    <figure className="overflow-hidden rounded-md border border-line">
      <figcaption className="flex items-baseline gap-3 border-b border-line px-3.5 py-2">
        <Link href={paths.file(path)} className="min-w-0 truncate font-mono text-[12px] hover:underline">
          {path}
        </Link>
        <PlaceMark agent={agent} path={path} />
        {isNew && <span className="shrink-0 text-[12px] text-muted">{t('upkeep.newFile')}</span>}
      </figcaption>
      <Patch patch={patch} isSmall={isSmall} />
    </figure>
  )
}
