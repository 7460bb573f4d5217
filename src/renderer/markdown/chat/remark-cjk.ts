/**
 * Bold and italic words beside Chinese, Japanese and Korean. Markdown lets `**` begin or end an emphasis by the spaces
 * and signs around it (https://spec.commonmark.org/0.31.2/#delimiter-run), which these scripts do without: in
 * `**“重要”**的` the second `**` ends nothing. Here a character of theirs counts as a space does. Everything else about
 * emphasis is the parser's own.
 */

type Code = number | null
type State = (code: Code) => State | undefined

interface Sequence {
  _open?: boolean
  _close?: boolean
}

interface Effects {
  enter(type: 'attentionSequence'): Sequence
  consume(code: Code): void
  exit(type: 'attentionSequence'): Sequence
}

interface Construct {
  readonly name: string
  readonly tokenize: (this: Context, effects: Effects, ok: State) => State
  readonly resolveAll: (events: unknown[], context: Context) => unknown[]
}

interface Context {
  readonly previous: Code
  readonly parser: { readonly constructs: { readonly insideSpan: { readonly null?: readonly Partial<Construct>[] } } }
}

const asterisk = 42
/** `~` beside it begins or ends something itself. */
const tilde = 126

const cjk =
  /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Hangul}\p{Script=Bopomofo}\u3000-\u303F\uFF00-\uFFEF]/u

function charactersOf(code: Code): string {
  return code === null || code < 0 ? ' ' : String.fromCharCode(code)
}

function isOpen(before: string, after: string): boolean {
  if (/\s/.test(after)) return false
  return !/[\p{P}\p{S}]/u.test(after) || /[\s\p{P}\p{S}]/u.test(before) || cjk.test(before)
}

const attention: Construct = {
  name: 'attentionBesideCjk',
  tokenize(effects, ok) {
    const { previous } = this
    const inside: State = (code) => {
      if (code === asterisk) {
        effects.consume(code)
        return inside
      }
      const sequence = effects.exit('attentionSequence')
      const [before, after] = [charactersOf(previous), charactersOf(code)]
      sequence._open = isOpen(before, after) || code === tilde
      // What may begin before one may end behind the other, the other way round.
      sequence._close = isOpen(after, before) || previous === tilde
      return ok(code)
    }
    return (code) => {
      effects.enter('attentionSequence')
      return inside(code)
    }
  },
  resolveAll(events, context) {
    const own = context.parser.constructs.insideSpan.null?.find(({ name }) => name === 'attention')
    return own?.resolveAll ? own.resolveAll(events, context) : events
  },
}

function addAttention(this: { data(): object }): void {
  const data: { micromarkExtensions?: unknown[] } = this.data()
  data.micromarkExtensions ??= []
  data.micromarkExtensions.push({ text: { [asterisk]: attention } })
}

/** A plugin of remark. */
export const remarkCjk = addAttention
