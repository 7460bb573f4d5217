import { describe, expect, it } from 'vitest'
import { parse } from 'yaml'
import { editYaml } from '../../../src/main/platform/config/edit-yaml.ts'

const text = `# my settings
agents:   { defaults: {model: offline,   memory: { search: {maxResults: 6}}, chat: { titles: true } }, list: [{id: main, workspace: "~/notes", color: '#3f5bd9'},  {id: "work"}] }


mcp:
    servers:   # two
        files: { command: npx, args: [-y, "@modelcontextprotocol/server-filesystem", /home/user/Documents/some-long-folder-name] }
        search:
            url:   "http://localhost:8000/mcp"   # here

# end
`

describe('editYaml', () => {
  it.each([
    [['agents', 'defaults', 'model'], 'openai/gpt', 'model: offline', 'model: openai/gpt'],
    [['agents', 'defaults', 'model'], 'a, {b}: #c', 'model: offline', 'model: "a, {b}: #c"'],
    [['agents', 'list', 0, 'workspace'], '~/other', '"~/notes"', '"~/other"'],
    [['agents', 'list', 1, 'model'], 'openai/m', '{id: "work"}', '{id: "work", model: openai/m}'],
    [['agents', 'list', 1, 'chat', 'default'], 'private', '"work"}', '"work", chat: { default: private }}'],
    [['mcp', 'servers', 'search', 'local'], true, '# here\n', '# here\n            local: true\n'],
    [
      ['mcp', 'servers', 'search', 'tools', 'add'],
      'never',
      '# here\n',
      '# here\n            tools:\n              add: never\n',
    ],
    [['interface', 'theme'], 'dark', '# here\n', '# here\ninterface:\n  theme: dark\n'],
  ] as const)('changes only the value of %j', (path, value, before, after) => {
    expect(text.split(before)).toHaveLength(2)
    const expected = text.replace(before, after)
    expect(editYaml(text, path, value)).toBe(expected)
    const windows = (lines: string) => lines.replaceAll('\n', '\r\n')
    expect(editYaml(windows(text), path, value)).toBe(windows(expected))
  })

  it.each([
    ['', ['a', 'b'], 1, { a: { b: 1 } }],
    ['a: {}', ['a', 'b'], 'x', { a: { b: 'x' } }],
    ['a: |\n  one\n  two\nb: 2\n', ['a'], 'x', { a: 'x', b: 2 }],
    ['a: &x one\nb: *x\n', ['b'], 'two', { a: 'one', b: 'two' }],
    ['a: { b: 1 }', ['a', 'b'], undefined, {}],
    ['a: "1"\n', ['a'], null, { a: null }],
  ] as const)('sets a value in every form: %j %j', (from, path, value, expected) => {
    expect(parse(editYaml(from, path, value)) ?? {}).toEqual(expected)
  })

  it.each(['weights: auto # the model\nb: 1\n', 'weights:\nb: 1\n'])('replaces a single value by a map: %j', (text) => {
    const edited = editYaml(editYaml(text, ['weights', 'vector'], 0.7), ['weights', 'text'], 0.3)
    expect(parse(edited)).toEqual({ weights: { vector: 0.7, text: 0.3 }, b: 1 })
  })
})
