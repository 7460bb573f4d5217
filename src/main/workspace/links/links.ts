/**
 * What links to what in a workspace. A thread of its own knows it, is started when somebody asks, and goes when nobody
 * has asked for a while.
 */
import type { RouterClient } from '@orpc/server'
import { AppError } from '#shared/util/errors.ts'
import type { LinkTarget } from '#shared/markdown/links/link-target.ts'
import type { Move } from '#shared/markdown/links/rewrite-links.ts'
import type { NoteLink } from '#shared/markdown/links/parse-links.ts'
import type { TagRename } from '#shared/markdown/properties/rename-tag.ts'
import { fromOrpcError, startThread, type Thread } from '#platform'
import { normalizeRequest } from '../files/paths.ts'
import type { Workspace } from '../files/workspace.ts'
import type { WriteOrigin } from '../files/workspace-edits.ts'
import type { Asked, LinkRouter } from './links.worker.ts'
import type { NewNotes } from './new-linked-note.ts'
import { assertNotOwn } from './attachment-folder.ts'
import type { LinkStyle } from './format-link.ts'
import type { Batches } from '../transactions/batches.ts'

/** A thread that nobody asks for so long gives its memory back, ms. */
const usualIdleMs = 300_000

type LinkClient = RouterClient<LinkRouter>

export interface LinksOptions {
  /** The thread's entry. */
  readonly entry: URL
  readonly workspace: Workspace
  readonly batches: Batches
  /** The vault's habits, as they are now. */
  readonly habits: () => Promise<NewNotes & LinkStyle>
  readonly idleMs?: number | undefined
}

interface WrittenLink {
  /** What it is called where it is Markdown. */
  readonly label: string
  /** What it names is shown in its place. */
  readonly isEmbed?: boolean
  /** Otherwise than the vault writes its links. */
  readonly as?: LinkStyle | undefined
}

export class Links {
  readonly #options: LinksOptions
  #thread: Thread<LinkClient> | undefined
  /** Asked and not answered. */
  #open = 0
  #idle: NodeJS.Timeout | undefined
  /** Files changed since the thread was last asked. */
  #isStale = false

  constructor(options: LinksOptions) {
    this.#options = options
  }

  /** Files have changed. */
  touch(): void {
    this.#isStale = true
  }

  of(path: string, signal?: AbortSignal) {
    return this.#ask((client, asked) => client.of({ ...asked, path }, passing(signal)))
  }

  mentions(path: string, signal?: AbortSignal) {
    return this.#ask((client, asked) => client.mentions({ ...asked, path }, passing(signal)))
  }

  resolve(path: string, kind: NoteLink['kind'], { target, fragment }: LinkTarget) {
    return this.#ask((client, asked) => client.resolve({ ...asked, path, link: { kind, target, fragment } }))
  }

  files(signal?: AbortSignal) {
    return this.#ask((client, asked) => client.files(asked, passing(signal)))
  }

  titles(signal?: AbortSignal) {
    return this.#ask((client, asked) => client.titles(asked, passing(signal)))
  }

  block(id: string, signal?: AbortSignal) {
    return this.#ask((client, asked) => client.block({ ...asked, id }, passing(signal)))
  }

  broken(signal?: AbortSignal) {
    return this.#ask((client, asked) => client.broken(asked, passing(signal)))
  }

  /** A link to a file, as the vault writes its own. @param path where it is to stand */
  write(path: string, to: string, { label, isEmbed = false, as }: WrittenLink) {
    return this.#ask((client, asked) => client.write({ ...asked, path, to, label, isEmbed, as }))
  }

  names(path: string, typed: string, signal?: AbortSignal) {
    return this.#ask((client, asked) => client.names({ ...asked, path, typed }, passing(signal)))
  }

  /** A note and what lies so many links from it. */
  around(path: string, steps: number, signal?: AbortSignal) {
    return this.#ask((client, asked) => client.around({ ...asked, path, steps }, passing(signal)))
  }

  /** Tags and properties of all notes. */
  tags(signal?: AbortSignal) {
    return this.#ask((client, asked) => client.tags(asked, passing(signal)))
  }

