/** Returns a line without links, emphasis and a label such as "Note:". */
export function toPlainText(text: string): string {
  return text
    .replace(/\[\[(?:[^\]|]*\|)?([^\]]*)\]\]/g, '$1')
    .replace(/\[([^\]]*)\]\([^)]*\)/g, '$1')
    .replace(labelPattern, '')
    .replace(repetitionPattern, '')
    .replace(/\*\*|__|~~|`|(?<=\s|^)[*_](?=\S)|(?<=\S)[*_](?=\s|$)/g, '')
    .trim()
}

const labelPattern =
  /^\W*(?:note|nb|fyi|reminder|remember|update|correction|corrected|memo|[更订訂勘]正|勘[误誤]|备注|備註|注意|提醒|记住|記住)\s*[:：]\s*/i
const repetitionPattern = /,?\s+(?:as before|as usual|as always|once more|again)\s*(?=[.!]?\s*$)/i

export function isMarkedOld(text: string): boolean {
  return /[(（](?:old|outdated|alt|[旧舊])[)）]/i.test(text)
}
