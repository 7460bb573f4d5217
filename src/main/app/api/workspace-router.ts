import { attachmentType } from '#shared/util/attachments.ts'
import { AppError } from '#shared/util/errors.ts'
import { locateAttachment, readAttachment } from '#workspace'
import { withVisibility } from '#shared/markdown/visibility-edit.ts'
import { readFor, visibleFiles, privacySnapshotFor } from './client-visibility.ts'
import type { RouterBase } from './procedure.ts'

const maxListedLinks = 5

export const workspaceRoutes = ({ app, os, agent }: RouterBase) => ({
  names: os.workspace.names.handler(async ({ input, signal }) =>
    (await app.agents.getBeforeIndexing(input.agent)).listFileNames(signal),
  ),
  list: os.workspace.list.use(agent).handler(async ({ context, input, signal }) => {
    if (input.forProgram) await context.agent.workspace.assertExists()
    const files = await context.agent.listFiles(signal)
    return visibleFiles(files, context.agent, await privacySnapshotFor(app, context.agent, input.forProgram))
  }),
  links: os.workspace.links.use(agent).handler(async ({ context, signal }) => {
    const links = await context.agent.workspace.skippedLinks(signal)
    return { count: links.length, paths: links.slice(0, maxListedLinks) }
  }),
  setVisibility: os.workspace.setVisibility.use(agent).handler(async ({ context, input }) => {
    const { workspace } = context.agent
    const write = await workspace.edit(input.path, { cause: 'user' }, (text) => {
      if (text === undefined) throw new AppError('file_not_found', `${input.path} does not exist`, { path: input.path })
      return withVisibility(text, input.isLocal)
    })
    return { patch: (await workspace.describe(write)).patch }
  }),
  setFolderVisibility: os.workspace.setFolderVisibility.handler(async ({ input }) => {
    const config = app.agents.configOf(input.agent)
    const folder = `${input.path.replace(/\/+$/, '')}/`
    const otherRules = config.current.visibility.local.filter((rule) => `${rule.replace(/\/+$/, '')}/` !== folder)
    await config.setLocal(input.isLocal ? [...otherRules, folder] : otherRules)
    return {}
  }),
  read: os.workspace.read.use(agent).handler(async ({ context, input }) => {
    const { workspace } = context.agent
    if (input.forProgram) {
      assertForPrograms(context.agent, input.path)
      await workspace.assertExists()
    }
    return readFor(app, context.agent, input.forProgram, input.path, async (visibleText) => {
      const { text, hash } = await context.agent.readFile(input.path)
      const readOnly = workspace.isReadOnly(input.path)
      const isProtected = !readOnly && (await workspace.isProtected(input.path))
      return { path: input.path, text: visibleText(text), hash, readOnly, isProtected }
    })
  }),
  attachment: os.workspace.attachment.use(agent).handler(async ({ context, input }) => {
    const { bytes, ...chunk } = await readAttachment(context.agent.workspace.roots, input.path, input.from)
    return { ...chunk, data: bytes.toString('base64') }
  }),
  attach: os.workspace.attach
    .use(agent)
    .handler(({ context, input: { path, name, data } }) =>
      context.agent.attach({ note: path, name, bytes: Buffer.from(data, 'base64') }),
    ),
  lines: os.workspace.lines.use(agent).handler(async ({ context, input }) => {
    if (input.forProgram) assertForPrograms(context.agent, input.path)
    const { path, from, count } = input
    return readFor(app, context.agent, input.forProgram, path, (visibleText) =>
      context.agent.readLines(path, from, count, visibleText),
    )
  }),
  write: os.workspace.write.use(agent).handler(async ({ context, input }) => {
    const { workspace } = context.agent
    const expected = { hash: input.expectedHash, baseText: input.baseText, onConflict: input.onConflict }
    const { write, text, merged } = await workspace.save(input.path, input.text, expected)
    return { hash: write.hash, text, merged }
  }),
  drafts: os.workspace.drafts.use(agent).handler(({ context, input }) => context.agent.fileDrafts.list(input.path)),
  saveDraft: os.workspace.saveDraft.use(agent).handler(async ({ context, input }) => {
    await context.agent.fileDrafts.save(input.path, input.writer, input.draft)
    return {}
  }),
  move: os.workspace.move.use(agent).handler(async ({ context, input }) => {
    await context.agent.workspace.move(input.from, input.to, { cause: 'user' })
    return {}
  }),
  duplicate: os.workspace.duplicate.use(agent).handler(async ({ context, input }) => ({
    path: await context.agent.workspace.duplicate(input.path, { cause: 'user' }),
  })),
  remove: os.workspace.remove.use(agent).handler(async ({ context, input }) => {
    const { trashed } = await context.agent.workspace.remove(input.path, { cause: 'user' })
    return { trashed }
  }),
  restore: os.workspace.restore.use(agent).handler(async ({ context, input }) => {
    const { path } = await context.agent.workspace.restore(input.trashed, { cause: 'user' })
    return { path }
  }),
  reveal: os.workspace.reveal.use(agent).handler(async ({ context, input }) => {
    const { workspace } = context.agent
    const isAttachment = input.open && attachmentType(input.path) !== undefined
    const file = isAttachment
      ? await locateAttachment(workspace.roots, input.path)
      : input.open
        ? await workspace.locateNote(input.path)
        : await workspace.locate(input.path)
    await app.showFile(file, input.open)
    return {}
  }),
  undo: os.workspace.undo.use(agent).handler(async ({ context, input, signal }) => {
    const { write, trashed } = await context.agent.undo(input.path, input.patch, signal)
    return { path: write.path, ...(trashed === undefined ? {} : { trashed }) }
  }),
  redo: os.workspace.redo.use(agent).handler(async ({ context, input, signal }) => {
    await context.agent.redo(input.path, input.patch, signal)
    return {}
  }),
  remember: os.workspace.remember.use(agent).handler(async ({ context, input }) => {
    const { workspace } = context.agent
    const origin = { cause: 'capture' as const }
    const { path, startLine, endLine, change } =
      input.section === undefined
        ? await workspace.remember(input.text, app.now(), origin)
        : await workspace.rememberIn(input.section, input.text, origin)
    return { path, startLine, endLine, patch: change.patch }
  }),
})

/** @throws AppError `path_hidden` for a file that other programs may not access */
function assertForPrograms(agent: { isForPrograms(path: string): boolean }, path: string): void {
  if (agent.isForPrograms(path)) return
  throw new AppError('path_hidden', `${path} is not a note of this memory, or the user excluded it`, { path })
}

export const findRoutes = ({ os, agent }: RouterBase) => ({
  run: os.find.run.use(agent).handler(({ context, input, signal }) => {
    const { text, isPattern, matchCase } = input
    return context.agent.findReplace.find({ text, isPattern, matchCase }, signal)
  }),
  replace: os.find.replace.use(agent).handler(({ context, input }) => {
    const { search, replacement, paths } = input
    return context.agent.findReplace.replace({ search, replacement, paths }, { cause: 'user' })
  }),
  stop: os.find.stop.use(agent).handler(({ context, input }) => {
    context.agent.findReplace.stop(input.search)
    return {}
  }),
})

export const picturesRoutes = ({ app, os }: RouterBase) => ({
  remote: os.pictures.remote.handler(async ({ input, signal }) => {
    const { type, bytes } = await app.pictures.load(input.address, signal)
    return { type, data: bytes.toString('base64') }
  }),
})
