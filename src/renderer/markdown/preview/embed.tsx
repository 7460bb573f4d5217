import { useQuery } from '@tanstack/react-query'
import { useMemo } from 'react'
import { t } from 'i18next'
import { Link } from 'wouter'
import { attachmentKind } from '#shared/util/attachments.ts'
import { fileNameOf, stemOf } from '#shared/markdown/links/resolve-link.ts'
import { splitTarget } from '#shared/markdown/links/link-target.ts'
import { withoutLead } from '#shared/markdown/blocks/line-starts.ts'
import { api } from '#lib/api/client.ts'
import { explainError } from '#lib/feedback/explain.ts'
import { plainTitle } from '#lib/notes/note-titles.ts'
import { paths } from '#lib/router/paths.ts'
import { ErrorBoundary } from '#lib/ui/states.tsx'
import { clipLine, clipPassage } from '#lib/util/clip.ts'
import { useNoteLinks } from '../citations/use-note-links.ts'
import { DocumentContext, emptyContext, useDocumentContext } from '../document/context.ts'
import { Anchor } from '../document/elements.tsx'
import { RowText } from '../document/row-view.tsx'
import { footnoteLabels } from '../document/use-document.ts'
import { nameHref } from '../parse/mdast.ts'
import { parseDocument, sectionOf } from '../parse/parse-document.ts'
import { AttachmentView, MissingImage, parseImageLabel } from './picture.tsx'

const maxDepth = 3
/** Limits of an embedded note, in characters and rows. The remaining text is not shown. */
const maxCharacters = 6000
const maxRows = 40

export function Embed({ target, label, isBlock }: { target: string; label: string | undefined; isBlock: boolean }) {
  const { ancestors, links } = useDocumentContext()
  const blockId = /^\(\((.+)\)\)$/.exec(target)?.[1]
  const block = useBlock(blockId)
  if (blockId !== undefined)
    return block && ancestors.length <= maxDepth ? (
      <EmbeddedNote path={block.path} target={`${block.path}#^${blockId}`} name={stemOf(fileNameOf(block.path))} />
    ) : (
      <BlockReference id={blockId} label={undefined} />
    )
  const link = splitTarget(target)
  const fileName = link.target
  // While the file list is loading, a target resolves to itself.
  const path = links?.resolve('wiki', link)
  if (path === undefined && attachmentKind(fileName) !== undefined)
    return <MissingImage name={fileName} reason={t('reading.noPicture')} />
  if (path !== undefined && attachmentKind(path) !== undefined) {
    const { name, width } = parseImageLabel(label ?? '')
    return <AttachmentView path={path} alt={name || fileName} width={width} />
  }
  const isNote = path !== undefined && /\.(?:md|markdown)$/i.test(path)
  // Prevents cycles and deep nesting.
  if (!isNote || !isBlock || ancestors.includes(path) || ancestors.length > maxDepth)
    return <Anchor href={nameHref(target)}>{label ?? target}</Anchor>
  return <EmbeddedNote path={path} target={target} />
}

function EmbeddedNote({ path, target, name = target }: { path: string; target: string; name?: string }) {
  const { agent, ancestors, syntax, components } = useDocumentContext()
  const file = useQuery(api.workspace.read.queryOptions({ input: { agent, path }, staleTime: 5000 }))
  const links = useNoteLinks(agent, path)
  const { fragment } = splitTarget(target)
  const section = useMemo(() => (file.data ? sectionOf(file.data.text, fragment) : undefined), [file.data, fragment])
  const text = section === undefined ? '' : clipPassage(section.trim(), maxCharacters)
  const allRows = useMemo(() => parseDocument(text), [text])
  const context = useMemo(
    () => ({
      ...emptyContext,
      agent,
      path,
      ancestors: [...ancestors, path],
      syntax,
      components,
      links,
      footnotes: footnoteLabels(allRows).split(' '),
    }),
    [agent, path, ancestors, syntax, components, links, allRows],
  )
  const rows = allRows.slice(0, maxRows)
  const isClipped = section !== undefined && (text.length < section.trim().length || rows.length < allRows.length)
  return (
    <section className="embed" aria-label={name}>
      <div className="embed-title">
        <Anchor href={nameHref(target)}>{name}</Anchor>
      </div>
      {file.error ? (
        <p className="text-muted">{explainError(file.error)}</p>
      ) : file.data && section === undefined ? (
        <p className="text-muted">{t('reading.noPart')}</p>
      ) : (
        <DocumentContext value={context}>
          <ErrorBoundary piece="text" resetKey={text}>
            {rows.map((row, index) => (
              <div key={index} className="reading-row">
                <RowText row={row} />
              </div>
            ))}
          </ErrorBoundary>
        </DocumentContext>
      )}
      {isClipped && <p className="text-muted">{t('reading.goesOn')}</p>}
    </section>
  )
}

/** Returns undefined while loading, and null if no note has this block. */
function useBlock(id: string | undefined) {
  const { agent } = useDocumentContext()
  const input = { agent, id: id ?? '' }
  return useQuery(api.links.block.queryOptions({ input, enabled: id !== undefined, staleTime: 60_000 })).data
}

export function BlockReference({ id, label }: { id: string; label: string | undefined }) {
  const block = useBlock(id)
  if (!block) return <code className="quiet-macro">{label ?? `((${id}))`}</code>
  const title = plainTitle(withoutLead(block.text))
  return (
    <Link href={paths.file(block.path, block.line)} title={block.path} className="block-reference">
      {label ?? clipLine(title || block.path, 300)}
    </Link>
  )
}
