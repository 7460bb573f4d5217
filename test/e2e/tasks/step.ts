/**
 * User tasks as data. Names are keys of the interface's texts, so that a task runs in every language; typed
 * text is given for each one.
 */
import type en from '../../../src/shared/i18n/en.json'

export const languages = ['en', 'zh-CN', 'zh-TW'] as const
export type Language = (typeof languages)[number]

type Keys<T> = { [K in keyof T & string]: T[K] extends string ? K : `${K}.${Keys<T[K]>}` }[keyof T & string]
/** A key of the interface's texts, without a plural suffix. */
export type Name = Plural<Keys<typeof en>>
type Plural<K extends string> = K extends `${infer Stem}_other` ? Stem : K

/** One text for all languages, or one for each. */
export type Said = string | Readonly<Record<Language, string>>

/** A key, a key with values, or a literal text. */
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
  /** Presses an element by role and name; the last one if `last` is set. */
  | { readonly do: 'press'; readonly role: Role; readonly name: Called; readonly in?: string; readonly last?: boolean }
  /** Presses an element of the sidebar, and opens the sidebar first if it is a drawer. */
  | { readonly do: 'go'; readonly role: Role; readonly name: Called }
  /** Focuses and fills a field. */
  | { readonly do: 'fill'; readonly role: Role; readonly name: Called; readonly text: Said }
  /** Selects an option; with `aside`, of a list in the sidebar. */
  | { readonly do: 'choose'; readonly name: Called; readonly value: string; readonly aside?: boolean }
  /** Types into the focused element. */
  | { readonly do: 'type'; readonly text: Said }
  | { readonly do: 'keys'; readonly keys: string }
  /** Waits until a text or test id is visible. */
  | { readonly do: 'see'; readonly name?: Called; readonly id?: string; readonly in?: string }
  | { readonly do: 'gone'; readonly name?: Called; readonly id?: string }

export interface Task {
  /** The user's goal, as a sentence. */
  readonly want: string
  readonly steps: readonly Step[]
  /** True if the task must also work with the keyboard alone. */
  readonly byKeyboard?: boolean
}
