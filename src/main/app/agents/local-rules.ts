/** What an agent's settings keep on this machine, as its files move (M64). */
import { readdir, stat } from 'node:fs/promises'
import { join } from 'node:path'
import type { Move } from '#shared/markdown/links/rewrite-links.ts'
import { movedRules, ruleFor } from '#workspace/privacy'
import { trashFolder, type LocalRules } from '#workspace'
import type { AgentOptions } from './agent-options.ts'
import { notesFolders } from './memory-source.ts'

export function localRules(options: AgentOptions): LocalRules {
  const { config, workspace } = options
  const rules = () => notesFolders(options)[0]?.local ?? []
  return {
    covers: (path) => ruleFor(path, rules()) !== undefined,
    coversMoved: (move, isFolder, path) => ruleFor(path, movedRules(rules(), move, isFolder).after) !== undefined,
    async follow(move: Move, isFolder: boolean) {
      const [before, written] = [rules(), config.current.visibility.local]
      // What follows from those that are written, by where links lead.
      const implied = new Set(before.slice(written.length))
      // As they are written, where they stay.
      const set = (list: readonly string[]) =>
        config.setLocal(list.filter((rule) => !implied.has(rule)).map((rule) => written[before.indexOf(rule)] ?? rule))
      const { during, after } = movedRules(before, move, isFolder)
      if (after.length === before.length && after.every((rule, at) => rule === before[at])) return async () => undefined
      await set(during)
      return async (isMoved) => {
        if (!isMoved) return set(before)
        // What lies in the trash comes back to where it was.
        const gone = before.filter((rule) => !after.includes(rule))
        const kept: string[] = []
        for (const rule of gone) if (await isInTrash(workspace, rule)) kept.push(rule)
        await set(after.concat(kept))
      }
    },
  }
}

async function isInTrash(workspace: string, rule: string): Promise<boolean> {
  const trash = join(workspace, trashFolder)
  for (const name of await readdir(trash).catch(() => []))
    for (const path of [rule, `${rule}.md`]) if (await stat(join(trash, name, path)).catch(() => undefined)) return true
  return false
}
