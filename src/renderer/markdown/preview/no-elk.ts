/** Replaces `elkjs` (EPL-2.0), which Mermaid loads for diagrams with the ELK layout. They are shown as source. */
export default function noElk(): never {
  throw new Error('the ELK layout is not included in this app')
}
