declare module 'pinyin-pro/dist/esm/data/dict1.mjs' {
  /** Readings of a character with tone marks, separated by spaces, the most common first. */
  const dictionary: { readonly get: (letter: string) => string | undefined }
  export default dictionary
}

/** Words with their syllables, separated by spaces. */
declare module 'pinyin-pro/dist/esm/data/*.mjs' {
  const words: Readonly<Record<string, string>>
  export default words
}
