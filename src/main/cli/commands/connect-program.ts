/** Registers the memory with another program, or takes that back (M59). */
import { connectionsOf, openBase, type AppOptions } from '../../app.ts'
import type { McpFlags } from '../flags.ts'
import type { Output } from '../output.ts'

export async function connectProgram(
  options: AppOptions,
  { agent = 'main', uninstall, dryRun = false }: McpFlags,
  id: string,
): Promise<Output> {
  const base = await openBase(options)
  try {
    const connections = connectionsOf(options, base.folders)
    const program = await connections.look(id, agent)
    const { name, file, patch, state, problem } = program
    if (uninstall !== undefined) {
      await connections.disconnect(id)
      return { value: { program: id, file, state: 'none' }, text: `${name}: taken out of ${file}` }
    }
    if (dryRun || problem !== null)
      return { value: program, text: `${file}\n${problem ?? patch}`, isFailure: problem !== null }
    if (state !== 'connected') await connections.connect(id, agent)
    const tools = await connections.test(id, agent)
    const done = state === 'connected' ? `${name} was connected already` : `${name}: written to ${file}`
    const next = `It works: ${tools} tools. Start ${name} anew; "commonplace mcp --uninstall ${id}" takes it back.`
    return {
      value: { program: id, file, state: 'connected', tools },
      text: [done, patch, next].filter(Boolean).join('\n'),
    }
  } finally {
    base.close()
  }
}
