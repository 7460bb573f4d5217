/**
 * What links to what in a workspace. A thread of its own knows it, is started when somebody asks, and goes when nobody
 * has asked for a while. Moves and what they change in notes are one change, which one undo puts back.
 */
import { randomUUID } from 'node:crypto'
import type { Moving } from '#shared/contract/index.ts'
import { AppError } from '#shared/util/errors.ts'
import type { LinkTarget } from '#shared/markdown/links/link-target.ts'
import type { Move } from '#shared/markdown/links/rewrite-links.ts'
import type { NoteLink } from '#shared/markdown/links/parse-links.ts'
import type { TagRename } from '#shared/markdown/properties/rename-tag.ts'
import { Changes, type Announcements, type Differ, type KeptUndos, type WorkerClient, WorkerHost } from '#platform'
import { normalizeRequest } from '../files/paths.ts'
import type { Workspace } from '../files/workspace.ts'
import type { WriteOrigin } from '../files/workspace-edits.ts'
import type { Asked, LinkJobs } from './links.worker.ts'
import type { NewNotes } from './new-linked-note.ts'
import { assertNotOwn } from './attachment-folder.ts'
import { keptMoves, type Done } from '../moves/move-undo-store.ts'
import type { LinkStyle } from './format-link.ts'
import type { Rewrite } from '../moves/plan-move.ts'

/** The worker ends after so long without a request, ms. */
const usualIdleMs = 300_000

export interface LinksOptions {
  /** The thread's entry. */
  readonly entry: URL
  readonly workspace: Workspace
  readonly differ: Differ
  /** The vault's habits, as they are now. */
  readonly habits: () => Promise<NewNotes & LinkStyle>
  readonly now: () => Date
  readonly idleMs?: number | undefined
  /** Where it is kept what takes changes back; only for as long as the app runs when left out. */
  readonly undos?: string | undefined
}

interface WrittenLink {
  /** What it is called where it is Markdown. */
  readonly label: string
  /** What it names is shown in its place. */
  readonly isEmbed?: boolean
  /** Otherwise than the vault writes its links. */
  readonly as?: LinkStyle | undefined
}

/** What is one change, over however many notes. */
interface Whole {
  readonly move?: Move | undefined
  readonly tag?: TagRename | undefined
}

interface UnderWay extends Moving {
  readonly stop: AbortController
}

export class Links {
  /** A move is further than it was, or there is none any more. */
  readonly changes: Announcements<Moving | null>
  readonly #changes = new Changes<Moving | null>()
  readonly #options: LinksOptions
  readonly #done: KeptUndos<Done>
  #relocating: Promise<void> = Promise.resolve()
  #underWay: UnderWay | undefined
  readonly #worker: WorkerHost<LinkJobs>
  /** Files changed since the last request. */
  #isStale = false