  /** What a note says of itself. */
  properties(path: string, signal?: AbortSignal) {
    return this.#ask((client, asked) => client.properties({ ...asked, path }, passing(signal)))
  }

  /** What another name for a tag would change. @throws AppError `tag_invalid` */
  async planTagRename(rename: TagRename) {
    return (await this.#planRename(rename)).plan
  }

  /** Gives a tag, and all below it, another name everywhere. @throws AppError as `move` */
  async renameTag(rename: TagRename, plan: string, origin: WriteOrigin) {
    const planned = await this.#planRename(rename)
    if (planned.plan.id !== plan) throw outdated()
    const undo = await this.#options.batches.run({ tag: rename }, planned.rewrites, origin)
    return { tags: planned.plan.tags, notes: planned.plan.notes, undo }
  }

  /** What a move would change in notes. */
  async planMove(move: Move) {
    assertNotOwn(this.#options.workspace.layout.own, normalized(move))
    await this.#options.workspace.assertMovable(move)
    const { plan } = await this.#plan(normalized(move))
    return { ...plan, staysLocal: await this.#options.workspace.isKeptLocal(move) }
  }

  /**
   * Moves a file or folder. With a plan, every link is updated in the same change.
   * @throws AppError `plan_outdated`, and as `Workspace.change`; nothing is done then
   */
  async move(asked: Move, plan: string | undefined, origin: WriteOrigin) {
    const move = normalized(asked)
    const planned = plan === undefined ? undefined : await this.#plan(move)
    if (planned && planned.plan.id !== plan) throw outdated()
    const staysLocal = await this.#options.workspace.isKeptLocal(move)
    const undo = await this.#options.batches.run({ move }, planned?.rewrites ?? [], origin)
    return { links: planned?.plan.links ?? 0, notes: planned?.plan.notes ?? 0, staysLocal, undo }
  }

  async close(): Promise<void> {
    clearTimeout(this.#idle)
    const thread = this.#thread
    this.#thread = undefined
    await thread?.terminate()
  }

  #planRename(rename: TagRename) {
    return this.#ask((client, asked) => client.planTagRename({ ...asked, rename }))
  }

  #plan(move: Move) {
    return this.#ask((client, asked) => client.planMove({ ...asked, move }))
  }

  async #ask<T>(work: (client: LinkClient, asked: Asked) => Promise<T>): Promise<T> {
    const thread = this.#wake()
    const { workspace, forbidden } = this.#options.workspace.roots
    const isStale = this.#isStale
    this.#isStale = false
    this.#open += 1
    clearTimeout(this.#idle)
    try {
      const { newNotes, isFlat, links, linkPaths } = await this.#options.habits()
      const asked = { workspace, forbidden: [...forbidden], isStale, newNotes, isFlat, links, linkPaths }
      return await work(thread.client, asked)
    } catch (error) {
      this.#isStale ||= isStale
      throw fromOrpcError(error)
    } finally {
      this.#open -= 1
      if (this.#open === 0) this.#restSoon(thread)
    }
  }

  #wake(): Thread<LinkClient> {
    if (this.#thread) return this.#thread
    const thread = startThread<LinkClient>(this.#options.entry)
    thread.onExit(() => {
      if (this.#thread === thread) this.#thread = undefined
    })
    this.#thread = thread
    return thread
  }

  #restSoon(thread: Thread<LinkClient>): void {
    this.#idle = setTimeout(() => {
      if (this.#open > 0) return
      if (this.#thread === thread) this.#thread = undefined
      void thread.terminate()
    }, this.#options.idleMs ?? usualIdleMs)
    this.#idle.unref()
  }
}

function outdated(): AppError {
  return new AppError('plan_outdated', 'notes were changed since; look at what would be updated once more', {})
}

function normalized({ from, to }: Move): Move {
  return { from: normalizeRequest(from), to: normalizeRequest(to) }
}

function passing(signal: AbortSignal | undefined) {
  return signal ? { signal } : {}
}
