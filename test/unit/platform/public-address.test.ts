import { describe, expect, it } from 'vitest'
import { imageType, isPublicAddress } from '../../../src/main/platform/net/remote-picture.ts'

describe('public addresses', () => {
  it.each(['1.1.1.1', '2606:4700::1111'])('%s is public', (address) => expect(isPublicAddress(address)).toBe(true))

  it.each([
    '127.0.0.1',
    '10.1.2.3',
    '100.64.0.1',
    '169.254.169.254',
    '172.16.0.1',
    '192.168.1.1',
    '::1',
    '::ffff:127.0.0.1',
    '::ffff:1.1.1.1',
    '64:ff9b::7f00:1',
    '2002:7f00:1::',
    'fc00::1',
    'fe80::1',
    'localhost',
  ])('%j is not public', (address) => expect(isPublicAddress(address)).toBe(false))
})

describe('image type detection', () => {
  const bytes = (text: string) => Buffer.from(text, 'latin1')
  it.each([
    ['\x89PNG\r\n\x1A\n…', 'image/jpeg', 'image/png'],
    ['\xFF\xD8\xFF\xE0', 'image/png', 'image/jpeg'],
    ['<?xml version="1.0"?>\n<!-- a -->\n<svg xmlns="x">', 'image/svg+xml', 'image/svg+xml'],
    ['<svg>', 'image/png', undefined],
    ['<!DOCTYPE html><html>', 'image/svg+xml', undefined],
  ])('%j, called %s', (text, said, type) => expect(imageType(bytes(text), said)).toBe(type))
})
