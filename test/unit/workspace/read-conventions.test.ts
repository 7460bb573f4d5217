import { describe, expect, it } from 'vitest'
import {
  ednValue,
  fromFoamPath,
  fromJavaFormat,
  fromMaskFormat,
} from '../../../src/main/workspace/conventions/vault-formats.ts'
import { readConventions } from '../../../src/main/workspace/conventions/read-conventions.ts'
import { applyOverrides } from '../../../src/main/workspace/conventions/vault-conventions.ts'
import { folderWith } from '../../support/folder.ts'

const journal = (name: (day: number) => string) =>
  Object.fromEntries([1, 2, 3, 4].map((day) => [name(day), 'text\n'] as const))

describe('vault conventions', () => {
  it.each([
    [
      'a workspace of this app',
      { 'MEMORY.md': '#', 'memory/2026-01-20.md': '#' },
      { kind: 'plain', daily: { folder: 'memory', format: 'YYYY-MM-DD' } },
    ],
    [
      'plain notes with a journal',
      journal((day) => `Journal/2024-05-0${day}.md`),
      { kind: 'plain', daily: { folder: 'Journal', format: 'YYYY-MM-DD' } },
    ],
    [
      'Obsidian with settings',
      {
        '.obsidian/app.json': JSON.stringify({
          attachmentFolderPath: './',
          newFileLocation: 'folder',
          newFileFolderPath: 'Inbox/',
          useMarkdownLinks: true,
          strictLineBreaks: true,
          userIgnoreFilters: ['Archive/', '/^x/'],
        }),
        '.obsidian/daily-notes.json': '{"folder":"Journal","format":"YYYY/YYYY-MM-DD"}',
      },
      {
        daily: { folder: 'Journal', format: 'YYYY/YYYY-MM-DD' },
        attachments: 'beside',
        newNotes: { path: 'Inbox' },
        links: 'markdown',
        lineBreaks: false,
        ignored: ['Archive/'],
      },
    ],
    [
      'the Periodic Notes plugin',
      {
        '.obsidian/daily-notes.json': '{"folder":"Old"}',
        '.obsidian/plugins/periodic-notes/data.json':
          '{"daily":{"enabled":true,"folder":"Days","format":"DD-MM-YYYY"}}',
      },
      { daily: { folder: 'Days', format: 'DD-MM-YYYY' } },
    ],
    [
      'invalid settings',
      { '.obsidian/app.json': '{', '.obsidian/daily-notes.json': '[1]' },
      { kind: 'obsidian', daily: { folder: '', format: 'YYYY-MM-DD' }, ignored: [] },
    ],
    [
      'Logseq',
      {
        'logseq/config.edn':
          '{:journal/file-name-format "yyyy-MM-dd" ; "x"\n :hidden ["/archived" "README.md"]\n ;; :pages-directory "no"\n}',
      },
      {
        kind: 'logseq',
        daily: { folder: 'journals', format: 'YYYY-MM-DD' },
        newNotes: { path: 'pages' },
        hasFlatPages: true,
        attachments: { path: 'assets' },
        ignored: ['archived', 'README.md'],
      },
    ],
    [
      'Foam with a template',
      {
        '.foam/templates/daily-note.md':
          "---\nfoam_template:\n  filepath: '/journal/$FOAM_DATE_YEAR/day-${FOAM_DATE_MONTH}-$FOAM_DATE_DATE.md'\n---\n",
      },
      { kind: 'foam', daily: { folder: '', format: '[journal]/YYYY/[day]-MM-DD' } },
    ],
    [
      'OpenClaw',
      { 'SOUL.md': '', 'AGENTS.md': '', 'IDENTITY.md': '' },
      { kind: 'openclaw', daily: { folder: 'memory', format: 'YYYY-MM-DD' } },
    ],
  ])('reads the conventions of %s', async (_name, files, expected) => {
    expect(await readConventions(await folderWith(files))).toMatchObject(expected)
  })

  it('prefers the settings to the vault', async () => {
    const found = await readConventions(
      await folderWith({ '.obsidian/app.json': '{"userIgnoreFilters":["Old/"],"attachmentFolderPath":"files"}' }),
    )
    const own = {
      daily: { folder: '/Days/' },
      attachments: 'beside',
      ignored: ['x'],
    } as const
    expect(applyOverrides(found, own)).toMatchObject({
      daily: { folder: 'Days', format: 'YYYY-MM-DD' },
      attachments: 'beside',
      ignored: ['Old/', 'x'],
    })
    expect(applyOverrides(found, { ...own, daily: { format: 'nothing' } })).toMatchObject({ daily: found.daily })
  })

  it.each([
    ['MMM do, yyyy', 'MMM Do, YYYY'],
    ["EEEE, 'day' dd.MM.yy", 'dddd, [day] DD.MM.YY'],
  ])('converts the Logseq format %s', (format, expected) => expect(fromJavaFormat(format)).toBe(expected))

  it.each([
    ['isoDate', 'YYYY-MM-DD'],
    ['dd-mmm-yyyy', 'DD-MMM-YYYY'],
  ])('converts the Foam format %s', (format, expected) => expect(fromMaskFormat(format)).toBe(expected))

  it('converts the variables of a Foam template', () => {
    expect(fromFoamPath('daily/${FOAM_DATE_YEAR}-${FOAM_DATE_MONTH}-${FOAM_DATE_DATE}.md')).toBe('[daily]/YYYY-MM-DD')
  })

  it.each([
    ['{:a "b\\"c"}', 'a', 'b"c'],
    ['{;; :a "no"\n :a true}', 'a', 'true'],
    ['{:a ["x" "y;z"]}', 'a', ['x', 'y;z']],
    ['{:aa 1}', 'a', undefined],
  ])('ednValue(%s) reads the key %s', (text, key, expected) => expect(ednValue(text, key)).toEqual(expected))
})
