/**
 * What a person does to get something done, as data. Names are keys of the interface's own strings, so that a task is the
 * same in every language; what a person says stands in each of them.
 */
import type en from '../../../src/renderer/lib/i18n/en.json'

export const languages = ['en', 'zh-CN', 'zh-TW'] as const
export type Language = (typeof languages)[number]

type Keys<T> = { [K in keyof T & string]: T[K] extends string ? K : `${K}.${Keys<T[K]>}` }[keyof T & string]
/** A key of the strings; plural forms are named by the key without its ending. */
export type Name = Plural<Keys<typeof en>>
type Plural<K extends string> = K extends `${infer Stem}_other` ? Stem : K

/** The same in each language, or in all of them. */
export type Said = string | Readonly<Record<Language, string>>

/** What something is called: one of our strings (with what is put into it), or words as they stand. */
export type Called =
  | Name
  | { readonly key: Name; readonly with: Readonly<Record<string, Said | number>> }
  | { readonly text: Said }

export type Role =
  | 'button'
  | 'checkbox'
  | 'combobox'
  | 'link'
  | 'menuitem'
  | 'option'
  | 'radio'
  | 'slider'
  | 'textbox'
  | 'searchbox'

export type Step =
  /** Something with a role and a name is pressed; the first or the last of several. */
  | { readonly do: 'press'; readonly role: Role; readonly name: Called; readonly in?: string; readonly last?: boolean }
  /** Something in the sidebar, which is opened first where it is a drawer. */
  | { readonly do: 'go'; readonly role: Role; readonly name: Called }
  /** A field is chosen and filled. */
  | { readonly do: 'fill'; readonly role: Role; readonly name: Called; readonly text: Said }
  /** In a list of choices; one of the sidebar, which is opened first where it is a drawer. */
  | { readonly do: 'choose'; readonly name: Called; readonly value: string; readonly aside?: boolean }
  /** Words into whatever has the focus. */
  | { readonly do: 'type'; readonly text: Said }
  | { readonly do: 'keys'; readonly keys: string }
  /** Something must be seen: words, or what a test id names. */
  | { readonly do: 'see'; readonly name?: Called; readonly id?: string; readonly in?: string }
  | { readonly do: 'gone'; readonly name?: Called; readonly id?: string }

export interface Task {
  /** What the person wants, in a sentence. */
  readonly want: string
  readonly steps: readonly Step[]
  /** It is done by the keyboard alone as well. */
  readonly byKeyboard?: boolean
}
