import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { togglePanel, textWidth, type OpenPanels } from '../../../src/renderer/editor/panel-layout.ts'

const nothing: OpenPanels = { preview: false, history: false, links: false, blame: false }
const all = ['preview', 'blame', 'history', 'links'] as const

describe('panels beside the text', () => {
  it.each<[string, number, (keyof OpenPanels)[], (keyof OpenPanels)[]]>([
    ['1440', 1180, ['preview', 'blame', 'history'], ['preview', 'history']],
    ['1024', 764, ['blame', 'history'], ['history']],
    ['1024', 764, ['preview', 'blame'], ['blame']],
    ['360', 360, ['history', 'blame'], ['blame']],
  ])('at %s (%i px), opening %j leaves %j', (_, room, asked, left) => {
    const window = room + 260
    const after = asked.reduce<OpenPanels>((shown, what) => togglePanel(shown, what, room, window), nothing)
    expect(all.filter((what) => after[what])).toEqual(left)
  })

  it('shows the opened panel, and closing one leaves the others open', () => {
    const beside = fc.record({
      preview: fc.boolean(),
      history: fc.boolean(),
      links: fc.constant(false),
      blame: fc.boolean(),
    })
    const what = fc.constantFrom(...all)
    fc.assert(
      fc.property(beside, what, fc.integer({ min: 300, max: 3000 }), (shown, asked, room) => {
        const after = togglePanel(shown, asked, room, room + 260)
        expect(after[asked]).toBe(!shown[asked])
        if (shown[asked]) expect({ ...after, [asked]: true }).toEqual(shown)
        const others = all.filter((other) => other !== asked && after[other])
        if (after[asked] && others.length > 0) expect(textWidth(after, room, room + 260)).toBeGreaterThanOrEqual(320)
      }),
    )
  })
})
