import { expect, it } from 'vitest'
import { OmittedCounts } from '../../../src/main/interop/import/chats.ts'
import { exportedNames, isKeepFile, readKeepNote } from '../../../src/main/interop/import/note-exports.ts'

const id = '0123456789abcdef0123456789abcdef'
const uuid = '0A1B2C3D-0000-4000-8000-0123456789AB'

it('removes the ids of Notion and the folders of text bundles', () => {
  const texts = [
    { path: `Home ${id}.md`, text: '# Home\n' },
    { path: `Home ${id}/Rooms ${id}.md`, text: '# Rooms\n' },
    { path: 'Garden.textbundle/text.md', text: '# Something else\n' },
    { path: `${uuid}.textbundle/text.markdown`, text: '# Packing: list\n' },
    { path: 'Plain note.md', text: '# Plain\n' },
  ]
  const names = exportedNames(texts, [`Home ${id}/plan.png`, 'Garden.textbundle/assets/bed.png'])
  expect([...names.values()]).toEqual([
    'Home.md',
    'Home/Rooms.md',
    'Garden.md',
    'Packing list.markdown',
    'Home/plan.png',
    'Garden/bed.png',
  ])
})

it('reads notes of Google Keep', () => {
  expect([isKeepFile('Takeout/Keep/a.json'), isKeepFile('Takeout/Drive/a.json')]).toEqual([true, false])
  const counts = new OmittedCounts()
  const read = (note: unknown) => readKeepNote('Keep/a.json', note, counts.count)
  const createdTimestampUsec = 1_767_268_800_000_000
  expect(
    read({
      title: 'Shopping',
      listContent: [
        { text: 'tea', isChecked: true },
        { text: 'milk', isChecked: false },
      ],
      labels: [{ name: 'home' }],
      annotations: [{ url: 'https://shop.example', title: 'Shop' }],
      attachments: [{ filePath: 'a b.png', mimetype: 'image/png' }],
      createdTimestampUsec,
    }),
  ).toEqual({
    path: 'Keep/a.md',
    name: 'Keep/2026-01-01 Shopping.md',
    text: '---\ntags: ["home"]\n---\n\n# Shopping\n\n- [x] tea\n- [ ] milk\n\n[Shop](https://shop.example)\n\n![](a%20b.png)\n',
  })
  expect(read({ title: '', textContent: 'The boiler code is 7781.\nMore' })).toMatchObject({
    name: 'Keep/The boiler code is 7781.md',
    text: 'The boiler code is 7781.\nMore\n',
  })
  for (const other of [
    7,
    { title: 'x' },
    { title: 'x', textContent: 'y', isTrashed: true },
    { title: '', textContent: ' ' },
  ])
    expect(read(other)).toBeUndefined()
  expect(counts.list()).toEqual([
    { reason: 'unreadable', count: 2 },
    { reason: 'trash', count: 1 },
    { reason: 'empty', count: 1 },
  ])
})
