/** Quotes, items of lists, the places they stand at, and days over them; every other line is a sentence of the model's. */
const fromMemory = /^(?:[>-] |\[|\*\*)/

/** @returns the lines that come from memory; empty where the answer has none, such as one that found nothing */
export function fromMemoryIn(answer: string): string {
  return answer
    .split('\n')
    .filter((line) => fromMemory.test(line))
    .join('\n')
}
