import { AppError, orUndefined } from '#shared/util/errors.ts'
import { keptEntry, missingFileError } from '#agent'
import { datedNote } from '#search/text'
import { localDate } from '#workspace'
import { withVisibility } from '#shared/markdown/visibility-edit.ts'
import { type Routes, visibleFor } from './procedure.ts'

const maxListedLinks = 5

export const workspaceRoutes: Routes<'workspace'> = ({ app, forAgent }) => ({
  names: async ({ input, signal }) => (await app.agents.getBeforeIndexing(input.agent)).listFileNames(signal),
  list: forAgent(async (agent, input, signal) => {
    const memory = await visibleFor(app, agent, input.forProgram)
    const files = await memory.files(await agent.listFiles(signal))
    if (memory.seesPrivate) return files
    return files.map(({ privacy: _privacy, isPartial, ...file }) =>
      isPartial ? { ...file, words: 0, tokens: Math.ceil(file.size / 4) } : file,
    )
  }),
  links: forAgent(async (agent, _input, signal) => {
    const links = await agent.workspace.skippedLinks(signal)
    return { count: links.length, paths: links.slice(0, maxListedLinks) }
  }),
  outside: forAgent(async ({ workspace }) => (await workspace.known?.outside()) ?? []),
  accept: forAgent(async ({ workspace }, input) => workspace.known?.accept(input.paths)),
  setVisibility: forAgent(async ({ workspace }, input) => {
    const write = await workspace.edit(input.path, { cause: 'user' }, (text) => {
      if (text === undefined) throw new AppError('file_not_found', `${input.path} does not exist`, { path: input.path })
      return withVisibility(text, input.isPrivate)
    })
    return { change: write.change ?? null }
  }),
  setFolderVisibility: async ({ input }) => {
    const config = app.agents.configOf(input.agent)
    const folder = `${input.path.replace(/\/+$/, '')}/`
    const otherRules = config.current.visibility.private.filter((rule) => `${rule.replace(/\/+$/, '')}/` !== folder)
    await config.set(['visibility', 'private'], input.isPrivate ? [...otherRules, folder] : otherRules)
  },
  read: forAgent(async (agent, input) => {
    const { workspace } = agent
    const { path } = input
    const { text, hash } = await (await visibleFor(app, agent, input.forProgram)).read(path)
    // A chat has no hash and cannot be edited.
    if (hash === undefined) throw missingFileError(path)
    const readOnly = workspace.isReadOnly(path)
    const isProtected = !readOnly && (await workspace.isProtected(path))
    return { path, text, hash, readOnly, isProtected }
  }),
  attachment: forAgent(async (agent, input) => {
    const { bytes, ...chunk } = await agent.workspace.readAttachment(input.path, input.from)
    return { ...chunk, data: bytes.toString('base64') }
  }),
  attach: forAgent((agent, { path, name, data }) => agent.attach(path, name, Buffer.from(data, 'base64'))),
  lines: forAgent(async (agent, input) => {
    const { path, from, count, forProgram } = input
    return (await visibleFor(app, agent, forProgram)).lines(path, from, count)
  }),
  write: forAgent(async ({ workspace }, input) => {
    const expected = { hash: input.expectedHash, baseText: input.baseText, onConflict: input.onConflict }
    const { write, text, merged } = await workspace.save(input.path, input.text, expected)
    return { hash: write.hash, text, merged }
  }),
  drafts: forAgent((agent, input) => agent.drafts.ofFile(input.path)),
  saveDraft: forAgent((agent, input) => agent.drafts.saveFile(input.path, input.writer, input.draft)),
  duplicate: forAgent(async (agent, input) => ({
    path: await agent.workspace.duplicate(input.path, { cause: 'user' }),
  })),
  remove: forAgent(async (agent, input) => {
    const { write } = await agent.workspace.remove(input.path, { cause: 'user' })
    return { change: write.change ?? null }
  }),
  reveal: forAgent(async ({ workspace }, input) => {
    const file = await (input.open ? workspace.locateToOpen(input.path) : workspace.locate(input.path))
    await app.showFile(file, input.open)
  }),
  remember: forAgent(async ({ workspace, sessions }, input) => {
    const chat = input.session === undefined ? undefined : await sessions.get(input.session)
    const origin = { cause: 'capture' as const }
    const { path, startLine, endLine, change } =
      input.section === undefined
        ? await workspace.remember(input.text, app.now(), origin, chat?.isPrivate)
        : await workspace.rememberIn(input.section, input.text, origin, chat?.isPrivate)
    await chat?.appendCustom(keptEntry, { change })
    return { path, startLine, endLine, change: change.change ?? null }
  }),
  datedNote: ({ input }) => datedNote(input.text, localDate(app.now())),
})

export const findRoutes: Routes<'find'> = ({ forAgent }) => ({
  run: forAgent((agent, input, signal) => agent.findReplace.find(input, signal)),
  replace: forAgent((agent, input) => agent.findReplace.replace(input, { cause: 'user' })),
  stop: forAgent((agent, input) => agent.findReplace.stop(input.search)),
})

export const picturesRoutes: Routes<'pictures'> = ({ app, forAgent }) => ({
  remote: forAgent(async (agent, { path, address, isAllowed }, signal) => {
    const note = await orUndefined(agent.visibleTo({ seesPrivate: false }).read(path))
    const isPrivate = note?.hiddenLines.size !== 0
    const { type, bytes } = await app.pictures.load(address, { isPrivate, isAllowed }, signal)
    return { type, data: bytes.toString('base64') }
  }),
})
