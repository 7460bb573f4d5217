/** Pairs, each of traditional characters and another form: `a b|c d`. Of several forms, the most common one is first. */
declare module 'opencc-js/dict/*' {
  const pairs: string
  export default pairs
}
