import { join, resolve } from 'node:path'
import { createInterface } from 'node:readline/promises'
import { setTimeout as sleep } from 'node:timers/promises'
import { createClientInstaller, openBase, type AppOptions } from '../../composition/create-app.ts'
import { onAppError } from '#shared/util/errors.ts'
import { writeDurably } from '#platform'
import type { ClientInstaller } from '#interop'
import type { HostProcess } from '../../instance-lock/host-process.ts'
import type { Output } from '../cli-output.ts'
import { t } from '../../texts.ts'
import type { McpFlags } from '../flags.ts'
import { serveProgram } from '../../instance-lock/serve-program.ts'

const closeTimeoutMs = 5000

/**
 * Serves MCP over stdio until the program closes the input, in a process that has the memory open itself.
 * @throws Error if the connection had to be aborted
 */
export async function runMcpServer(opening: Promise<HostProcess>, flags: McpFlags): Promise<void> {
  const abortReason = await serveProgram(opening, flags)
  await Promise.race([
    opening.then((hostProcess) => hostProcess.close()).catch(() => undefined),
    sleep(closeTimeoutMs, undefined, { ref: false }),
  ])
  // Do not wait for unfinished work; finished writes are on disk.
  setTimeout(() => process.exit(), closeTimeoutMs).unref()
  if (abortReason !== undefined) throw new Error(abortReason)
}

/** @param id of the program @throws AppError as `ClientInstaller.connect`, `mcp_unavailable` */
export async function connectProgram(options: AppOptions, flags: McpFlags, id: string): Promise<Output> {
  const base = await openBase(options)
  try {
    const installer = createClientInstaller(options, base.folders)
    return flags.uninstall === undefined ? await install(installer, flags, id) : await uninstall(installer, flags, id)
  } finally {
    base.close()
  }
}

async function install(installer: ClientInstaller, flags: McpFlags, id: string): Promise<Output> {
  const { agent, client, readOnly: isReadOnly, dryRun = false } = flags
  const workspace = flags.workspace === undefined ? undefined : resolve(flags.workspace)
  const registration = { agent, client, isReadOnly, workspace }
  const program = await installer.inspect(id, registration)
  const { name, file, patch, state, isThere, problem } = program
  if (problem !== null) return { value: program, text: `${file}\n${problem}`, isFailure: true }
  if (dryRun)
    return { value: program, text: `${file}\n${patch === '' ? t('programs.connectedAlready', { name }) : patch}` }
  // Test before writing: a broken entry must not reach the program's configuration.
  const tools = await installer.test(id, registration)
  if (state !== 'connected') await installer.connect(id, registration)
  const resultText = t(state === 'connected' ? 'programs.wasConnected' : 'programs.written', { name, file })
  const notFoundText = isThere ? '' : t('programs.notFound', { name })
  const nextStep = t('programs.works', { tools, name, id })
  return {
    value: { program: id, file, state: 'connected', tools },
    text: [resultText, patch, notFoundText, nextStep].filter(Boolean).join('\n'),
  }
}

async function uninstall(installer: ClientInstaller, { dryRun = false }: McpFlags, id: string): Promise<Output> {
  const { name, file, state } = await installer.inspect(id, {})
  const patch = await installer.previewRemoval(id)
  if (patch === '') return { value: { program: id, file, state: 'none' }, text: t('programs.nothing', { name, file }) }
  if (dryRun) return { value: { program: id, file, state, patch }, text: `${file}\n${patch}` }
  await installer.disconnect(id)
  return { value: { program: id, file, state: 'none' }, text: t('programs.removed', { name, file }) }
}

/**
 * Makes `commonplace` a command of the user's shells. Prints the path of the new link first.
 * @param isOnce true at a start: stores that the question was put, and prints nothing if there is nothing to install
 */
export async function offerCommand(options: AppOptions, isAgreed: boolean, isOnce: boolean): Promise<Output> {
  const base = await openBase(options)
  try {
    const installer = createClientInstaller(options, base.folders)
    const plan = await installer.command().catch(onAppError(...(isOnce ? (['file_exists'] as const) : [])))
    const { creates: path = null, needsPath = false } = plan ?? {}
    if (isOnce) await writeDurably(join(base.folders.home, 'bin/asked'), '')
    if (path === null && isOnce) return { value: null, text: '' }
    if (plan === null) return { value: null, text: t('install.otherHome'), isFailure: true }
    if (path === null) return { value: plan, text: t('install.there') }
    if (!isAgreed && !process.stdin.isTTY)
      return { value: plan, text: t('install.noQuestion', { path }), isFailure: true }
    if (!isAgreed && !(await isConfirmed(t('install.question', { path })))) return { value: null, text: '' }
    await installer.installCommand()
    return { value: plan, text: [t('install.done', { path }), needsPath ? t('install.path') : ''].join('\n').trim() }
  } finally {
    base.close()
  }
}

async function isConfirmed(question: string): Promise<boolean> {
  const terminal = createInterface({ input: process.stdin, output: process.stderr })
  try {
    return /^(?:y|yes|是)$/i.test((await terminal.question(question)).trim())
  } finally {
    terminal.close()
  }
}
