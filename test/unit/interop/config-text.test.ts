import { describe, expect, it } from 'vitest'
import {
  serverEntryAt,
  withEntry,
  withoutEntry,
  type ConfigFormat,
} from '../../../src/main/interop/client-setup/config-text.ts'

const entry = { command: '/usr/bin/node', args: ['/a b/cli.js', 'mcp', '--client', 'x"y'], env: { A: '1' } }

interface Case {
  readonly name: string
  readonly format: ConfigFormat
  readonly text: string
  /** Parts that must be unchanged in the result. */
  readonly kept: readonly string[]
}

const cases: readonly Case[] = [
  { name: 'nothing', format: 'json', text: '', kept: [] },
  {
    name: 'comments, tabs and a last comma',
    format: 'json',
    text: '{\n\t// mine\n\t"theme": "dark", /* yes */\n\t"group": {\n\t\t"other": { "command": "x" }, // its own\n\t},\n}\n',
    kept: ['\t// mine\n\t"theme": "dark", /* yes */\n', '"command": "x"', '// its own'],
  },
  { name: 'a byte order mark', format: 'json', text: '\uFEFF{\n  "a": 1\n}\n', kept: ['\uFEFF{', '"a": 1'] },
  {
    name: 'comments, dates and other tables',
    format: 'toml',
    text: '# mine\nmodel = "o3" # the model\nsince = 2026-01-20\nbig = 9007199254740993\n\n[group.other] # theirs\nargs = [\n  "-y", # yes\n]\n\n[tui]\nx = 1\n',
    kept: [
      '# mine\nmodel = "o3" # the model\nsince = 2026-01-20',
      '[group.other] # theirs\nargs = [\n  "-y", # yes\n]',
    ],
  },
  {
    name: 'comments and a later key',
    format: 'yaml',
    text: '# mine\ngroup:\n  other:   # theirs\n    enabled: true\n\n# the model\nMODEL: x # y\n',
    kept: ['# mine\ngroup:\n  other:   # theirs\n    enabled: true\n', '# the model\nMODEL: x # y\n'],
  },
  { name: 'a group in one line', format: 'yaml', text: 'group: { other: { enabled: true } }\n', kept: ['other:'] },
]

/** Texts that are restored exactly after adding and removing the entry. */
const restored: readonly (readonly [name: string, format: ConfigFormat, text: string])[] = [
  [
    'a group on one line',
    'json',
    `{\n  "a": { "b": 1 },\n  "group": { "other": { "command": "x" } },\n  "c": [1, 2]\n}\n`,
  ],
  ['no group', 'json', '{\n  "a": [1, 2],\n  "b": { "c": 1 }\n}\n'],
  ['a line break at its end', 'toml', 'model = "o3"\n'],
]

describe('an entry in another program’s configuration', () => {
  it.each(restored)('other settings with %s stay unchanged, and removing restores the text: %s', (_, format, text) => {
    const path = ['group', 'commonplace'] as const
    const at = (now: string) => ({ format, file: 'config', text: now })
    const added = withEntry(at(text), path, entry)
    for (const line of text.split('\n')) expect(added).toContain(line.replace(/[ }\],]*$/, ''))
    expect(withoutEntry(at(added), path)).toBe(text)
  })

  it.each(cases)(
    'adds, changes and removes an entry in $format with $name; the rest stays',
    ({ format, text, kept }) => {
      const path = ['group', 'commonplace'] as const
      const at = (now: string) => ({ format, file: 'config', text: now })
      const added = withEntry(at(text), path, entry)
      expect(serverEntryAt(at(added), path)).toEqual(entry)
      for (const part of kept) expect(added).toContain(part)
      const changed = withEntry(at(added), path, { ...entry, command: 'other' })
      expect(serverEntryAt(at(changed), path)).toEqual({ ...entry, command: 'other' })
      for (const part of kept) expect(changed).toContain(part)
      const taken = withoutEntry(at(changed), path)
      expect(serverEntryAt(at(taken), path)).toBeUndefined()
      for (const part of kept) expect(taken).toContain(part)
      expect(withoutEntry(at(text), path)).toBe(text)
    },
  )

  it.each([
    ['yaml', 'a:   1\r\ngroup:\r\n  x:   {a: 1}\r\n\r\nb: "long   text"   # mine\r\n'],
    ['yaml', 'group:\n    # x\n    other:\n        a: |\n            text\n\n\nb:   1\n'],
    ['toml', 'a = 1\r\n\r\n[group.x]\r\nb   = 2\r\n'],
  ] as const)('%s is restored exactly after adding and removing: %j', (format, text) => {
    const path = ['group', 'commonplace'] as const
    const added = withEntry({ format, file: 'config', text }, path, entry)
    expect(serverEntryAt({ format, file: 'config', text: added }, path)).toEqual(entry)
    if (text.includes('\r\n')) expect(added.replaceAll('\r\n', '')).not.toContain('\n')
    const taken = withoutEntry({ format, file: 'config', text: added }, path)
    expect(taken).toBe(text)
  })

  it.each([
    ['json', '{"group": null, "a": 1}'],
    ['yaml', 'a: 1\ngroup: {}   # mine\nb:   2\n'],
  ] as const)('%s with an empty group gets an entry: %s', (format, text) => {
    const added = withEntry({ format, file: 'config', text }, ['group', 'commonplace'], entry)
    expect(serverEntryAt({ format, file: 'config', text: added }, ['group', 'commonplace'])).toEqual(entry)
    if (text.includes('# mine')) expect(added).toMatch(/^a: 1\ngroup: +# mine\n/)
  })

  it.each([
    ['json', '{ "a": '],
    ['toml', 'a = ['],
    ['yaml', 'a: [1'],
    ['json', '{"group": "a text"}'],
  ] as const)('%s with a syntax error or another structure stays unchanged: %s', (format, text) => {
    const config = { format, file: 'config', text }
    expect(() => withEntry(config, ['group', 'commonplace'], entry)).toThrow(/^config: /)
  })
})
