import { AppError } from '#shared/util/errors.ts'
import type { LinkTarget } from '#shared/markdown/links/link-target.ts'
import type { Move } from '#shared/markdown/links/rewrite-links.ts'
import type { NoteLink } from '#shared/markdown/links/parse-links.ts'
import type { TagRename } from '#shared/markdown/properties/rename-tag.ts'
import { type WorkerClient, WorkerHost } from '#platform'
import { normalizeRequest } from '../files/paths.ts'
import type { Workspace } from '../files/workspace.ts'
import type { WriteOrigin } from '../files/workspace-edits.ts'
import type { Asked, LinkJobs } from './links.worker.ts'
import type { NewNotes } from './new-linked-note.ts'
import { assertNotOwn } from './attachment-folder.ts'
import type { LinkStyle } from './format-link.ts'
import type { Batches } from '../transactions/batches.ts'

/** The worker ends after so long without a request, ms. */
const usualIdleMs = 300_000

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
  readonly #worker: WorkerHost<LinkJobs>
  /** Files changed since the last request. */
  #isStale = false

  constructor(options: LinksOptions) {
    this.#options = options
    this.#worker = new WorkerHost({ entry: options.entry, idleMs: options.idleMs ?? usualIdleMs })
  }

  /** Files have changed. */
  touch(): void {
    this.#isStale = true
  }

  of(path: string, signal?: AbortSignal) {
    return this.#ask((client, asked) => client.of({ ...asked, path }, { signal }))
  }

  resolve(path: string, kind: NoteLink['kind'], { target, fragment }: LinkTarget) {
    return this.#ask((client, asked) => client.resolve({ ...asked, path, link: { kind, target, fragment } }))
  }

  files(signal?: AbortSignal) {
    return this.#ask((client, asked) => client.files(asked, { signal }))
  }

  titles(signal?: AbortSignal) {
    return this.#ask((client, asked) => client.titles(asked, { signal }))
  }

  block(id: string, signal?: AbortSignal) {
    return this.#ask((client, asked) => client.block({ ...asked, id }, { signal }))
  }

  broken(signal?: AbortSignal) {
    return this.#ask((client, asked) => client.broken(asked, { signal }))
  }

  /** A link to a file, as the vault writes its own. @param path where it is to stand */
  write(path: string, to: string, { label, isEmbed = false, as }: WrittenLink) {
    return this.#ask((client, asked) => client.write({ ...asked, path, to, label, isEmbed, as }))
  }

  names(path: string, typed: string, signal?: AbortSignal) {
    return this.#ask((client, asked) => client.names({ ...asked, path, typed }, { signal }))
  }

  /** Tags and properties of a note. */
  properties(path: string, signal?: AbortSignal) {
    return this.#ask((client, asked) => client.properties({ ...asked, path }, { signal }))
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
    await this.#worker.close()
  }

  #planRename(rename: TagRename) {
    return this.#ask((client, asked) => client.planTagRename({ ...asked, rename }))
  }

  #plan(move: Move) {
    return this.#ask((client, asked) => client.planMove({ ...asked, move }))
  }

  async #ask<T>(work: (client: WorkerClient<LinkJobs>, asked: Asked) => Promise<T>): Promise<T> {
    const { workspace, forbidden } = this.#options.workspace.roots
    const isStale = this.#isStale
    this.#isStale = false
    try {
      return await this.#worker.run(async (client) => {
        const { newNotes, isFlat, links, linkPaths } = await this.#options.habits()
        const asked = { workspace, forbidden: [...forbidden], isStale, newNotes, isFlat, links, linkPaths }
        return work(client, asked)
      })
    } catch (error) {
      this.#isStale ||= isStale
      throw error
    }
  }
}

function outdated(): AppError {
  return new AppError('plan_outdated', 'notes were changed since; look at what would be updated once more', {})
}

function normalized({ from, to }: Move): Move {
  return { from: normalizeRequest(from), to: normalizeRequest(to) }
}
