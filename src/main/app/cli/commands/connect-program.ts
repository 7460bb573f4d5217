import { resolve } from 'node:path'
import { createClientInstaller, openBase, type AppOptions } from '../../composition/create-app.ts'
import type { ClientInstaller } from '#interop'
import type { McpFlags } from '../flags.ts'
import type { Output } from '../cli-output.ts'

/**
 * Registers this memory with a program, or removes it with `--uninstall`.
 * @param id of the program
 * @throws AppError as `ClientInstaller.connect`, `mcp_unavailable`
 */
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
  const { agent, client, readOnly: isReadOnly, workspace, dryRun = false } = flags
  const registration = {
    agent,
    client,
    isReadOnly,
    workspace: workspace === undefined ? undefined : resolve(workspace),
  }
  const program = await installer.inspect(id, registration)
  const { name, file, patch, state, isThere, problem } = program
  if (problem !== null) return { value: program, text: `${file}\n${problem}`, isFailure: true }
  if (dryRun) return { value: program, text: `${file}\n${patch === '' ? `${name} is connected already` : patch}` }
  // Test before writing: a broken entry must not reach the program's configuration.
  const tools = await installer.test(id, registration)
  if (state !== 'connected') await installer.connect(id, registration)
  const resultText = state === 'connected' ? `${name} was connected already` : `${name}: written to ${file}`
  const notFoundText = isThere ? '' : `${name} was not found on this machine: its configuration folder did not exist.`
  const nextStep = `It works: ${tools} tools. Restart ${name} to use it. To disconnect: "commonplace mcp --uninstall ${id}".`
  return {
    value: { program: id, file, state: 'connected', tools },
    text: [resultText, patch, notFoundText, nextStep].filter(Boolean).join('\n'),
  }
}

async function uninstall(installer: ClientInstaller, { dryRun = false }: McpFlags, id: string): Promise<Output> {
  const { name, file, state } = await installer.inspect(id, {})
  const patch = await installer.previewRemoval(id)
  if (patch === '')
    return { value: { program: id, file, state: 'none' }, text: `${name}: nothing to remove, ${file} has no entry` }
  if (dryRun) return { value: { program: id, file, state, patch }, text: `${file}\n${patch}` }
  await installer.disconnect(id)
  return { value: { program: id, file, state: 'none' }, text: `${name}: removed from ${file}` }
}
