import { describe, expect, it } from 'vitest'
import { runConformance } from '../../support/mcp-conformance.ts'

describe('the official conformance suite', () => {
  it('passes for 2025-11-25 and 2026-07-28', async () => {
    for (const { revision, ok, output } of await runConformance()) {
      expect(output, revision).toMatch(/✓ tools-list/)
      expect(ok, output.slice(-6000)).toBe(true)
    }
  }, 90_000)
})
