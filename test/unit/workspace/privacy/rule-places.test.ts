import { mkdir, realpath, rm, symlink } from 'node:fs/promises'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import { findRule, resolveRules, rulesForFolder } from '../../../../src/main/workspace/privacy/privacy-rules.ts'
import { temporaryFolder } from '../../../support/folder.ts'

async function folders() {
  const root = await realpath(await temporaryFolder())
  const [workspace, extra] = [join(root, 'ws'), join(root, 'ext')]
  await mkdir(join(workspace, 'real/deep'), { recursive: true })
  await mkdir(join(extra, 'in/secret'), { recursive: true })
  return { root, workspace, extra }
}

it('applies a rule with a place on disk in every folder that contains it', async () => {
  const { root, workspace, extra } = await folders()
  await symlink(extra, join(root, 'other'))
  const holds = (rule: string, path: string, folder = extra) =>
    findRule(path, rulesForFolder(folder, resolveRules(workspace, [rule]))) !== undefined
  for (const rule of [extra, `${extra}/`, root, `${root}/*/in/`, `${root}/**/secret/`, join(root, 'other'), '../ext'])
    expect(holds(rule, 'in/secret/d.md'), rule).toBe(true)
  for (const rule of [`${extra}/in/secret/d.md`, `${extra}/in/secret/d`, `${root}/other/in/secret/`, `${extra}/**`])
    expect([holds(rule, 'in/secret/d.md'), holds(rule, 'in/secret/d.md', join(root, 'other'))], rule).toEqual([
      true,
      true,
    ])
  for (const rule of ['in/', '**/secret/', '', `${extra}/secret/`, `${extra}2/`, workspace, `${root}/*/secret/`])
    expect(holds(rule, 'in/secret/d.md'), rule).toBe(false)
  expect(holds('../ext/in/secret/', 'open.md')).toBe(false)
})

it('applies a rule that names a link to its target, even if that was deleted', async () => {
  const { workspace } = await folders()
  await symlink('real/deep', join(workspace, 'lnk'))
  await symlink('real/note.md', join(workspace, 'alias.md'))
  const ruleOf = (path: string) => findRule(path, rulesForFolder(workspace, resolveRules(workspace, ['lnk/', 'alias'])))
  for (const isDeleted of [false, true]) {
    if (isDeleted) await rm(join(workspace, 'real'), { recursive: true })
    expect(['lnk/a.md', 'real/deep/a.md', 'alias.md', 'real/note.md', 'real/b.md'].map(ruleOf)).toEqual([
      'lnk/',
      'real/deep/',
      'alias',
      'real/note.md',
      undefined,
    ])
  }
})
