import { appFolderName } from '#shared/util/agent-files.ts'
import { AppError } from '#shared/util/errors.ts'
import type { LinkTarget, NoteLink } from '#shared/markdown/links/parse-links.ts'
import type { Move } from '#shared/markdown/links/rewrite-links.ts'
import type { TagRename } from '#shared/markdown/properties/property-test.ts'
import { type WorkerClient, WorkerHost } from '#platform'
import { normalizePath } from '../files/paths.ts'
import type { Workspace } from '../files/workspace.ts'
import type { WriteOrigin } from '../files/workspace-writer.ts'
import type { FormatInput, LinkRequest, LinkJobs } from './links.worker.ts'
import type { LinkConventions } from './format-link.ts'
import type { Batches } from '../transactions/batches.ts'
import { outdatedError } from '../transactions/plan-move.ts'

const idleMs = 300_000

interface LinksOptions {
  readonly entry: URL
  readonly workspace: Workspace
  readonly batches: Batches
  readonly conventions: () => Promise<LinkConventions>
}

/** Links of a workspace: queries, moves and tag renames. Runs in a worker. `link-lists.ts` describes the results. */
export class Links {
  readonly #options: LinksOptions
  readonly #worker: WorkerHost<LinkJobs>
  #isStale = false

  constructor(options: LinksOptions) {
    this.#options = options
    this.#worker = new WorkerHost({ entry: options.entry, idleMs })
  }

  markStale(): void {
    this.#isStale = true
  }

  readonly linksOf = (path: string) => this.#query((client, request) => client.linksOf({ ...request, path }))
  readonly resolve = (path: string, kind: NoteLink['kind'], { target, fragment }: LinkTarget) =>
    this.#query((client, request) => client.resolve({ ...request, path, link: { kind, target, fragment } }))
  readonly files = () => this.#query((client, request) => client.files(request))
  readonly titles = () => this.#query((client, request) => client.titles(request))
  readonly block = (id: string) => this.#query((client, request) => client.block({ ...request, id }))
  readonly broken = () => this.#query((client, request) => client.broken(request))
  readonly names = (path: string, typed: string) =>
    this.#query((client, request) => client.names({ ...request, path, typed }))
  readonly properties = (path: string) => this.#query((client, request) => client.properties({ ...request, path }))
  readonly formatLink = (link: FormatInput) =>
    this.#query((client, request) => client.formatLink({ ...request, ...link }))
  readonly #planRename = (rename: TagRename) =>
    this.#query((client, request) => client.planTagRename({ ...request, rename }))
  readonly #planMove = (move: Move) => this.#query((client, request) => client.planMove({ ...request, move }))

  /** Plans to rename a tag; changes nothing. @throws AppError `tag_invalid` */
  async planTagRename(rename: TagRename) {
    return (await this.#planRename(rename)).plan
  }

  /** @param planId id of the plan that the user has seen @throws AppError `plan_outdated`, and as `move` */
  async renameTag(rename: TagRename, planId: string, origin: WriteOrigin) {
    const planned = await this.#planRename(rename)
    if (planned.plan.id !== planId) throw outdatedError()
    const change = await this.#options.batches.run({ tag: rename }, planned.rewrites, origin)
    return { tags: planned.plan.tags, notes: planned.plan.notes, change }
  }

  /** Plans a move; changes nothing. @throws AppError `own_folder`, and as `Workspace.checkMove` */
  async planMove(requestedMove: Move) {
    const move = this.#normalizeMove(requestedMove)
    const staysPrivate = await this.#options.workspace.checkMove(move)
    return { ...(await this.#planMove(move)).plan, staysPrivate }
  }

  /** @param planId undefined updates no link @throws AppError `plan_outdated`, and as `Batches.run` */
  async move(requestedMove: Move, planId: string | undefined, origin: WriteOrigin) {
    const move = this.#normalizeMove(requestedMove)
    const planned = planId === undefined ? undefined : await this.#planMove(move)
    if (planned && planned.plan.id !== planId) throw outdatedError()
    const staysPrivate = await this.#options.workspace.checkMove(move)
    const change = await this.#options.batches.run({ move }, planned?.rewrites ?? [], origin)
    return { links: planned?.plan.links ?? 0, notes: planned?.plan.notes ?? 0, staysPrivate, change }
  }

  async close(): Promise<void> {
    await this.#worker.close()
  }

  /** Refuses to move the folder of the agent's own files, or another file to its path: only the settings may. */
  #normalizeMove(move: Move): Move {
    const { own } = this.#options.workspace.layout
    const [from, to] = [normalizePath(move.from), normalizePath(move.to)]
    const holdsOwn = (path: string) => own === path || own.startsWith(`${path}/`)
    const path = [from, to].find((candidate) => holdsOwn(candidate)) ?? (to === appFolderName ? to : undefined)
    if (path === undefined) return { from, to }
    const message = `${path} is the folder of the agent's own files; change it in the settings`
    throw new AppError('own_folder', message, { path })
  }

  /** Without an abort signal: an aborted query would not be sent, and the next one would not read changed files. */
  async #query<T>(query: (client: WorkerClient<LinkJobs>, request: LinkRequest) => Promise<T>): Promise<T> {
    const { workspace, forbidden } = this.#options.workspace.roots
    return this.#worker.run(async (client) => {
      const conventions = await this.#options.conventions()
      const isStale = this.#isStale
      this.#isStale = false
      return query(client, { workspace, forbidden: [...forbidden], isStale, conventions })
    })
  }
}
