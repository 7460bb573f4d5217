import { describe, expect, it } from 'vitest'
import { restoreLineEnds } from '../../../src/main/workspace/files/line-ends.ts'
import { randomOf } from '../../support/random.ts'

const mark = '\uFEFF'

/** Text as an editor stores it: one kind of line end, no byte-order mark. */
const inEditor = (text: string, end = '\n') => text.replace(/^\uFEFF/, '').replace(/\r\n|\r|\n/g, end)

describe('withEndsOf()', () => {
  it.each<[name: string, before: string, after: string, expected: string]>([
    ['nothing has changed', 'x\r\ny\nz\r', 'x\ny\nz\n', 'x\r\ny\nz\r'],
    ['a task is ticked', 'x\r\ny\n- [ ] t\n', 'x\r\ny\r\n- [x] t\r\n', 'x\r\ny\n- [x] t\n'],
    ['a line ends with a lone carriage return', 'b\nc\r[[A]]\r\nd', 'b\nc\n[[A]]\ne', 'b\nc\r[[A]]\r\ne'],
    [
      'the text has a byte-order mark',
      `${mark}---\r\nstatus: open\r\n---\r\n`,
      '---\nstatus: done\n---\n',
      `${mark}---\r\nstatus: done\r\n---\r\n`,
    ],
    ['lines are added: the most common end', 'a\r\nb\r\nc\n', 'a\nnew\nb\nc\n', 'a\r\nnew\r\nb\r\nc\n'],
    ['lines are deleted', 'a\r\nb\nc\r\nd\n', 'a\nc\nd\n', 'a\r\nc\r\nd\n'],
    ['the last line has no end', 'a\r\nb', 'a\nb\nc', 'a\r\nb\r\nc'],
    ['all text is deleted', 'a\r\nb\r\n', '', ''],
  ])('keeps line ends when %s', (_name, before, after, expected) => {
    expect(restoreLineEnds(before, after)).toBe(expected)
  })

  it('keeps the edited text, and the ends of unchanged lines, for any edit', () => {
    for (let seed = 0; seed < 500; seed += 1) {
      const random = randomOf(seed)
      const pick = <T>(of: readonly T[]) => of[Math.floor(random() * of.length)] as T
      const lines = Array.from({ length: Math.floor(random() * 30) }, (_, index) => ({
        text: `${index} ${pick(['a', 'b', ''])}`,
        end: pick(['\n', '\r\n', '\r']),
      }))
      const before = `${pick(['', mark])}${lines.map(({ text, end }) => text + end).join('')}`
      const edited = lines.flatMap(({ text }) => {
        const dice = random()
        return dice < 0.1 ? [] : dice < 0.2 ? [`${text}!`] : dice < 0.3 ? [text, 'new'] : [text]
      })
      const typed = edited.map((text) => `${text}\n`).join('')
      const saved = restoreLineEnds(before, typed)
      expect(inEditor(saved)).toBe(typed)
      expect(saved.startsWith(mark)).toBe(before.startsWith(mark))
      for (const { text, end } of lines) if (edited.includes(text)) expect(saved).toContain(text + end)
    }
  })
})
