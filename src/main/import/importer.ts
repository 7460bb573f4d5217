/**
 * Copies notes from elsewhere into a workspace. First a plan says what would happen; nothing that is here is replaced: a
 * file whose name is taken goes beside the other.
 */
import type { RouterClient } from '@orpc/server'
import type { ImportPlan, ImportStep } from '../../shared/contract/index.ts'
import { AppError } from '../../shared/errors.ts'
import { expandHome } from '../settings/index.ts'
import { fromOrpcError, startThread } from '../thread/index.ts'
import { isHidden, isPortable, nameFor, type Workspace } from '../workspace/index.ts'
import type { ImportRouter } from './import-thread.ts'
import type { Source } from './read-source.ts'

const origin = { cause: 'import' } as const

export interface ImporterOptions {
  /** The thread's entry. */
  readonly entry: URL
  readonly workspace: Workspace
}

export class Importer {
  readonly #options: ImporterOptions
  #running: AbortController | undefined

  constructor(options: ImporterOptions) {
    this.#options = options
  }

  /** What an import would do. @throws AppError `file_not_found`, `import_unknown` */
  async plan(path: string, into: string): Promise<ImportPlan> {
    const source = await this.#read(path)
    let [added, same, conflicts] = [0, 0, 0]
    for (const file of source.files) {
      const state = await this.#stateOf(targetOf(into, file.path), file.text)
      if (state === 'new') added += 1
      else if (state === 'same') same += 1
      else conflicts += 1
    }
    const names = source.files.slice(0, 200).map((file) => targetOf(into, file.path))
    return { kind: source.kind, added, same, conflicts, skipped: source.skipped, names }
  }

  /** Copies, and tells how far it is; the last step names what was made. `cancel` ends it after the file at hand. */
  async *run(path: string, into: string): AsyncGenerator<ImportStep> {
    if (this.#running) throw new AppError('session_busy', 'an import is running', {})
    const stop = new AbortController()
    this.#running = stop
    try {
      const { files } = await this.#read(path)
      const made: string[] = []
      for (const [index, file] of files.entries()) {
        if (stop.signal.aborted) break
        const target = await this.#copy(targetOf(into, file.path), file.text)
        if (target !== undefined) made.push(target)
        yield { type: 'progress', done: index + 1, total: files.length }
      }
      yield { type: 'done', made, isCancelled: stop.signal.aborted }
    } finally {
      this.#running = undefined
    }
  }

  cancel(): void {
    this.#running?.abort()
  }

  /** Puts imported files into the trash. */
  async undo(paths: readonly string[]): Promise<void> {
    for (const path of paths) {
      try {
        await this.#options.workspace.remove(path, origin)
      } catch (error) {
        // Gone already, which is what was wanted.
        if (!(error instanceof AppError && error.code === 'file_not_found')) throw error
      }
    }
  }

  /** @param repository the workspace's history, to go with it @throws AppError `folder_too_large` */
  async pack(repository?: string): Promise<Blob> {
    const { workspace, forbidden } = this.#options.workspace.roots
    return this.#inThread((client) => client.pack({ workspace, forbidden, repository }))
  }

  #read(path: string): Promise<Source> {
    return this.#inThread((client) => client.read(expandHome(path.trim())))
  }

  /** @returns where it was put; undefined when it is there already */
  async #copy(target: string, text: string): Promise<string | undefined> {
    const [, stem = target, extension = ''] = /^(.*?)(\.[^./]+)$/.exec(target) ?? []
    for (let number = 1; ; number += 1) {
      const path = number === 1 ? target : `${stem} ${number}${extension}`
      const state = await this.#stateOf(path, text)
      if (state === 'same') return undefined
      if (state === 'new' && (await this.#create(path, text))) return path
    }
  }

  /** @returns false when somebody else made a file of that name meanwhile */
  async #create(path: string, text: string): Promise<boolean> {
    let isNew = true
    await this.#options.workspace.edit(path, origin, (current) => {
      isNew = current === undefined
      return current ?? text
    })
    return isNew
  }

  async #stateOf(path: string, text: string): Promise<'new' | 'same' | 'taken'> {
    const { workspace } = this.#options
    if (!(await workspace.exists(path))) return 'new'
    try {
      return (await workspace.read(path)).text === text ? 'same' : 'taken'
    } catch (error) {
      if (error instanceof AppError) return 'taken'
      throw error
    }
  }

  async #inThread<T>(work: (client: RouterClient<ImportRouter>) => Promise<T>): Promise<T> {
    const thread = startThread<RouterClient<ImportRouter>>(this.#options.entry)
    try {
      return await work(thread.client)
    } catch (error) {
      throw fromOrpcError(error)
    } finally {
      await thread.terminate()
    }
  }
}

/** What comes from another system gets names that every one takes. */
function targetOf(into: string, path: string): string {
  const folder = into.trim().replace(/^\/+|\/+$/g, '')
  const steps = path.split('/')
  const file = steps.pop() ?? ''
  const named = [...steps.map((step) => (isFit(step) ? step : nameFor(step, 'Folder'))), fileNameFor(file)].join('/')
  return folder === '' ? named : `${folder}/${named}`
}

function fileNameFor(name: string): string {
  if (isFit(name)) return name
  const [, stem = name, extension = ''] = /^(.*?)(\.[^.]+)$/.exec(name) ?? []
  return `${nameFor(stem, 'Note')}${extension}`
}

/** Room for a number is left, should the name be taken. */
const maxNameBytes = 240

function isFit(name: string): boolean {
  return isPortable(name) && !isHidden(name) && Buffer.byteLength(name) <= maxNameBytes
}
