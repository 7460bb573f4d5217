import { crc32 } from 'node:zlib'
import { decodeAs } from '#platform'

const upper =
  'ÇüéâäàåçêëèïîìÄÅÉæÆôöòûùÿÖÜ¢£¥₧ƒáíóúñÑªº¿⌐¬½¼¡«»░▒▓│┤╡╢╖╕╣║╗╝╜╛┐└┴┬├─┼╞╟╚╔╩╦╠═╬╧╨╤╥╙╘╒╓╫╪┘┌█▄▌▐▀αßΓπΣσµτΦΘΩδ∞φε∩≡±≥≤⌠⌡÷≈°∙·√ⁿ²■\u00a0'

/** @param extra the entry's further fields */
export function zipName(name: Buffer, extra: Buffer): string {
  return (
    decodeAs('utf-8', name, true) ?? unicodeName(name, extra) ?? decodeAs('gb18030', name, true) ?? codePage437(name)
  )
}

/** Counts only for the name that it was made for: whoever renames an entry may leave it behind. */
function unicodeName(name: Buffer, extra: Buffer): string | undefined {
  for (let at = 0; at + 9 <= extra.length; at += 4 + extra.readUInt16LE(at + 2)) {
    const bytes = extra.readUInt16LE(at + 2)
    if (extra.readUInt16LE(at) !== 0x7075 || bytes < 5 || at + 4 + bytes > extra.length) continue
    const isMeant = extra.readUInt8(at + 4) === 1 && extra.readUInt32LE(at + 5) === crc32(name)
    return isMeant ? decodeAs('utf-8', extra.subarray(at + 9, at + 4 + bytes), true) : undefined
  }
  return undefined
}

function codePage437(name: Buffer): string {
  return [...name].map((byte) => (byte < 128 ? String.fromCharCode(byte) : upper.charAt(byte - 128))).join('')
}
