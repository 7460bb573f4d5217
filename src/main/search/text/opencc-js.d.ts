declare module 'opencc-js/dict/TWPhrases' {
  /** Pairs of a word of the mainland and one of Taiwan, both in traditional characters: `a b|c d`. */
  const pairs: string
  export default pairs
}
