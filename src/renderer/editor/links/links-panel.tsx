import { useQuery } from '@tanstack/react-query'
import type { PropsWithChildren } from 'react'
import { t } from 'i18next'
import { Link } from 'wouter'
import type { Agent, OutgoingLink } from '#shared/contract/index.ts'
import { api } from '#lib/api/client.ts'
import { explainError } from '#lib/feedback/explain.ts'
import { paths } from '#lib/router/paths.ts'
import { NoteProperties } from '../tags/note-properties.tsx'
import { clipLine } from '#lib/util/clip.ts'
import { SidePanel } from '#lib/ui/side-panel.tsx'
import { Skeleton } from '#lib/ui/states.tsx'

export function LinksPanel({ agent, path, onClose }: { agent: Agent; path: string; onClose: () => void }) {
  const links = useQuery(api.links.of.queryOptions({ input: { agent: agent.id, path } }))
  const outgoing = links.data?.outgoing ?? []
  const broken = outgoing.filter((link) => link.path === null)
  return (
    <SidePanel title={t('links.title')} closing={t('links.close')} onClose={onClose}>
      <div className="flex flex-col gap-3 p-2">
        <NoteProperties agent={agent.id} path={path} />
        {links.error && <p className="p-2 text-muted">{explainError(links.error)}</p>}
        {links.isPending && <Skeleton lines={6} />}
        {links.data && (
          <>
            <Section title={t('links.backlinks')} count={links.data.counts.backlinks} empty={t('links.noBacklinks')}>
              {links.data.backlinks.map((link, index) => (
                <LineLink key={index} path={link.path} line={link.line} text={link.text} />
              ))}
            </Section>
            <SimilarNotes agent={agent.id} path={path} />
            {broken.length > 0 && (
              <Section title={t('links.broken')} count={broken.length} empty="">
                {broken.map((link, index) => (
                  <OutgoingRow key={index} path={path} link={link} />
                ))}
              </Section>
            )}
            <Section
              title={t('links.outgoing')}
              count={links.data.counts.outgoing - broken.length}
              empty={t('links.noOutgoing')}
            >
              {outgoing
                .filter((link) => link.path !== null)
                .map((link, index) => (
                  <OutgoingRow key={index} path={path} link={link} />
                ))}
            </Section>
          </>
        )}
      </div>
    </SidePanel>
  )
}

type SectionProps = PropsWithChildren<{ title: string; count: number; empty: string }>

function Section({ title, count, empty, children }: SectionProps) {
  return (
    <section aria-label={title}>
      <h3 className="flex items-baseline gap-2 px-2 text-[12px] font-semibold">
        {title} <span className="tabular font-normal text-muted">{count}</span>
      </h3>
      {count === 0 ? <p className="px-2 py-1 text-[12px] text-muted">{empty}</p> : children}
    </section>
  )
}

const rowClassName = 'block rounded-sm px-2 py-1 hover:bg-soft'

const maxTextLength = 200

function LineLink({ path, line, text }: { path: string; line: number; text: string }) {
  return (
    <Link href={paths.file(path, line)} className={rowClassName}>
      <span className="block truncate font-mono text-[11px] text-muted">
        {clipLine(path)}:{line}
      </span>
      <span className="line-clamp-2 text-[12px] break-words">{clipLine(text, maxTextLength)}</span>
    </Link>
  )
}

function OutgoingRow({ path, link }: { path: string; link: OutgoingLink }) {
  const { at: sourceLine, target, path: to, line, makes: newNotePath } = link
  return (
    <div className="flex items-baseline gap-2 rounded-sm px-2 py-1 hover:bg-soft">
      <Link
        href={to === null ? paths.file(path, sourceLine) : paths.file(to, line ?? undefined)}
        className={`min-w-0 flex-1 truncate text-[12px] ${to === null ? 'unresolved' : ''}`}
        title={to ?? undefined}
      >
        {clipLine(target, 200)}
      </Link>
      {newNotePath !== null && (
        <Link href={paths.file(newNotePath)} className="shrink-0 text-[12px] text-accent hover:underline">
          {t('links.make')}
        </Link>
      )}
    </div>
  )
}

function SimilarNotes({ agent, path }: { agent: string; path: string }) {
  const { data } = useQuery(api.search.nearNotes.queryOptions({ input: { agent, path } }))
  if (!data || data.length === 0) return null
  return (
    <Section title={t('links.near')} count={data.length} empty="">
      {data.map((note) => (
        <LineLink key={note.path} path={note.path} line={note.line} text={note.text} />
      ))}
    </Section>
  )
}
