import { describe, expect, it } from 'vitest'
import { deferForms } from '../../../src/main/thread/deferred-forms.ts'

describe('M58 a cold start', () => {
  it('M58: forms are what they were where the web’s network is not loaded for them', async () => {
    const real = FormData
    // As Node has it before anybody looked.
    Object.defineProperty(globalThis, 'FormData', { get: () => real, configurable: true })
    deferForms()
    expect(FormData).not.toBe(real)
    expect({} instanceof FormData).toBe(false)
    expect((null as unknown) instanceof FormData).toBe(false)
    const form = new FormData()
    form.set('name', 'value')
    expect(form).toBeInstanceOf(real)
    expect(form instanceof FormData).toBe(true)
    const sent = await new Response(form).formData()
    expect(sent instanceof FormData).toBe(true)
    expect(sent.get('name')).toBe('value')
  })
})
