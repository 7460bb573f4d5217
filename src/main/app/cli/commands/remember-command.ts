import { AppError } from '#shared/util/errors.ts'
import { createApp, openBase, type AppBase, type AppOptions } from '../../composition/create-app.ts'
import { askOwner } from '../../instance-lock/with-primary.ts'
import { ownerPlace } from '../../instance-lock/lock-info.ts'
import { describeProblems } from '#platform'
import { assertNew, setUpOnce } from '../first-use.ts'
import type { CommonFlags } from '../flags.ts'
import type { Output } from '../cli-output.ts'

/**
 * Writes a note: the process that owns the memory does, and tells its windows; where there is none, or it does not answer,
 * the file is written from here, under the same lock.
 */
export async function remember(options: AppOptions, { agent }: CommonFlags, text: string | undefined): Promise<Output> {
  const note = (text ?? (await readStandardInput())).trim()
  if (note === '') throw new AppError('input_invalid', 'nothing to remember: give a text, or pipe one in')
  const base = await openBase(options)
  try {
    const asked = await askToRemember(base, agent, note)
    const { path, startLine, endLine } =
      asked && 'value' in asked
        ? asked.value
        : await rememberHere({ ...options, base }, agent, note, asked !== undefined)
    return { value: { path, startLine, endLine }, text: `${path}:${startLine}` }
  } finally {
    base.close()
  }
}

async function askToRemember(base: AppBase, agent: string, note: string) {
  try {
    return await askOwner(ownerPlace(base.folders.home, base.single?.folder), base, async ({ client }) => {
      await setUpOnce(client, base, agent)
      return client.workspace.remember({ agent, text: note })
    })
  } catch (error) {
    // The owner hangs, or is of another version: a note is a file, and needs nobody.
    if (error instanceof AppError && ['owner_silent', 'owner_version'].includes(error.code)) return undefined
    throw error
  }
}

/** @param mayBeThere somebody was asked to write it and went away before saying so */
async function rememberHere(options: AppOptions & { base: AppBase }, agent: string, note: string, mayBeThere: boolean) {
  const { base } = options
  const app = await createApp({ ...options, watch: false })
  try {
    if (app.settings.problems.length > 0)
      throw new AppError('config_invalid', describeProblems(app.settings.file, app.settings.problems))
    if (app.agents.isFirstRun) assertNew(base, agent)
    if (app.agents.isFirstRun) await app.agents.setUp(agent, app.agents.workspaceOf(agent), 'en')
    const { workspace, close } = await app.agents.writer(agent)
    try {
      const known = mayBeThere ? await workspace.findRemembered(note, app.now()) : undefined
      return known ?? (await workspace.remember(note, app.now(), { cause: 'capture' }))
    } finally {
      await close()
    }
  } finally {
    await app.close()
  }
}

async function readStandardInput(): Promise<string> {
  if (process.stdin.isTTY) throw new AppError('input_invalid', 'nothing to remember: give a text, or pipe one in')
  const chunks: Buffer[] = []
  for await (const chunk of process.stdin) chunks.push(Buffer.from(chunk as Buffer))
  return Buffer.concat(chunks).toString('utf8')
}