  constructor(options: LinksOptions) {
    this.#options = options
    this.changes = this.#changes
    this.#done = keptMoves(options.undos)
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
    const undo = await this.#change({ tag: rename }, planned.rewrites, origin)
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
   * @throws AppError `plan_outdated`, and as `Workspace.relocate`; nothing is done then
   */
  async move(asked: Move, plan: string | undefined, origin: WriteOrigin) {
    const move = normalized(asked)
    const planned = plan === undefined ? undefined : await this.#plan(move)
    if (planned && planned.plan.id !== plan) throw outdated()
    const staysLocal = await this.#options.workspace.isKeptLocal(move)
    const undo = await this.#change({ move }, planned?.rewrites ?? [], origin)
    return { links: planned?.plan.links ?? 0, notes: planned?.plan.notes ?? 0, staysLocal, undo }
  }

  /** The move that is under way; null for none. */
  get moving(): Moving | null {
    if (!this.#underWay) return null
    const { stop: _stop, ...moving } = this.#underWay
    return moving
  }

  /** Takes back what is under way; nothing where all of it is written. */
  cancelMove(): void {
    const underWay = this.#underWay
    if (!underWay || underWay.done === underWay.total || underWay.stop.signal.aborted) return
    underWay.stop.abort()
    this.#tell({ ...underWay, isCancelled: true })
  }

  /** Moves that `undo` can take back, latest first. */
  async moves() {
    const known = [...(await this.#done.all())].toReversed()
    return known.flatMap(([undo, { at, move, rewrites }]) =>
      move ? [{ undo, at, ...move, notes: rewrites.length }] : [],
    )
  }

  /** Other names for tags that `undo` can take back, latest first. */
  async tagRenames() {
    const known = [...(await this.#done.all())].toReversed()
    return known.flatMap(([undo, { at, tag, rewrites }]) => (tag ? [{ undo, at, ...tag, notes: rewrites.length }] : []))
  }

  /**
   * Takes a move or another name for a tag back, also where other lines were changed since.
   * @throws AppError `undo_conflict`; nothing is done then
   */
  async undo(undo: string, origin: WriteOrigin): Promise<void> {
    const done = (await this.#done.all()).get(undo)
    if (!done) throw new AppError('undo_conflict', 'this was taken back already, or was long ago', { path: '' })
    const { move, tag, rewrites, made } = done
    const back = await Promise.all(rewrites.map((rewrite) => this.#reversed(rewrite)))
    await this.#relocate({ move: move && turned(move), tag: tag && turned(tag) }, back, origin)
    await this.#done.drop(undo)
    await this.#options.workspace.removeEmpty(made)
  }

  async close(): Promise<void> {
    await this.#worker.close()
  }

  async #reversed({ path, newPath, before, after }: Done['rewrites'][number]): Promise<Rewrite> {
    const { workspace, differ } = this.#options
    const { text, hash } = await workspace.read(newPath)
    const restored =
      text === after ? before : await differ.merge({ base: after, mine: text, theirs: before, keepsBoth: false })
    if (restored !== undefined) return { path: newPath, newPath: path, hash, before: text, after: restored }
    throw new AppError('undo_conflict', `${newPath} was changed since; the change cannot be taken back by itself`, {
      path: newPath,
    })
  }

  /** @returns by what it can be taken back */
  async #change(of: Whole, rewrites: readonly Rewrite[], origin: WriteOrigin): Promise<string> {
    const { move, tag } = of
    const { kept, made } = await this.#relocate(of, rewrites, origin)
    const rest = rewrites.filter(({ path }) => !kept.some((one) => one.path === path))
    return this.keepDone({ move, tag }, [...rest, ...kept], made)
  }

  /** A change of this run, or one that a crash had interrupted. @returns by what it can be taken back */
  async keepDone({ move, tag }: Whole, texts: Done['rewrites'], made: readonly string[]): Promise<string> {
    const undo = randomUUID()
    const rewrites = texts.map(({ path, newPath, before, after }) => ({ path, newPath, before, after }))
    await this.#done.add(undo, { at: this.#options.now().getTime(), move, tag, rewrites, made })
    return undo
  }

  /** One after another: who cancels means the one that is seen. */
  async #relocate({ move, tag }: Whole, rewrites: readonly Rewrite[], origin: WriteOrigin) {
    if (move) assertNotOwn(this.#options.workspace.layout.own, move)
    const before = this.#relocating
    const done = before.then(async () => {
      const stop = new AbortController()
      const { from, to } = move ?? { from: '', to: '' }
      const onProgress = (written: number, total: number) =>
        this.#tell({ from, to, done: written, total, isCancelled: stop.signal.aborted, stop })
      try {
        return await this.#options.workspace.relocate(move, rewrites, origin, { onProgress, signal: stop.signal, tag })
      } finally {
        this.touch()
        this.#tell(undefined)
      }
    })
    this.#relocating = done.then(
      () => undefined,
      () => undefined,
    )
    return done
  }

  #tell(underWay: UnderWay | undefined): void {
    this.#underWay = underWay
    this.#changes.announce(this.moving)
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

function turned({ from, to }: Move): Move {
  return { from: to, to: from }
}

function normalized({ from, to }: Move): Move {
  return { from: normalizeRequest(from), to: normalizeRequest(to) }
}
